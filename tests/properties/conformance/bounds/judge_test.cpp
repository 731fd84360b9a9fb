// The kernels of src/bounds on every instruction set against the enclosures, and the judge itself on answers made by
// hand.
#include "properties/conformance/bounds/judge.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/bounds/judged_bounds.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

class BoundKernels : public testing::TestWithParam<std::string> {};

TEST_P(BoundKernels, KeepTheErrorsTheyState) {
  for (const std::uint64_t seed : {11u, 12u, 13u, 14u, 15u, 16u}) {
    AccuracyPlan plan;
    plan.seed = seed;
    plan.subjects = {GetParam()};
    plan.effort = Effort::quick;
    if (seed != 11) plan.isas = instruction_sets();  // a device takes longer than all of them
    for (const AccuracyRow& row : run_accuracy(judged_bounds(), plan)) {
      EXPECT_EQ(row.outside, 0u) << row.isa << " " << row.dtype << " " << row.worst_entry;
      EXPECT_EQ(row.undecided, 0u) << row.isa << " " << row.dtype;
      EXPECT_GE(row.elements, 40u);
      EXPECT_EQ(row.contract, "states its error");
    }
  }
}

std::string subject_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const BoundSubject* subject : bound_subjects()) names.emplace_back(subject->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EverySubject, BoundKernels, testing::ValuesIn(all_names()), subject_name);

// A subject of one output whose exact value is 1/3, to show the judge answers made by hand.
std::vector<Enclosure> third(const BoundRow&, Precision precision) {
  Enclosure number, counted, infinite;
  number.output = "number";
  number.value = Interval(ratio(1, 3), precision);
  counted.output = "count";
  counted.kind = Enclosure::Kind::count;
  counted.certain = counted.possible = 3;
  infinite.output = "infinite";
  infinite.kind = Enclosure::Kind::plus_infinity;
  return {number, counted, infinite};
}
UsefulnessLimit limit(std::string_view, const BoundRow&) { return {1e-12, 0, 0}; }
const BoundSubject by_hand{"by-hand", "", 0, nullptr, third, limit, nullptr};

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// fl(1/3) = 1/3 - 2^-54 / 3: what its error has to be at least.
constexpr double rounding = 0x1p-54 / 3;

Judgement judged(std::vector<Reported> reported, bool ordinary = true) {
  BoundRow row;
  row.ordinary = ordinary;
  BoundAnswer answer{std::move(reported)};
  judge_bounds(by_hand, row, {&answer, 1});
  return answer.judgement;
}
std::vector<Reported> saying(double value, double error, std::size_t least = 3, std::size_t most = 3,
                             double limit = no_limit) {
  return {{"number", 0, false, value, error, 0, 0},
          {"count", 0, true, 0, 0, least, most},
          {"infinite", 0, false, limit, 0, 0, 0}};
}

TEST(BoundJudge, AsksWhetherTheErrorStatedHolds) {
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54)).outside, 0u);
  EXPECT_EQ(judged(saying(1.0 / 3, 1.001 * rounding)).outside, 0u);
  EXPECT_EQ(judged(saying(1.0 / 3, 0.999 * rounding)).outside, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, 0)).outside, 1u);
  EXPECT_EQ(judged(saying(0.34, 0.006)).outside, 1u);
  EXPECT_EQ(judged(saying(0.33, 0.003)).outside, 1u);
  EXPECT_NEAR(judged(saying(1.0 / 3, 2 * rounding)).worst_fraction, 0.5, 1e-9);
}

TEST(BoundJudge, RefusesWhatIsNoAnswer) {
  EXPECT_EQ(judged(saying(nan, no_limit)).outside, 1u);
  EXPECT_EQ(judged(saying(nan, nan)).outside, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, nan)).outside, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, -1)).outside, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, no_limit)).outside, 1u);
  EXPECT_EQ(judged({}).outside, 3u);  // nothing reported
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54, 3, 3, 1e308)).outside, 1u);
}

TEST(BoundJudge, CountsHaveToHoldTheExactOne) {
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54, 2, 4)).outside, 0u);
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54, 4, 5)).outside, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54, 0, 2)).outside, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54, 3, 2)).outside, 1u);
}

TEST(BoundJudge, AnErrorOfNoUseCountsOnOrdinaryRows) {
  EXPECT_EQ(judged(saying(1.0 / 3, 1e-13)).useless, 0u);
  EXPECT_EQ(judged(saying(1.0 / 3, 1e-11)).useless, 1u);
  EXPECT_EQ(judged(saying(1.0 / 3, 1e-11), false).useless, 0u);
  EXPECT_EQ(judged(saying(1.0 / 3, 0x1p-54, 0, 3)).useless, 1u);
}

}  // namespace
}  // namespace attncert
