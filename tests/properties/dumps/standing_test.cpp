// Where a right kernel may give infinity, it is not judged; what NaN becomes is told, and where it is declared, judged.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/run.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

// One query on keys of 0, so that all scores are 0, and the output: the mean, or what takes its place.
WrittenDump equal_keys(std::size_t keys, float value, std::optional<float> in_place_of_the_mean) {
  WrittenDump dump;
  dump.tensors["q"] = {{1, 1, 1, 1}, {1}, {}, false};
  dump.tensors["k"] = {{1, 1, keys, 1}, std::vector<float>(keys, 0), {}, false};
  dump.tensors["v"] = {{1, 1, keys, 1}, std::vector<float>(keys, value), {}, false};
  dump.tensors["o"] = {{1, 1, 1, 1}, {in_place_of_the_mean.value_or(value)}, {}, false};
  dump.tensors["lse"] = {{1, 1, 1}, {static_cast<float>(std::log(static_cast<double>(keys)))}, {}, false};
  return dump;
}

Ran judged(const WrittenDump& dump, const std::string& more) {
  return run_attncert("judge --json " + more + " '" + dump.written("standing") + "'");
}

// The class's accumulator ends at 2^126 in f32 and at 2^15.9 = 61,147 in f16, whatever the mean of the values.
TEST(Standing, InfinityIsRightWhereSumsOfValuesMayOverflow) {
  struct Case {
    const char* rounding;
    std::size_t keys;
    float value;
    bool overflows;
  };
  for (const Case& c :
       {Case{"f32", 64, 3e38f, true}, Case{"f32-block-64", 64, 3e38f, true}, Case{"f32", 64, 1e36f, false},
        Case{"of16", 100, 1000, true}, Case{"of16", 61, 1000, false}, Case{"f32", 100, 1000, false}}) {
    const std::string named = "--class " + std::string(c.rounding);
    const Ran ran = judged(equal_keys(c.keys, c.value, INFINITY), named);
    SCOPED_TRACE(named + ran.output);
    EXPECT_EQ(ran.status, c.overflows ? 3 : 1);
    EXPECT_NE(ran.output.find(c.overflows ? "\"rows_sums_overflow\":1" : "\"rows_sums_overflow\":0"),
              std::string::npos);
    if (!c.overflows) {
      EXPECT_EQ(judged(equal_keys(c.keys, c.value, {}), named).status, 0);
    }
  }
}

// Keys and slopes too may leave a format that q, k or scores are rounded to.
TEST(Standing, NaNIsRightWhereKeysOrSlopesLeaveTheirFormat) {
  WrittenDump keys = equal_keys(2, 1, NAN);
  keys.tensors["k"].numbers = {1e5f, 0};
  keys.tensors["q"].numbers = {0.5f};
  keys.tensors.erase("lse");
  EXPECT_EQ(judged(keys, "--class f32+q=f16").status, 3);
  EXPECT_EQ(judged(keys, "--class f32").status, 1);
  WrittenDump slopes = equal_keys(2, 1, NAN);
  slopes.tensors["slopes"] = {{1}, {70'000}, {}, false};
  slopes.tensors.erase("lse");
  EXPECT_EQ(judged(slopes, "--class sf16-unfused").status, 3);
  EXPECT_EQ(judged(slopes, "--class pf16-unfused").status, 1);
}

// An LSE tells what outputs do not, of values that are alike: the softcap was not read.
TEST(Standing, AnLseThatAWiderClassAllowsIsExplained) {
  WrittenDump dump = equal_keys(2, 1, {});
  dump.tensors["q"].numbers = {1};
  dump.tensors["k"].numbers = {2, 1.875f};
  for (const char* name : {"q", "k", "v", "o"}) dump.tensors[name].half = true;
  dump.metadata["softcap"] = "20";
  const auto verdict = [&](double lse, const char* options) {
    dump.tensors["lse"].numbers = {static_cast<float>(lse)};
    return run_attncert("judge " + std::string(options) + " '" + dump.written("capped") + "'");
  };
  const double uncapped = std::log(std::exp(2.0) + std::exp(1.875));
  const double capped = std::log(std::exp(20 * std::tanh(0.1)) + std::exp(20 * std::tanh(0.09375)));
  const Ran hidden = verdict(uncapped, ""), named = verdict(uncapped, "--class pbf16");
  EXPECT_EQ(hidden.status, 3) << hidden.output;
  EXPECT_NE(hidden.output.find("within the narrowest if there is no softcap"), std::string::npos) << hidden.output;
  EXPECT_EQ(named.status, 1) << named.output;
  EXPECT_NE(named.output.find("there is no softcap"), std::string::npos) << named.output;
  EXPECT_EQ(verdict(capped, "").status, 0);
}

// Rounded to bf16, scores of 2^15 may be off by so much that the bound is infinite; of that nothing is a share.
TEST(Standing, ABoundThatAllowsAnythingHasNoParts) {
  WrittenDump dump = equal_keys(2, 1, {});
  dump.tensors["q"].numbers = {1};
  dump.tensors["k"].numbers = {32768, 32768};
  dump.tensors.erase("lse");
  const Ran ran = run_attncert("judge --class sbf16-unfused '" + dump.written("open") + "'");
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_NE(ran.output.find(" inf "), std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("nan"), std::string::npos) << ran.output;
}

// Two rows of three keys, and the third a hundred and more below the others in the first one.
struct Row {
  float query = 1, key = 0, value = 3;       // of the first row; of the first key, two channels alike
  float first = NAN, second = NAN, lse = 0;  // what the kernel makes of the first row
};

WrittenDump two_rows(const Row& row, std::size_t of_key = 0) {
  WrittenDump dump;
  std::vector<float> k{0, 0, -150}, v{3, 3, 3, 3, 3, 3};
  k[of_key] = of_key == 2 ? -150 : row.key;
  v[2 * of_key] = row.value;
  dump.tensors["q"] = {{1, 1, 2, 1}, {row.query, 1}, {}, false};
  dump.tensors["k"] = {{1, 1, 3, 1}, k, {}, false};
  dump.tensors["v"] = {{1, 1, 3, 2}, v, {}, false};
  dump.tensors["mask"] = {{1, 1, 2, 3}, {}, {1, 1, 1, 0, 1, 0}, false};  // the second row keeps the second key alone
  if (of_key == 1) dump.tensors["mask"].bytes = {1, 1, 1, 1, 0, 0};
  dump.tensors["o"] = {{1, 1, 2, 2}, {row.first, row.second, 3, 3}, {}, false};
  dump.tensors["lse"] = {{1, 1, 2}, {row.lse, 0}, {}, false};
  return dump;
}

void expect(const char* becomes, const WrittenDump& dump) {
  SCOPED_TRACE(becomes);
  const Ran told = judged(dump, "--scale 1"), held = judged(dump, "--scale 1 --not-finite propagates");
  const bool wrong = std::string(becomes) == "lost" || std::string(becomes) == "spread";
  EXPECT_EQ(told.status, 0) << told.output;
  EXPECT_EQ(held.status, wrong ? 1 : 0) << held.output;
  EXPECT_NE(told.output.find("\"not_finite\":{\"" + std::string(becomes) + "\":1}"), std::string::npos) << told.output;
}

TEST(Standing, ANaNScoreMakesTheRowNaN) {
  const float ln_2 = 0.6931472f;
  for (const Row& row : {Row{NAN}, Row{1, NAN}}) {
    Row made = row;
    made.first = made.second = made.lse = NAN;
    expect("propagated", two_rows(made));
    made.lse = INFINITY;
    expect("propagated", two_rows(made));
    made.lse = ln_2;
    expect("lost", two_rows(made));
    made.first = made.second = made.lse = 0;
    expect("lost", two_rows(made));
    made.first = made.lse = NAN;
    expect("lost", two_rows(made));
  }
  expect("open", two_rows({INFINITY, 0, 3, 0, 0, 0}));  // infinity times 0
}

TEST(Standing, ANaNValueMakesItsChannelNaNAndNoOther) {
  const float ln_2 = 0.6931472f;
  expect("propagated", two_rows({1, 0, NAN, NAN, 3, ln_2}));
  expect("propagated", two_rows({1, 0, INFINITY, INFINITY, 3, ln_2}));
  expect("lost", two_rows({1, 0, NAN, 3, 3, ln_2}));
  expect("spread", two_rows({1, 0, NAN, NAN, NAN, ln_2}));
  expect("spread", two_rows({1, 0, NAN, NAN, 3, NAN}));
  // A weight of e^-150 is 0 in f32: 0 times NaN, or nothing.
  expect("open", two_rows({1, 0, NAN, NAN, 3, ln_2}, 2));
  expect("open", two_rows({1, 0, NAN, 3, 3, ln_2}, 2));
}

}  // namespace
}  // namespace attncert
