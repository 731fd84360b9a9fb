// The search of a library's kernels as a user meets it: attncert accuracy, fuzz and replay with --library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string library = std::string(" --library ") + ATTNCERT_SEARCHED_KERNELS;

// The first line that has `words`, from there on.
std::string line_with(const std::string& output, const std::string& words) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(words); at != std::string::npos) return line.substr(at);
  return "";
}

TEST(LibrarySearch, EndsACampaignWithWhatItMissed) {
  const Ran ran = run_attncert("accuracy --effort quick --time-limit 0.3" + library);
  EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("search, guided by error, 1000 executions a kernel:\n"));
  EXPECT_THAT(ran.output, ContainsRegex("  crashes_at_a_tail +crashed: Segmentation fault; first run\n"));
  EXPECT_THAT(ran.output, ContainsRegex("  hangs_at_a_tail +hung: no answer within the time limit; first run\n"));
  EXPECT_THAT(ran.output, ContainsRegex("  right_softmax +nothing found; nearest "));
  EXPECT_THAT(ran.output, ContainsRegex("  [0-9.]+ s of [0-9.]+ s, [0-9]+%\n"));
  // The campaign itself saw none of it.
  EXPECT_THAT(ran.output, HasSubstr(" calls: no violation\n"));
  EXPECT_THAT(line_with(ran.output, "crashes_at_a_tail"), HasSubstr("default: kept"));
  // The line below a finding repeats it.
  const std::string found = ran.output.substr(ran.output.find("search, guided"));
  const std::string of_crash = found.substr(found.find("crashes_at_a_tail"));
  const Ran again = run_attncert(line_with(of_crash, "attncert replay ").substr(std::string("attncert ").size()));
  EXPECT_EQ(again.status, 1) << again.output << again.errors;
  EXPECT_THAT(again.output, HasSubstr("crashes_at_a_tail, L=29"));
  EXPECT_THAT(again.output, HasSubstr("violated: crashed: Segmentation fault"));
  EXPECT_THAT(again.output, Not(HasSubstr("right_softmax"))) << "the input is repeated on its own kernel";
  const std::string tape = line_with(line_with(of_crash, ":tape="), ":tape=");
  const Ran all = run_attncert("replay normalizer" + tape);
  EXPECT_THAT(all.output, ContainsRegex("right_softmax, L=29[^\n]*\n  fine\n"));
}

TEST(LibrarySearch, FuzzStoresWhatItFindsMinimised) {
  const fs::path out = fresh_folder("searched");
  const Ran ran = run_attncert("fuzz errs_near_a_temperature --time 120 --seed 1 --out " + out.string() + library);
  EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("errs_near_a_temperature, L="));
  ASSERT_FALSE(fs::is_empty(out / "findings"));
  EXPECT_TRUE(fs::is_empty(out / "artifacts"));
  EXPECT_FALSE(fs::is_empty(out / "corpus"));
  for (const auto& entry : fs::directory_iterator(out / "findings")) {
    if (entry.path().extension() == ".txt") {
      const std::string text = contents(entry.path());
      EXPECT_THAT(text, HasSubstr("--library"));
      EXPECT_THAT(line_with(text, "replayed"), HasSubstr("violated")) << text;
      continue;
    }
    EXPECT_LT(fs::file_size(entry.path()), 100u);
    const Ran again = run_attncert("replay " + entry.path().string() + library);
    EXPECT_EQ(again.status, 1) << again.output << again.errors;
    EXPECT_THAT(again.output, HasSubstr("violated: "));
  }
}

TEST(LibrarySearch, FuzzOfARightKernelFindsNothingAndGoesOnFromItsCorpus) {
  const fs::path out = fresh_folder("searched");
  const std::string command = "fuzz right_softmax --time 2 --jobs 2 --out " + out.string() + library;
  const Ran ran = run_attncert(command);
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("; nothing found\n"));
  EXPECT_FALSE(fs::is_empty(out / "corpus"));
  const Ran again = run_attncert(command + " --json");
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.output, contents(out / "ledger.json"));
  EXPECT_THAT(again.output, HasSubstr("\"verdict\": \"holds\""));
  EXPECT_THAT(again.errors, HasSubstr("; nothing found\n"));
}

// 9 ulp near one temperature are beyond the class that the kernel names, and within one of worse exponentials.
TEST(LibrarySearch, ABudgetOfItsOwnHoldsEveryKernel) {
  const fs::path out = fresh_folder("searched");
  const std::string looser = library + " --budget plain+exp=40";
  const std::string fuzz = "fuzz errs_near_a_temperature --seed 1 --time ";
  const Ran held = run_attncert(fuzz + "4 --out " + (out / "looser").string() + looser);
  EXPECT_EQ(held.status, 0) << held.output << held.errors;
  ASSERT_EQ(run_attncert(fuzz + "120 --out " + (out / "own").string() + library).status, 1);
  for (const auto& entry : fs::directory_iterator(out / "own" / "findings")) {
    if (entry.path().extension() == ".txt") continue;
    EXPECT_THAT(run_attncert("replay " + entry.path().string() + library).output, HasSubstr("violated: "));
    EXPECT_THAT(run_attncert("replay " + entry.path().string() + looser).output, Not(HasSubstr("violated: ")));
  }
  // Held to less than it errs by elsewhere, it is found there, and the account of the finding says under which class.
  const std::string stricter = library + " --budget plain+exp=0.5+exponent=1+compensated";
  ASSERT_EQ(run_attncert(fuzz + "120 --out " + (out / "stricter").string() + stricter).status, 1);
  std::string accounts;
  for (const auto& entry : fs::directory_iterator(out / "stricter" / "findings"))
    if (entry.path().extension() == ".txt") accounts += contents(entry.path());
  EXPECT_THAT(accounts, HasSubstr(" --budget plain+exp=0.5+exponent=1+compensated"));
  EXPECT_THAT(accounts, HasSubstr("ATTNCERT_FUZZ_BUDGET=plain+exp=0.5+exponent=1+compensated"));
}

TEST(LibrarySearch, WhatCannotBeUsedIsOneLineAndStatusTwo) {
  const std::string tape = "replay normalizer:tape=", of_f64 = "010000000000000000000000000001";
  for (const auto& [arguments, words] :
       {std::pair<std::string, const char*>{"fuzz sparsemax" + library, "neither a kernel of"},
        {"fuzz softmax --library no/such/library.so", "no such file"},
        {"fuzz softmax --library " ATTNCERT_SOURCE_DIR "/README.md", "name a shared library of kernels"},
        {tape + "01xy" + library, "hex digit"},
        {tape + of_f64 + library, "the input is for softmax of f64"},
        {"replay sparsemax_of_nobody:tape=01" + library, "no kernel named sparsemax_of_nobody"},
        {"fuzz right_softmax --budget plain+saved" + library, "\"saved\" says nothing of softmax"},
        {"fuzz right_softmax --budget plain", "--library"},
        {"replay normalizer:tape=01 --budget plainer" + library, "no class of budgets"},
        {"replay no/such/file" + library, "no/such/file"}}) {
    const Ran ran = run_attncert(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << ran.output << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr(words)) << arguments;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
  }
}

}  // namespace
}  // namespace attncert
