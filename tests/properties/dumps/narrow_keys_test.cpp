// K and V narrower than q, of eight bits with scales, and windows of two sides: kernels of a library and dumps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "properties/dumps/cut_row.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "properties/dumps/rounding_named.hpp"
#include "src/files/safetensors_text.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {

using Verdicts = std::map<std::string, int>;

struct Found {
  Verdicts verdicts;
  std::set<std::string> explained_by, read_as;
};

std::map<std::string, Found> found_by(const Ran& ran) {
  std::map<std::string, Found> result;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    const std::filesystem::path file = json["file"].get<std::string>();
    if (file.filename().string().starts_with("undeclared-")) continue;  // they do not decline
    Found& found = result[file.parent_path().filename().string()];
    ++found.verdicts[json["verdict"].get<std::string>()];
    if (json.contains("explained_by"))
      for (const std::string name : json["explained_by"]) found.explained_by.insert(name);
    if (json.contains("read_as")) found.read_as.insert(json["read_as"].get<std::string>());
  }
  return result;
}

TEST(NarrowKeys, RightKernelsHoldAndWrongOnesDiffer) {
  const auto found = found_by(run_attncert("judge --json --library '" + std::string(ATTNCERT_NARROW_KEYS) + "' '" +
                                           fresh_folder("narrow-keys").string() + "'"));
  const int cases = found.at("e4m3_dequantized").verdicts.at("holds");
  EXPECT_GE(cases, 35);
  for (const char* const right : {"e4m3_dequantized", "e5m2_dequantized", "e4m3_scaled_sums", "e5m2_scaled_q",
                                  "e4m3_without_scales", "rounded_q_no_class"})
    EXPECT_EQ(found.at(right).verdicts, (Verdicts{{"holds", cases}})) << right;
  for (const char* const right : {"e4m3_in_bf16", "rounded_q"})  // scores of -20000 are off by 40: any
    EXPECT_EQ(found.at(right).verdicts, (Verdicts{{"holds", cases - 2}, {"undecided", 2}})) << right;
  EXPECT_EQ(found.at("window_after").verdicts.size(), 1);
  EXPECT_GT(found.at("window_after").verdicts.at("holds"), cases);
  // How often at least, of those cases that the mistake makes a difference in.
  for (const auto& [wrong, least] :
       {std::pair("e4m3_in_bf16_undeclared", 15), std::pair("forgets_k_scale", 25), std::pair("forgets_v_scale", cases),
        std::pair("next_heads_scales", 25), std::pair("reads_e4m3_as_e5m2", 25), std::pair("reads_e5m2_as_e4m3", 25),
        std::pair("rounded_q_undeclared", 10), std::pair("window_after_by_one", 4)}) {
    ASSERT_EQ(found.at(wrong).verdicts.count("differs"), 1) << wrong;
    EXPECT_GE(found.at(wrong).verdicts.at("differs"), least) << wrong;
  }
  const auto explained = [&](const char* kernel, const char* name) {
    return found.at(kernel).explained_by.contains(name);
  };
  EXPECT_TRUE(explained("forgets_k_scale", "k_scale is not read"));
  EXPECT_TRUE(explained("forgets_v_scale", "v_scale is not read"));
  EXPECT_TRUE(explained("reads_e5m2_as_e4m3", "k and v are read as the other type of eight bits"));
  EXPECT_TRUE(std::ranges::any_of(found.at("e4m3_dequantized").read_as, [](const std::string& text) {
    return text.find("; F32, k F8_E4M3, v F8_E4M3;") != std::string::npos &&
           text.find("; k_scale; v_scale") != std::string::npos;
  }));
}

// One query that looks at two keys with one value each: k = 2^-2 (1, 3), v = 3 (2, 448), o = sum p v.
std::map<std::string, TensorToWrite> small_dump() {
  const double p = 1 / (1 + std::exp(0.5)), o = 3 * (2 * p + 448 * (1 - p));
  return {{"q", {{1, 1, 1, 1}, {1}, "F32"}},
          {"k", {{1, 1, 2, 1}, {1, 3}, "F8_E4M3"}},
          {"v", {{1, 1, 2, 1}, {2, 448}, "F8_E4M3"}},
          {"k_scale", {{1}, {0.25}, "F32"}},
          {"v_scale", {{1}, {3}, "F32"}},
          {"o", {{1, 1, 1, 1}, {o}, "F32"}}};
}

Result<AttentionDump> opened(const std::map<std::string, TensorToWrite>& tensors, const std::string& rounding = "f32") {
  auto file = TensorFile::of_safetensors(safetensors_text(tensors, {{"class", rounding}, {"scale", "1"}}), "a dump");
  EXPECT_TRUE(file);
  return AttentionDump::open(std::move(*file), {});
}

TEST(NarrowKeys, ScalesAreAppliedToWhatIsStored) {
  const auto dump = opened(small_dump());
  ASSERT_TRUE(dump) << dump.error().message;
  const DumpVerdict verdict = judged(*dump, {0}, candidates(*dump), 1, {});
  EXPECT_TRUE(verdict.holds());
  for (const char* const scale : {"k_scale", "v_scale"}) {
    auto tensors = small_dump();
    tensors.erase(scale);
    const auto without = opened(tensors);
    ASSERT_TRUE(without);
    EXPECT_FALSE(judged(*without, {0}, candidates(*without), 1, {}).holds()) << scale;
  }
}

// A row of its own is what was stored, with its scales.
TEST(NarrowKeys, ARowCutOutIsJudgedTheSame) {
  const auto dump = opened(small_dump());
  ASSERT_TRUE(dump);
  const auto text = cut_row(*dump, {0, 0, 0});
  ASSERT_TRUE(text);
  auto file = TensorFile::of_safetensors(*text, "a row");
  ASSERT_TRUE(file);
  const auto cut = AttentionDump::open(std::move(*file), {});
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->dtype("k"), "F8_E4M3");
  const DumpVerdict whole = judged(*dump, {0}, candidates(*dump), 1, {}),
                    alone = judged(*cut, {0}, candidates(*cut), 1, {});
  EXPECT_TRUE(alone.holds());
  EXPECT_EQ(alone.worst.list().front().bound, whole.worst.list().front().bound);
}

TEST(NarrowKeys, BadOnesAreRefused) {
  for (const char* const features : {"backward --dtype-kv e5m2", "backward,kv-scales"}) {
    const Ran ran = run_attncert("cases --features " + std::string(features) + " " + fresh_folder("none").string());
    EXPECT_EQ(ran.status, 2) << features;
    EXPECT_NE(ran.errors.find("--features: backward passes"), std::string::npos) << ran.errors;
  }

  const auto refused = [](const char* name, TensorToWrite tensor, const std::string& expected,
                          const std::string& rounding = "f32") {
    auto tensors = small_dump();
    tensors[name] = std::move(tensor);
    const auto dump = opened(tensors, rounding);
    ASSERT_FALSE(dump) << name;
    EXPECT_NE(dump.error().message.find(std::string("tensor \"") + name + "\" " + expected), std::string::npos)
        << dump.error().message;
  };
  for (const double scale : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    refused("k_scale", {{1}, {scale}, "F32"}, "has ");
  refused("v_scale", {{2}, {1, 1}, "F32"}, "has 2 where 1 are due");
  refused("v_scale", {{1}, {3}, "F64"}, "is F64");
  refused("q", {{1, 1, 1, 1}, {1}, "F8_E4M3"}, "is F8_E4M3; only k and v");
  refused("v_scale", {{1}, {3}, "F32"}, "is there; class of16", "of16");
  refused("do", {{1, 1, 1, 1}, {3}, "F32"}, "is there, and none of");
  auto backward = small_dump();
  backward["do"] = backward["dq"] = {{1, 1, 1, 1}, {3}, "F32"};
  const auto scaled = opened(backward);
  ASSERT_FALSE(scaled);
  EXPECT_NE(scaled.error().message.find("is there with do"), std::string::npos) << scaled.error().message;
}

TEST(NarrowKeys, ClassesSayWhatIsRounded) {
  const reference::Rounding query = rounding_named("f32+q=f16")->operands;  // scaled by two roots of f32, and rounded
  EXPECT_NEAR(query.relative, 0x1p-10 + 0x1p-22 + 0x1p-23 + 0x1p-33, 0x1p-33);
  EXPECT_EQ(query.absolute, reference::f16_rounding.absolute);
  EXPECT_EQ(rounding_named("pbf16-block-64+q=bf16+kv=bf16")->scaled, reference::bf16_rounding);
  EXPECT_EQ(rounding_named("pbf16-block-64+q=bf16+kv=bf16")->block, 64);
  for (const char* const none : {"f32+", "f32+q=f8", "f32+kv=bf16+kv=f16", "sbf16-unfused+q=bf16", "+q=f16"})
    EXPECT_FALSE(rounding_named(none)) << none;
}

// q beyond the largest number of f16 is infinite in a kernel that rounds it: the class says nothing there.
TEST(NarrowKeys, NumbersBeyondTheFormatAreNotJudged) {
  auto tensors = small_dump();
  tensors["q"].numbers = {70000};
  for (const auto& [rounding, count] : {std::pair("f32+q=f16", 1U), std::pair("f32", 0U)}) {
    const auto dump = opened(tensors, rounding);
    ASSERT_TRUE(dump);
    EXPECT_EQ(judged(*dump, {0}, candidates(*dump), 1, {}).scores_overflow, count) << rounding;
  }
}

}  // namespace
}  // namespace attncert
