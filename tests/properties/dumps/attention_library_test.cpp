// Attention kernels of a shared library: what they compute is judged, and what they do beside it is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "properties/conformance/external/host/address_sanitizer.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {

// Of each kernel: how often each verdict, and the reasons beside each.
struct Found {
  std::map<std::string, int> verdicts, lacking;  // "not batch-invariant", and in how many cases
  std::map<std::string, int> undeclared;         // verdicts of cases with what the kernel does not declare
  std::map<std::string, std::string> why;
};

std::map<std::string, Found> found_by(const Ran& ran) {
  std::map<std::string, Found> result;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    const std::filesystem::path file = json["file"].get<std::string>();
    Found& found = result[file.parent_path().filename().string()];
    const std::string verdict = json["verdict"];
    if (file.filename().string().starts_with("undeclared-")) {
      ++found.undeclared[verdict];
      continue;
    }
    ++found.verdicts[verdict];
    if (json.contains("but"))
      for (const std::string lacking : json["but"]) ++found.lacking[lacking];
    if (!json.contains("why")) continue;
    std::string& why = found.why[verdict];
    why += (why.empty() ? "" : "; ") + json["why"].get<std::string>();
  }
  return result;
}

std::string library(const char* file, const std::string& folder, const std::string& more = "") {
  return "judge --json " + more + " --library '" + file + "' '" + fresh_folder(folder).string() + "'";
}

using Verdicts = std::map<std::string, int>;

TEST(AttentionLibrary, TheExampleHoldsOnEveryCase) {
  const Ran ran = run_attncert(library(ATTNCERT_C_ATTENTION, "example"));
  EXPECT_EQ(ran.status, 0) << ran.errors << ran.output;
  EXPECT_EQ(found_by(ran).at("plain-attention.f32").verdicts.size(), 1);
}

// The words of the indented lines behind a comment of docs/attention-kernels.md.
std::vector<std::string> words_behind(const std::string& comment) {
  std::istringstream page(contents(ATTNCERT_SOURCE_DIR "/docs/attention-kernels.md"));
  std::vector<std::string> words;
  bool there = false;
  for (std::string line; std::getline(page, line);) {
    if (there && !line.starts_with("    ")) break;
    std::istringstream in(there ? line : "");
    for (std::string word; in >> word;) words.push_back(word);
    there = there || line == "<!-- " + comment + " -->";
  }
  return words;
}

// Numbers with a fraction or an exponent may differ in their last digits: another libm rounds otherwise.
bool same(const std::string& shown, const std::string& printed) {
  if (shown.find_first_of(".e") == std::string::npos) return shown == printed;
  char *end = nullptr, *other = nullptr;
  const double a = std::strtod(shown.c_str(), &end), b = std::strtod(printed.c_str(), &other);
  if (*end != 0 || *other != 0) return shown == printed;
  return std::abs(a - b) <= 0.02 * std::abs(a);
}

// Whether the words follow on one another somewhere in what was printed, /tmp/cases standing for the folder.
bool are_printed(const std::vector<std::string>& words, std::string output, const std::string& folder) {
  for (std::size_t at; (at = output.find(folder)) != std::string::npos;)
    output.replace(at, folder.size(), "/tmp/cases");
  std::istringstream in(output);
  const std::vector<std::string> printed{std::istream_iterator<std::string>(in), {}};
  return !words.empty() &&
         std::search(printed.begin(), printed.end(), words.begin(), words.end(),
                     [](const std::string& a, const std::string& b) { return same(b, a); }) != printed.end();
}

TEST(AttentionLibrary, TheWorkedExample) {
  const std::string folder = fresh_folder("worked").string();
  const auto judged = [&](const char* file) {
    fresh_folder("worked");
    return run_attncert("judge --library '" + std::string(file) + "' '" + folder + "'");
  };
  const Ran right = judged(ATTNCERT_C_ATTENTION);
  EXPECT_EQ(right.status, 0);
  EXPECT_TRUE(are_printed(words_behind("holds"), right.output, folder)) << right.output;
  const Ran wrong = judged(ATTNCERT_TOP_LEFT);
  EXPECT_EQ(wrong.status, 1);
  for (const char* block : {"differs", "summary"})
    EXPECT_TRUE(are_printed(words_behind(block), wrong.output, folder)) << block << "\n" << wrong.output;
}

TEST(AttentionLibrary, ConductIsFound) {
  auto odd = found_by(run_attncert(library(ATTNCERT_ODD_KERNELS, "odd", "--time-limit 10")));
  const int cases = odd.at("well").verdicts.at("holds");
  EXPECT_GE(cases, 40);
  EXPECT_EQ(odd.at("well").verdicts, (Verdicts{{"holds", cases}}));
  EXPECT_EQ(odd.at("leaves_the_last_value").verdicts, (Verdicts{{"differs", cases}}));
  EXPECT_EQ(odd.at("writes_one_value_more").verdicts, (Verdicts{{"failed", cases}}));
  EXPECT_EQ(odd.at("scales_q").verdicts, (Verdicts{{"failed", cases}}));
  EXPECT_NE(odd.at("scales_q").why.at("failed").find("signal 11"), std::string::npos);
  EXPECT_GE(odd.at("needs_lse").verdicts.at("failed"), cases / 2);
  EXPECT_NE(odd.at("needs_lse").why.at("failed").find("without lse"), std::string::npos);
  EXPECT_GE(odd.at("wrong_without_lse").verdicts.at("differs"), cases / 2);
  EXPECT_GE(odd.at("leaves_rows_of_nan").verdicts.at("failed"), 2);
  EXPECT_NE(odd.at("leaves_rows_of_nan").why.at("failed").find("leaves an entry of o unwritten"), std::string::npos);
  EXPECT_GE(odd.at("reads_one_key_more").verdicts.at("failed"), cases / 2);
  EXPECT_EQ(odd.at("varies").verdicts, (Verdicts{{"failed", cases}}));
  EXPECT_NE(odd.at("varies").why.at("failed").find("two calls"), std::string::npos);
  EXPECT_EQ(odd.at("varies_and_says_so").verdicts, (Verdicts{{"holds", cases}}));

  // Each is right in every call that is looked at alone.
  for (const auto& [kernel, word] :
       {std::pair("remembers_values", "earlier calls"), std::pair("shares_its_scratch", "threads"),
        std::pair("leaves_rounding_upward", "floating-point environment"),
        std::pair("takes_random_numbers", "rand's next number"), std::pair("moves", "working directory"),
        std::pair("prints", "bytes on standard output or error: a warning")}) {
    EXPECT_EQ(odd.at(kernel).verdicts.count("differs"), 0) << kernel;
    EXPECT_GE(odd.at(kernel).verdicts.at("failed"), kernel == std::string("moves") ? 1 : cases / 2) << kernel;
    EXPECT_NE(odd.at(kernel).why.at("failed").find(word), std::string::npos) << odd.at(kernel).why.at("failed");
  }
  // What grows is looked for in the first case.
  for (const auto& [kernel, word] :
       {std::pair("keeps_memory", "bytes allocated over"), std::pair("keeps_descriptors", "file descriptors over")}) {
    if (external::address_sanitized && kernel == std::string("keeps_memory")) continue;
    EXPECT_EQ(odd.at(kernel).verdicts, (Verdicts{{"holds", cases - 1}, {"failed", 1}})) << kernel;
    EXPECT_NE(odd.at(kernel).why.at("failed").find(word), std::string::npos) << odd.at(kernel).why.at("failed");
  }
  // The lines say which call it was.
  EXPECT_EQ(odd.at("aborts_beside_others").verdicts, (Verdicts{{"failed", cases}}));
  EXPECT_NE(odd.at("aborts_beside_others").why.at("failed").find("several threads"), std::string::npos);
  EXPECT_EQ(odd.at("remembers_lengths").verdicts.count("differs"), 0);
  EXPECT_GE(odd.at("remembers_lengths").verdicts.at("failed"), 5);
  EXPECT_NE(odd.at("remembers_lengths").why.at("failed").find("same buffers"), std::string::npos);
  // Outputs of a kernel that misbehaves are judged too.
  EXPECT_EQ(odd.at("varies_and_is_wrong").verdicts, (Verdicts{{"differs", cases}}));
  // What a kernel is beside being right is told.
  for (const auto& [kernel, lacking, least] :
       {std::tuple("minds_queries", "not batch-invariant", cases / 2),
        std::tuple("minds_batches", "not batch-invariant", 2), std::tuple("minds_padding", "not split-independent", 5),
        std::tuple("varies_and_says_so", "not deterministic", cases)}) {
    EXPECT_EQ(odd.at(kernel).verdicts.size(), 1) << kernel;
    EXPECT_EQ(odd.at(kernel).verdicts.count("holds"), 1) << kernel;
    EXPECT_EQ(odd.at(kernel).lacking.size(), 1) << kernel;
    EXPECT_GE(odd.at(kernel).lacking[lacking], least) << kernel;
  }
  for (const char* kernel : {"well", "well_with_lengths", "fills_empty_rows"})
    EXPECT_TRUE(odd.at(kernel).lacking.empty()) << kernel;
  EXPECT_EQ(odd.at("shares_and_says_so").verdicts, (Verdicts{{"holds", cases}}));

  // No bound shows that removed keys are read.
  EXPECT_EQ(odd.at("well_with_lengths").verdicts.size(), 1);
  EXPECT_GE(odd.at("minds_removed_keys").verdicts.at("failed"), 2);
  EXPECT_EQ(odd.at("minds_removed_keys").verdicts.count("differs"), 0);
  EXPECT_NE(odd.at("minds_removed_keys").why.at("failed").find("that no row keeps"), std::string::npos);

  EXPECT_EQ(odd.at("multiplies_removed_values").verdicts.size(), 1);
  EXPECT_GE(odd.at("multiplies_removed_nan").verdicts.at("failed"), 2);
  EXPECT_NE(odd.at("multiplies_removed_nan").why.at("failed").find("that no row keeps"), std::string::npos);
  EXPECT_GE(odd.at("varies_and_multiplies_removed_nan").verdicts.at("differs"), 4);  // 3 of them in their first call

  // So is what becomes of NaN, where a kernel says that it propagates.
  EXPECT_EQ(odd.at("propagates_nan").verdicts, (Verdicts{{"holds", cases + 5}}));
  EXPECT_EQ(odd.at("loses_nan").verdicts, (Verdicts{{"holds", cases + 2}, {"differs", 3}}));

  // Rows without a key may hold a mean of all values, of removed ones as well.
  EXPECT_EQ(odd.at("fills_empty_rows").verdicts.size(), 1);
  EXPECT_GE(odd.at("fills_empty_rows").verdicts.at("holds"), 40);

  // To decline is no failure, unless something was written.
  EXPECT_GE(odd.at("declines").verdicts.at("refused"), 10);
  EXPECT_EQ(odd.at("declines").verdicts.count("failed"), 0);
  EXPECT_NE(odd.at("declines_late").why.at("failed").find("did not return"), std::string::npos);

  // One bad case is one finding, and the others are judged.
  for (const char* kernel : {"hangs_at_4096_keys", "aborts_at_4096_keys"}) {
    EXPECT_EQ(odd.at(kernel).verdicts.at("failed"), 1) << kernel;
    EXPECT_EQ(odd.at(kernel).verdicts.size(), 2) << kernel;
  }
  EXPECT_EQ(odd.at("hangs_at_4096_keys").why.at("failed"), "took longer than 10 seconds: in the first call");
  EXPECT_NE(odd.at("aborts_at_4096_keys").why.at("failed").find("signal 6"), std::string::npos);
  EXPECT_NE(odd.at("aborts_at_4096_keys").why.at("failed").find("in the first call: too many keys"), std::string::npos)
      << odd.at("aborts_at_4096_keys").why.at("failed");
}

TEST(SlowAttentionLibrary, ArgumentsThatAreTakenForGrantedAreFound) {
  auto kernels = found_by(run_attncert(library(ATTNCERT_ODD_ARGUMENTS, "odd-arguments")));
  EXPECT_EQ(kernels.at("ignores_options").undeclared, (Verdicts{{"differs", 8}, {"holds", 4}}));
  EXPECT_EQ(kernels.at("declines_options").undeclared, (Verdicts{{"refused", 8}, {"holds", 4}}));
  EXPECT_EQ(kernels.at("well").undeclared,
            (Verdicts{{"holds", 3}}));  // softcap, value-size and a negative scale, which it serves
  EXPECT_EQ(kernels.at("takes_its_pivot_unscaled").undeclared,
            (Verdicts{{"holds", 11}, {"differs", 1}}));  // a negative scale
  for (const char* const kernel : {"ignores_options", "declines_options", "takes_its_pivot_unscaled"})
    kernels.erase(kernel);
  for (auto& [kernel, found] : kernels) {
    const bool by_rows = kernel.ends_with("_by_rows");  // heads are apart in every second case,
    if (by_rows) found.verdicts.erase("failed");        // and what is written there may be outside
    EXPECT_EQ(found.verdicts.contains("differs"), kernel != "well") << kernel;
    EXPECT_EQ(found.verdicts.size(), kernel == "well" ? 1 : 2) << kernel;  // else all the others hold
    EXPECT_GE(found.verdicts.at("holds"), by_rows ? 25 : 50) << kernel;
  }
}

TEST(AttentionLibrary, ConductOfTheBackwardPassIsFound) {
  const auto odd = found_by(run_attncert(library(ATTNCERT_ODD_BACKWARD, "odd-backward")));
  const int cases = odd.at("well_back").verdicts.at("holds");
  EXPECT_GE(cases, 40);
  const auto every_backward = [&](const char* verdict) {  // the case with most keys has none
    return Verdicts{{verdict, cases - 1}, {"holds", 1}};
  };
  EXPECT_EQ(odd.at("well_back").verdicts, (Verdicts{{"holds", cases}}));
  EXPECT_EQ(odd.at("adds_to_what_is_there").verdicts, every_backward("differs"));
  EXPECT_EQ(odd.at("writes_into_o").verdicts, every_backward("failed"));
  EXPECT_NE(odd.at("writes_into_o").why.at("failed").find("signal 11"), std::string::npos);
  EXPECT_EQ(odd.at("writes_one_key_more").verdicts, every_backward("failed"));
  EXPECT_NE(odd.at("writes_one_key_more").why.at("failed").find("dv"), std::string::npos);
  EXPECT_EQ(odd.at("varies_back").verdicts, every_backward("failed"));
  EXPECT_NE(odd.at("varies_back").why.at("failed").find("two calls"), std::string::npos);
  EXPECT_EQ(odd.at("remembers_output_gradients").verdicts, every_backward("failed"));
  EXPECT_NE(odd.at("remembers_output_gradients").why.at("failed").find("same buffers"), std::string::npos);
  EXPECT_EQ(odd.at("varies_and_declines").verdicts, (Verdicts{{"failed", cases}}));
  EXPECT_GE(odd.at("remembers_and_declines").verdicts.at("failed"), cases - 1);  // a first value of 0 has no sign
  EXPECT_GE(odd.at("declines_back").verdicts.at("refused"), 10);
  EXPECT_EQ(odd.at("declines_back").verdicts.count("failed"), 0);
  EXPECT_NE(odd.at("declines_late_back").why.at("failed").find("did not return"), std::string::npos);
  // A backward pass that is declined says nothing of the forward one.
  EXPECT_GE(odd.at("wrong_and_declines").verdicts.at("differs"), 40);
  EXPECT_EQ(odd.at("right_and_declines").verdicts, every_backward("refused"));
  EXPECT_EQ(odd.at("well_with_lengths").verdicts.size(), 1);
  EXPECT_EQ(odd.at("leaves_empty_rows").verdicts.at("differs"), 1);
  EXPECT_GE(odd.at("minds_removed_keys_back").verdicts.at("failed"), 2);
  EXPECT_EQ(odd.at("minds_removed_keys_back").verdicts.count("differs"), 0);
  EXPECT_NE(odd.at("minds_removed_keys_back").why.at("failed").find("that no row keeps"), std::string::npos);
  EXPECT_EQ(odd.at("base_2").verdicts.size(), 1);
  EXPECT_GE(odd.at("base_2").verdicts.at("holds"), 40);
  EXPECT_GE(odd.at("natural_as_base_2").verdicts.at("differs"), 40);
  EXPECT_GE(odd.at("no_lse").verdicts.at("holds"), 40);
  EXPECT_EQ(odd.at("no_lse").verdicts.size(), 1);
  EXPECT_EQ(odd.at("of_an_older_header").verdicts.size(), 1);
  EXPECT_GE(odd.at("of_an_older_header").verdicts.at("holds"), 40);
}

// One line, before any case is made: what a descriptor misspells would not be tested.
TEST(AttentionLibrary, DescriptorsThatNoCaseSuitsAreRefused) {
  for (const auto& [file, why] :
       {std::pair(ATTNCERT_ODD_FEATURES, "kernel described names the feature \" window\", which is none of causal"),
        std::pair(ATTNCERT_ODD_CLASS, "kernel described declares the class \"f31\", which is none of f32"),
        std::pair(ATTNCERT_ODD_HEAD_SIZE, "kernel described has head_size 1025, and cases have at most 1024"),
        std::pair(ATTNCERT_ODD_KV_SCALES, "descriptor 0 has run_backward and the feature kv-scales")}) {
    const Ran ran = run_attncert(library(file, "descriptor"));
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.output, "");
    EXPECT_NE(ran.errors.find(why), std::string::npos) << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
  }
}

TEST(AttentionLibrary, WhatIsNoneIsRefused) {
  EXPECT_EQ(run_attncert(library("/nowhere.so", "none")).status, 2);
  const Ran rows = run_attncert(library(ATTNCERT_PLAIN_KERNEL, "none"));
  EXPECT_EQ(rows.status, 2);
  EXPECT_NE(rows.errors.find("has no function attncert_attention_kernels"), std::string::npos) << rows.errors;
  const Ran attention = run_attncert("fuzz softmax --library '" ATTNCERT_C_ATTENTION "'");
  EXPECT_EQ(attention.status, 2);
  EXPECT_NE(attention.errors.find("attncert judge FOLDER --library runs them"), std::string::npos) << attention.errors;
  EXPECT_EQ(run_attncert("judge --exec true --library x.so /tmp").status, 2);
}

}  // namespace
}  // namespace attncert
