// The truths that a device finds of rows, held to Interval at 256 bits entry by entry: each is within the error that
// docs/double-double.md, 8 states. That every device has the same bits: tests/device/judge_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "properties/conformance/double_double/device/device_judge.hpp"
#include "properties/conformance/double_double/truths.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/mixer.hpp"
#include "src/device/device.hpp"
#include "tests/properties/conformance/double_double/rows.hpp"

namespace attncert {
namespace {

using double_double::DeviceJudge;

struct AddedRow {
  LogitRow row;
  std::string name;
  const Subject* subject;
  std::size_t begin;
  double relative;
};

// The largest parts of the bounds that were reached: of ordinary entries, and of those below exp(-800).
struct ReachedOnDevice {
  double ordinary = 0, deep = 0;
  std::uint64_t entries = 0;
};

void check_added_row(const AddedRow& added, const double_double::DeviceTruths& truths, ReachedOnDevice& reached) {
  const auto exact = added.subject->truth(added.row);
  const Interval scale(0x1p512, test_precision);
  for (std::size_t i = 0; i < added.row.logits.size(); ++i) {
    const double high = truths.high[added.begin + i], low = truths.low[added.begin + i];
    if (!added.row.present(i)) {
      ASSERT_TRUE(std::isnan(high)) << i;
      continue;
    }
    ++reached.entries;
    ASSERT_LE(std::abs(low), std::abs(high) * 0x1p-53) << i;
    const Interval value = exact->value(i, test_precision) * scale;
    const double part = fraction_of_bound(interval_of(high, low), value, added.relative, DeviceJudge::absolute);
    ASSERT_LT(part, 1) << "entry " << i;
    const bool deep = less(value, Interval(0x1p20 * DeviceJudge::absolute, test_precision)) != Truth::no;
    double& most = deep ? reached.deep : reached.ordinary;
    most = std::max(most, part);
  }
}

TEST(DeviceJudge, TruthsAreWithinTheirErrors) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  DeviceJudge judge;
  std::vector<AddedRow> added;
  std::size_t length = 0, refused = 0;
  for (std::uint64_t n = 0; n < 96; ++n) {
    const TestRow drawn = test_row<float>(n, 700);
    LogitRow row = drawn.reference();
    const bool scaled = n % 4 == 3, and_zero = n % 4 == 1;
    row.parameters.scale = n % 8 == 3 ? -0.43 : 2.5;
    std::size_t present = 0;
    for (std::size_t i = 0; i < row.logits.size(); ++i) present += row.present(i);
    const double_double::Factor factor = scaled && present > 0
                                             ? double_double::scalable(row.parameters.scale, present, row.temperature)
                                             : double_double::inverse(row.temperature);
    if (!judge.add_row(row.logits, row.mask, factor, and_zero)) {
      ++refused;
      bool reason = kind(row) != RowKind::ordinary || !double_double::in_range(factor);
      for (const double z : row.logits) reason = reason || std::abs(z) > double_double::largest_logit;
      EXPECT_TRUE(reason) << "row " << n << " is refused without need";
      continue;
    }
    const Subject* subject = find_subject(scaled ? "ssmax" : and_zero ? "softmax1" : "softmax");
    added.push_back({row, std::to_string(n) + " " + text(drawn.recipe), subject, length, judge.relative()});
    length += row.logits.size();
  }
  const auto truths = judge.truths(**device);
  ASSERT_TRUE(truths) << truths.error().message;
  ASSERT_EQ(truths->high.size(), length);
  ReachedOnDevice reached;
  for (const AddedRow& row : added) {
    SCOPED_TRACE("row " + row.name + " " + std::string(row.subject->name));
    check_added_row(row, *truths, reached);
    ASSERT_FALSE(HasFatalFailure());
  }
  std::printf("%zu rows, %zu refused, %llu entries; part of the bound that was reached: %.3f, below exp(-800) %.3f\n",
              added.size(), refused, static_cast<unsigned long long>(reached.entries), reached.ordinary, reached.deep);
  EXPECT_GT(reached.entries, 2000u);
  EXPECT_GT(reached.ordinary, 0.02) << "a bound that is never come near is none";
}

// Of hundreds of tiles: beside what the processor's tier makes of it.
TEST(DeviceJudge, ALongRowIsThatOfTheProcessor) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  std::vector<double> logits;
  for (std::uint64_t n = 0; n < (1u << 17) + 3; ++n)
    logits.push_back(std::ldexp(static_cast<double>(mixed(n) >> 40), -20));  // to 16, of 24 digits
  DeviceJudge judge;
  ASSERT_TRUE(judge.add_row(logits, {}, {}));
  const auto found = judge.truths(**device);
  ASSERT_TRUE(found) << found.error().message;
  double_double::Exponentials exponentials;
  ASSERT_TRUE(exponentials.compute<double>(logits, {}, {}));
  const double_double::Truth truth = softmax_truth(exponentials);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto exact = multiply({truth.high[i], truth.low[i]}, truth.times);
    const double apart = std::abs((found->high[i] - exact.high) + (found->low[i] - exact.low));
    ASSERT_LE(apart, 2.01 * truth.relative * exact.high) << i;
  }
}

TEST(DeviceJudge, RefusesWhatHasNoProof) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  DeviceJudge judge;
  const std::vector<double> right{0, 1, -infinity};
  const std::vector<std::uint8_t> none(3, 0), first{1, 0, 0};
  EXPECT_FALSE(judge.add_row({}, {}, {}));
  EXPECT_FALSE(judge.add_row(right, none, {})) << "nothing present";
  for (const double wrong : {std::nan(""), infinity, 0x1p128, 0.1})
    EXPECT_FALSE(judge.add_row(std::vector<double>{0, wrong}, {}, {})) << wrong;
  EXPECT_FALSE(judge.add_row(right, {}, double_double::inverse(0x1p-1000)));
  EXPECT_EQ(judge.bytes(), 0u);
  EXPECT_TRUE(judge.add_row(right, {}, {}));
  EXPECT_TRUE(judge.add_row(std::vector<double>{0, std::nan(""), 0.1}, first, {})) << "masked ones may be anything";
}

}  // namespace
}  // namespace attncert
