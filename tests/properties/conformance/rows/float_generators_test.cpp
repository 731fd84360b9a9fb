// Every regime, every special class and every kind of temperature and mask occurs, with enforced minima over random
// tapes; the empty tape is the simplest row; recipes expand alike for ever.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "properties/conformance/rows/logits.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "src/core/counter.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t row_tapes = 20'000;

template <class T>
class LogitsTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LogitsTest, Types);

template <class T>
void count_classes(const std::vector<T>& row, std::map<std::string, std::uint64_t>& seen) {
  using limits = std::numeric_limits<T>;
  std::set<std::string> here;
  std::set<T> distinct;
  for (const T value : row) {
    if (std::isnan(value)) here.insert("NaN");
    if (value == limits::infinity()) here.insert("+inf");
    if (value == -limits::infinity()) here.insert("-inf");
    if (value == 0) here.insert(std::signbit(value) ? "-0" : "+0");
    if (std::fpclassify(value) == FP_SUBNORMAL) here.insert(value < 0 ? "-subnormal" : "+subnormal");
    if (value == limits::max()) here.insert("largest");
    if (value == -limits::max()) here.insert("-largest");
    if (std::isfinite(value) && std::abs(value) > 1e20) here.insert("huge");
    if (value != 0 && std::abs(value) < T(1e-3) && std::abs(value) >= limits::min()) here.insert("tiny");
    if (std::isfinite(value) && !distinct.insert(value).second) here.insert("tie");
  }
  for (auto a = distinct.begin(); a != distinct.end() && std::next(a) != distinct.end(); ++a)
    if (std::nextafter(*a, limits::infinity()) == *std::next(a)) here.insert("neighbours");
  bool all_minus = true;
  for (const T value : row) all_minus = all_minus && value == -limits::infinity();
  if (all_minus) here.insert("all -inf");
  for (const std::string& label : here) ++seen[label];
}

TYPED_TEST(LogitsTest, EveryRegimeAndEveryClassOccurs) {
  std::map<std::string, std::uint64_t> seen;
  std::map<Regime, std::uint64_t> by_regime;
  std::map<SpecialKind, std::uint64_t> by_special_value;
  std::set<std::size_t> lengths;
  for (std::uint64_t n = 0; n < row_tapes; ++n) {
    const Tape tape = random_tape(7, "logits", n, 64);
    Choices choices(tape);
    const LogitRecipe recipe = draw_logits(choices, 300);
    ++by_regime[recipe.regime];
    for (const SpecialValue& special : recipe.special_values) ++by_special_value[special.kind];
    lengths.insert(recipe.length);
    const auto row = expand<TypeParam>(recipe);
    ASSERT_EQ(row.size(), recipe.length);
    count_classes(row, seen);
  }
  // A regime is one choice in ten: a twentieth of the tapes is half of what is expected, 20+ deviations below it.
  for (const Regime regime : regimes) EXPECT_GE(by_regime[regime], row_tapes / 20) << name(regime);
  EXPECT_EQ(by_special_value.size(), special_kind_count);
  for (const auto& [kind, count] : by_special_value) EXPECT_GE(count, row_tapes / 40) << static_cast<int>(kind);
  EXPECT_GE(lengths.size(), 250u);
  EXPECT_EQ(*lengths.begin(), 1u);
  EXPECT_EQ(*lengths.rbegin(), 300u);
  for (const char* label : {"NaN", "+inf", "-inf", "-0", "+0", "-subnormal", "+subnormal", "largest", "-largest",
                            "huge", "tiny", "tie", "neighbours", "all -inf"})
    EXPECT_GE(seen[label], row_tapes / 100) << label;  // at least one row in a hundred holds the class
}

TYPED_TEST(LogitsTest, RegimesAreWhatTheirNamesSay) {
  using limits = std::numeric_limits<TypeParam>;
  LogitRecipe recipe;
  recipe.length = 64;
  recipe.seed = 5;
  recipe.scale = 1;
  recipe.regime = Regime::subnormal;
  for (const TypeParam value : expand<TypeParam>(recipe)) EXPECT_LT(std::abs(value), limits::min());
  recipe.regime = Regime::ties;
  recipe.variant = 0;
  for (const TypeParam value : expand<TypeParam>(recipe)) EXPECT_EQ(value, expand<TypeParam>(recipe)[0]);
  recipe.variant = 1;
  const auto pairs = expand<TypeParam>(recipe);
  for (std::size_t i = 0; i < 64; i += 2) EXPECT_EQ(pairs[i], pairs[i + 1]);
  EXPECT_NE(pairs[0], pairs[2]);
  recipe.regime = Regime::masked;
  for (const std::uint32_t variant : {3u, 4u}) {
    recipe.variant = variant;
    std::size_t hidden = 0;
    for (const TypeParam value : expand<TypeParam>(recipe)) hidden += value == -limits::infinity();
    EXPECT_EQ(hidden, variant == 3 ? 63u : 64u);
  }
}

// With k = 1 (length 2) the support is {base} and the threshold is base - 1: the other entry lies within 2 ulp of it.
TYPED_TEST(LogitsTest, NearThresholdRowsStandAtTheThreshold) {
  bool below = false, at = false, above = false;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    LogitRecipe recipe;
    recipe.length = 2;
    recipe.regime = Regime::near_threshold;
    recipe.scale = 40;
    recipe.seed = seed;
    const auto row = expand<TypeParam>(recipe);
    const TypeParam threshold = row[0] - 1;
    below = below || row[1] == std::nextafter(threshold, -std::numeric_limits<TypeParam>::infinity());
    at = at || row[1] == threshold;
    above = above || row[1] == std::nextafter(threshold, std::numeric_limits<TypeParam>::infinity());
  }
  EXPECT_TRUE(below && at && above);
}

TYPED_TEST(LogitsTest, TheEmptyTapeIsOneZero) {
  Choices choices({});
  const auto row = expand<TypeParam>(draw_logits(choices, 1000));
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0], 0);
  EXPECT_FALSE(std::signbit(row[0]));
}

// Moments of N(0,1) from 2^16 draws: mean within 5/256, variance within 5 sqrt(2)/256, P(|x|>2) = 0.0455003 (tables)
// within 5 sqrt(.0455)/256; five standard deviations each.
TEST(Counter, NormalDeviatesHaveTheMomentsOfANormal) {
  double sum = 0, squares = 0, tail = 0;
  constexpr int n = 65536;
  for (int i = 0; i < n; ++i) {
    const double x = random_normal(3, static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
    tail += std::abs(x) > 2;
  }
  EXPECT_NEAR(sum / n, 0, 5.0 / 256);
  EXPECT_NEAR(squares / n, 1, 5 * 1.4143 / 256);
  EXPECT_NEAR(tail / n, 0.0455003, 5 * 0.2134 / 256);
}

TEST(Counter, APoolOnlyHoldsDrawsOfTheSameNormal) {
  const auto pool = normal_logits<double>(1, 64, 3);
  const auto row = normal_logits<double>(1, 1000, 3, 64);
  const std::set<double> known(pool.begin(), pool.end()), used(row.begin(), row.end());
  for (const double value : used) EXPECT_TRUE(known.contains(value));
  EXPECT_GE(used.size(), 60u);  // 1000 draws of 64: a value is missed with probability 1.4e-7
}

TEST(Temperatures, AllMagnitudesOccurAndInvalidOnesStayApart) {
  std::map<int, int> decades;
  std::set<double> seen;
  for (std::uint64_t n = 0; n < row_tapes; ++n) {
    const Tape tape = random_tape(7, "temperatures", n, 16);
    Choices choices(tape);
    const double t = draw_temperature(choices);
    ASSERT_TRUE(t >= 1e-30 && t <= 1e30) << t;
    ++decades[static_cast<int>(std::floor(std::log10(t)))];
    seen.insert(t);
  }
  for (int d = -30; d < 30; ++d) EXPECT_GE(decades[d], 50) << d;
  for (const double t : campaign_temperatures()) EXPECT_TRUE(seen.contains(t));
  EXPECT_TRUE(seen.contains(0x1p40) && seen.contains(0x1p-40));
  std::set<std::string> invalid;
  for (std::uint64_t n = 0; n < 500; ++n) {
    const Tape tape = random_tape(7, "invalid", n, 16);
    Choices choices(tape);
    const double t = draw_invalid_temperature(choices);
    EXPECT_FALSE(t > 0 && std::isfinite(t));
    invalid.insert(std::to_string(t));
  }
  EXPECT_GE(invalid.size(), 6u);  // 0 and -0 are told apart by to_string; the subnormal prints as -0
}

TEST(Masks, EveryKindOccursAndMasksWhatItSays) {
  std::map<MaskKind, int> kinds;
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const Tape tape = random_tape(7, "masks", n, 16);
    Choices choices(tape);
    const Mask mask = draw_mask(choices, 1 + n % 70);
    ++kinds[mask.kind];
    std::size_t kept = 0;
    for (const std::uint8_t byte : mask.keep) kept += byte;
    EXPECT_EQ(mask.keep.size(), mask.kind == MaskKind::none ? 0 : 1 + n % 70);
    EXPECT_TRUE(mask.kind != MaskKind::mask_all || kept == 0);
    EXPECT_TRUE(mask.kind != MaskKind::keep_one || kept == 1);
    EXPECT_TRUE(mask.kind != MaskKind::prefix || mask.keep.back() == 1);
    EXPECT_TRUE(mask.kind != MaskKind::suffix || mask.keep.front() == 1);
  }
  for (std::size_t k = 0; k < mask_kind_count; ++k) EXPECT_GE(kinds[static_cast<MaskKind>(k)], 100);
}

// A tape of version 1 replays for ever: these bytes spell this recipe by the format alone (docs/tape.md).
TEST(Recipe, BytesReadAsDocumented) {
  const Tape tape = {1, 2, 9, 5, 7, 3, 0x78, 0x56, 0x34, 0x12, 6, 4, 1, 9, 7, 1, 2, 3, 4, 5, 6, 7, 8};
  Choices choices(tape);
  const LogitRecipe r = draw_logits(choices, 300);
  EXPECT_EQ(text(r), "L=10 offsets scale=7 variant=3 seed=305419896 special[4]=1:0 special[9]=7:578437695752307201");
  EXPECT_EQ(choices.used(), tape.size());
}

}  // namespace
}  // namespace attncert
