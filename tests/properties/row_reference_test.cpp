// Entry-by-entry enclosures agree with the whole-row enclosures of reference/normalizers on rows of every regime, are
// as narrow as asked, and obey identities that hold whatever the logits are.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/generators/logits.hpp"
#include "properties/generators/masks.hpp"
#include "properties/generators/temperatures.hpp"
#include "properties/row_reference.hpp"
#include "reference/normalizers/log_softmax.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

constexpr double infinity = HUGE_VAL;

LogitRow random_row(std::uint64_t n) {
  const Tape tape = random_tape(11, "row-reference", n, 96);
  Choices choices(tape);
  const LogitRecipe recipe = draw_logits(choices, 80);
  LogitRow row{expand<double>(recipe), draw_temperature(choices), {}};
  row.mask = draw_mask(choices, recipe.length).keep;
  return row;
}

// The reference takes finite logits only: -inf entries are masked instead, which is the same mathematics.
std::vector<std::uint8_t> present_mask(const RowReference& reference) {
  std::vector<std::uint8_t> mask(reference.row().logits.size());
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = reference.present(i) ? 1 : 0;
  return mask;
}

std::vector<double> finite_logits(const RowReference& reference) {
  std::vector<double> logits = reference.row().logits;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!reference.present(i)) logits[i] = 0;
  return logits;
}

TEST(RowReference, AgreesWithTheWholeRowEnclosures) {
  std::size_t ordinary = 0;
  for (std::uint64_t n = 0; n < 300; ++n) {
    const LogitRow row = random_row(n);
    if (kind(row) != RowKind::ordinary) continue;
    ++ordinary;
    RowReference mine(row);
    const auto mask = present_mask(mine);
    const auto logits = finite_logits(mine);
    for (const Precision p : {Precision{64}, Precision{128}}) {
      const auto softmax = reference::softmax(logits, row.temperature, p.doubled(), mask);
      const auto log_softmax = reference::log_softmax(logits, row.temperature, p.doubled(), mask);
      const auto sparsemax = reference::sparsemax(logits, row.temperature, mask);
      for (std::size_t i = 0; i < logits.size(); ++i) {
        if (!mine.present(i)) continue;
        ASSERT_EQ(overlaps(mine.softmax(i, p), softmax[i]), Truth::yes) << n << ' ' << i;
        ASSERT_EQ(overlaps(mine.log_softmax(i, p), log_softmax[i]), Truth::yes) << n << ' ' << i;
        ASSERT_TRUE(mine.sparsemax(i, p).contains(sparsemax.weights[i])) << n << ' ' << i;
        ASSERT_EQ(mine.sparsemax(i, p).upper() == 0, sparsemax.weights[i] == 0) << n << ' ' << i;
      }
    }
  }
  EXPECT_GE(ordinary, 150u);
}

// Relative width: t has one rounding of the difference and one of the quotient, 2^-(bits-2) of t in all, and exp turns
// an absolute width of t into a relative one; the sum and the quotient add some ten ulp.
TEST(RowReference, EnclosuresAreNarrow) {
  const LogitRow row{{0.5, -3.25, 17.125, 1e-3, 17.0, -40}, 0.7, {}};
  for (const int bits : {64, 128, 256}) {
    RowReference reference(row);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      EXPECT_LE(reference.softmax(i, {bits}).relative_width(), std::ldexp(1.0, 12 - bits)) << bits << ' ' << i;
      EXPECT_LE(reference.log_softmax(i, {bits}).relative_width(), std::ldexp(1.0, 12 - bits)) << bits << ' ' << i;
    }
  }
}

// e^-1000 is below everything the sum keeps: log-softmax of the largest entry is -e^-1000 to first order, of the least
// -1000; exp(-1000) has 434.29 decimal digits.
TEST(RowReference, FarTailsAreLumpedSoundly) {
  RowReference reference(LogitRow{{0, -1000, -infinity}, 1, {}});
  const Interval small = exp(-Interval(1000.0, Precision{128}));
  const Interval largest = reference.log_softmax(0, {128});
  EXPECT_EQ(overlaps(largest, -log1p(small)), Truth::yes);
  EXPECT_LE(largest.relative_width(), 0x1p-110);  // though the whole sum is far below 1's last digit
  EXPECT_EQ(overlaps(reference.softmax(1, {128}), small / (Interval(1.0, Precision{128}) + small)), Truth::yes);
  EXPECT_FALSE(reference.present(2));
}

// The third entry, 200 below the second, is lumped at 64 and 128 bits; the enclosures contain what 1024 bits say.
TEST(RowReference, LumpsAreRelativeToTheSecondEntry) {
  RowReference reference(LogitRow{{0, -60, -260, -261}, 1, {}});
  for (const int bits : {64, 128}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const Interval coarse = reference.log_softmax(i, {bits}), fine = reference.log_softmax(i, {1024});
      EXPECT_LE(coarse.relative_width(), std::ldexp(1.0, 16 - bits)) << bits << ' ' << i;
      EXPECT_TRUE(coarse.contains(fine.lower_exact()) && coarse.contains(fine.upper_exact())) << bits << ' ' << i;
    }
  }
}

// The sum of the enclosures contains 1 exactly where nothing is absent from it.
TEST(RowReference, LongPooledRowsSumToOne) {
  const auto logits = normal_logits<double>(3, 20000, 3, 4096);
  RowReference reference(LogitRow{logits, 0.7, {}});
  std::vector<Interval> weights;
  for (std::size_t i = 0; i < logits.size(); ++i) weights.push_back(reference.softmax(i, {96}));
  const Interval total = sum(weights, {96});
  EXPECT_TRUE(total.contains(Rational(1)));
  EXPECT_LE(total.width(), 1e-22);
}

TEST(RowReference, AbsentEntriesWidenNothing) {
  RowReference reference(LogitRow{{7, -infinity, 7, 3}, 1, {1, 1, 0, 0}});
  EXPECT_TRUE(reference.log_softmax(0, {64}).contains(Rational(0)));
  EXPECT_TRUE(reference.log_softmax(0, {64}).is_point());
  EXPECT_TRUE(reference.softmax(0, {64}).is_point());
}

TEST(RowReference, KindsOfRows) {
  const auto of = [](std::vector<double> logits, double t = 1, std::vector<std::uint8_t> mask = {}) {
    return kind(LogitRow{std::move(logits), t, std::move(mask)});
  };
  EXPECT_EQ(of({}), RowKind::empty);
  EXPECT_EQ(of({1, 2}), RowKind::ordinary);
  for (const double t : {0.0, -1.0, static_cast<double>(NAN), infinity}) EXPECT_EQ(of({1}, t), RowKind::bad_temperature);
  EXPECT_EQ(of({1, NAN, infinity}), RowKind::has_nan);
  EXPECT_EQ(of({1, NAN, infinity}, 1, {1, 0, 1}), RowKind::has_infinity);
  EXPECT_EQ(of({1, NAN, infinity}, 1, {1, 0, 0}), RowKind::ordinary);
  EXPECT_EQ(of({-infinity, 5}, 1, {1, 0}), RowKind::nothing_visible);
  EXPECT_EQ(of({-infinity, -infinity}), RowKind::nothing_visible);
}

TEST(RowReference, ScreensAreNearTheTruth) {
  const auto logits = normal_logits<double>(5, 500, 3);
  RowReference reference(LogitRow{logits, 2.0, {}});
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(reference.softmax_screen(i) / reference.softmax(i, {64}).midpoint(), 1, 1e-13);
    EXPECT_NEAR(reference.log_softmax_screen(i) / reference.log_softmax(i, {64}).midpoint(), 1, 1e-13);
    EXPECT_NEAR(reference.sparsemax_screen(i), reference.sparsemax(i, {64}).midpoint(), 1e-13);
  }
}

}  // namespace
}  // namespace attncert
