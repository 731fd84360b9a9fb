// Entry-by-entry enclosures agree with the whole-row enclosures of reference/normalizers on rows of every regime, are
// as narrow as asked, and obey identities that hold whatever the logits are.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/conformance/rows/logits.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "reference/normalizers/log_softmax.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

constexpr double infinity = HUGE_VAL;

std::unique_ptr<RowTruth> softmax_of(const LogitRow& row) { return reference::softmax_normalizer.truth(row); }
std::unique_ptr<RowTruth> log_softmax_of(const LogitRow& row) { return reference::log_softmax_normalizer.truth(row); }
std::unique_ptr<RowTruth> sparsemax_of(const LogitRow& row) { return reference::sparsemax_normalizer.truth(row); }

LogitRow random_row(std::uint64_t n) {
  const Tape tape = random_tape(11, "row-reference", n, 96);
  Choices choices(tape);
  const LogitRecipe recipe = draw_logits(choices, 80);
  LogitRow row{expand<double>(recipe), draw_temperature(choices), {}};
  row.mask = draw_mask(choices, recipe.length).keep;
  return row;
}

// The whole-row reference takes finite logits only: -inf entries are masked instead, which is the same mathematics.
std::vector<std::uint8_t> present_mask(const LogitRow& row) {
  std::vector<std::uint8_t> mask(row.logits.size());
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = row.present(i) ? 1 : 0;
  return mask;
}

std::vector<double> finite_logits(const LogitRow& row) {
  std::vector<double> logits = row.logits;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!row.present(i)) logits[i] = 0;
  return logits;
}

TEST(RowTruth, AgreesWithTheWholeRowEnclosures) {
  std::size_t ordinary = 0;
  for (std::uint64_t n = 0; n < 300; ++n) {
    const LogitRow row = random_row(n);
    if (kind(row) != RowKind::ordinary) continue;
    ++ordinary;
    const auto my_softmax = softmax_of(row), my_log_softmax = log_softmax_of(row), my_sparsemax = sparsemax_of(row);
    const auto mask = present_mask(row);
    const auto logits = finite_logits(row);
    for (const Precision p : {Precision{64}, Precision{128}}) {
      const auto softmax = reference::softmax(logits, row.temperature, p.doubled(), mask);
      const auto log_softmax = reference::log_softmax(logits, row.temperature, p.doubled(), mask);
      const auto sparsemax = reference::sparsemax(logits, row.temperature, mask);
      for (std::size_t i = 0; i < logits.size(); ++i) {
        if (!row.present(i)) continue;
        ASSERT_EQ(overlaps(my_softmax->value(i, p), softmax[i]), Truth::yes) << n << ' ' << i;
        ASSERT_EQ(overlaps(my_log_softmax->value(i, p), log_softmax[i]), Truth::yes) << n << ' ' << i;
        ASSERT_TRUE(my_sparsemax->value(i, p).contains(sparsemax.weights[i])) << n << ' ' << i;
        ASSERT_EQ(my_sparsemax->value(i, p).upper() == 0, sparsemax.weights[i] == 0) << n << ' ' << i;
      }
    }
  }
  EXPECT_GE(ordinary, 150u);
}

// Relative width: t has one rounding of the difference and one of the quotient, 2^-(bits-2) of t in all, and exp turns
// an absolute width of t into a relative one; the sum and the quotient add some ten ulp.
TEST(RowTruth, EnclosuresAreNarrow) {
  const LogitRow row{{0.5, -3.25, 17.125, 1e-3, 17.0, -40}, 0.7, {}};
  for (const int bits : {64, 128, 256}) {
    const auto softmax = softmax_of(row), log_softmax = log_softmax_of(row);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      EXPECT_LE(softmax->value(i, {bits}).relative_width(), std::ldexp(1.0, 12 - bits)) << bits << ' ' << i;
      EXPECT_LE(log_softmax->value(i, {bits}).relative_width(), std::ldexp(1.0, 12 - bits)) << bits << ' ' << i;
    }
  }
}

// e^-1000 is below everything the sum keeps: log-softmax of the largest entry is -e^-1000 to first order, of the least
// -1000; exp(-1000) has 434.29 decimal digits.
TEST(RowTruth, FarTailsAreLumpedSoundly) {
  const LogitRow row{{0, -1000, -infinity}, 1, {}};
  const auto softmax = softmax_of(row), log_softmax = log_softmax_of(row);
  const Interval small = exp(-Interval(1000.0, Precision{128}));
  const Interval largest = log_softmax->value(0, {128});
  EXPECT_EQ(overlaps(largest, -log1p(small)), Truth::yes);
  EXPECT_LE(largest.relative_width(), 0x1p-110);  // though the whole sum is far below 1's last digit
  EXPECT_EQ(overlaps(softmax->value(1, {128}), small / (Interval(1.0, Precision{128}) + small)), Truth::yes);
  EXPECT_FALSE(row.present(2));
}

// The third entry, 200 below the second, is lumped at 64 and 128 bits; the enclosures contain what 1024 bits say.
TEST(RowTruth, LumpsAreRelativeToTheSecondEntry) {
  const auto log_softmax = log_softmax_of(LogitRow{{0, -60, -260, -261}, 1, {}});
  for (const int bits : {64, 128}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const Interval coarse = log_softmax->value(i, {bits}), fine = log_softmax->value(i, {1024});
      EXPECT_LE(coarse.relative_width(), std::ldexp(1.0, 16 - bits)) << bits << ' ' << i;
      EXPECT_TRUE(coarse.contains(fine.lower_exact()) && coarse.contains(fine.upper_exact())) << bits << ' ' << i;
    }
  }
}

// The sum of the enclosures contains 1 exactly where nothing is absent from it.
TEST(RowTruth, LongPooledRowsSumToOne) {
  const auto logits = normal_logits<double>(3, 20000, 3, 4096);
  const auto softmax = softmax_of(LogitRow{logits, 0.7, {}});
  std::vector<Interval> weights;
  for (std::size_t i = 0; i < logits.size(); ++i) weights.push_back(softmax->value(i, {96}));
  const Interval total = sum(weights, {96});
  EXPECT_TRUE(total.contains(Rational(1)));
  EXPECT_LE(total.width(), 1e-22);
}

TEST(RowTruth, AbsentEntriesWidenNothing) {
  const LogitRow row{{7, -infinity, 7, 3}, 1, {1, 1, 0, 0}};
  EXPECT_TRUE(log_softmax_of(row)->value(0, {64}).contains(Rational(0)));
  EXPECT_TRUE(log_softmax_of(row)->value(0, {64}).is_point());
  EXPECT_TRUE(softmax_of(row)->value(0, {64}).is_point());
}

TEST(RowTruth, KindsOfRows) {
  const auto of = [](std::vector<double> logits, double t = 1, std::vector<std::uint8_t> mask = {}) {
    return kind(LogitRow{std::move(logits), t, std::move(mask)});
  };
  EXPECT_EQ(of({}), RowKind::empty);
  EXPECT_EQ(of({1, 2}), RowKind::ordinary);
  for (const double t : {0.0, -1.0, static_cast<double>(NAN), infinity})
    EXPECT_EQ(of({1}, t), RowKind::bad_temperature);
  EXPECT_EQ(of({1, NAN, infinity}), RowKind::has_nan);
  EXPECT_EQ(of({1, NAN, infinity}, 1, {1, 0, 1}), RowKind::has_infinity);
  EXPECT_EQ(of({1, NAN, infinity}, 1, {1, 0, 0}), RowKind::ordinary);
  EXPECT_EQ(of({-infinity, 5}, 1, {1, 0}), RowKind::nothing_visible);
  EXPECT_EQ(of({-infinity, -infinity}), RowKind::nothing_visible);
}

TEST(RowTruth, ScreensAreNearTheTruth) {
  const auto logits = normal_logits<double>(5, 500, 3);
  const LogitRow row{logits, 2.0, {}};
  for (const auto& truth : {softmax_of(row), log_softmax_of(row)})
    for (std::size_t i = 0; i < logits.size(); ++i)
      EXPECT_NEAR(truth->screen(i) / truth->value(i, {64}).midpoint(), 1, 1e-13);
  const auto sparsemax = sparsemax_of(row);
  for (std::size_t i = 0; i < logits.size(); ++i)
    EXPECT_NEAR(sparsemax->screen(i), sparsemax->value(i, {64}).midpoint(), 1e-13);
}

}  // namespace
}  // namespace attncert
