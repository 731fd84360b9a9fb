// entmax-1.5 and alpha-entmax: Arb checks the optimality conditions, which characterise the weights (sum 1; one
// threshold t with p_i^(alpha - 1) + d_i = t on the support and d_i >= t off it), so no formula for t is shared with
// the truth.
#include "reference/normalizers/entmax.hpp"

#include <gtest/gtest.h>

#include "reference/normalizers/entmax15.hpp"
#include "reference/normalizers/sparsemax.hpp"
#include "tests/reference/truth_rows.hpp"

namespace attncert {
namespace {

struct Alpha {
  std::uint64_t p, q;
};
constexpr Alpha alphas[] = {{3, 2}, {2, 1},     {5, 4}, {7, 4},  {3, 1},
                            {4, 3}, {101, 100}, {7, 2}, {20, 1}, {1000001, 1000000}};

// The conditions to 200 bits; returns the size of the support.
std::size_t expect_optimal(const Normalizer& normalizer, const LogitRow& row, const Alpha& alpha) {
  const auto truth = normalizer.truth(row);
  const Rational above_one = Rational(alpha.p) / Rational(alpha.q) - 1;
  const std::vector<Real> x = scaled_logits(row);
  const std::size_t none = row.logits.size();
  std::size_t lead = none, support = 0;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i) && (lead == none || row.logits[i] > row.logits[lead])) lead = i;
  const Precision p{256};
  const Real threshold = pow(real_of(truth->value(lead, p)), Real(above_one));
  Real total;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.present(i)) continue;
    const Real depth = (x[lead] - x[i]) * Real(above_one);
    const Interval weight = truth->value(i, p);
    EXPECT_TRUE(is_sound(weight));
    total += real_of(weight);
    if (weight.is_point() && weight.upper() == 0) {
      EXPECT_FALSE(certainly_less(depth, threshold)) << i;
      continue;
    }
    ++support;
    EXPECT_EQ(less(Interval(0.0, p), weight), Truth::yes);
    EXPECT_LE(weight.relative_width(), 0x1p-220);
    const Real sum = pow(real_of(weight), Real(above_one)) + depth;
    EXPECT_TRUE(arb_overlaps(sum.get(), threshold.get())) << i;
    EXPECT_TRUE(certainly_less(abs(sum - threshold), threshold * Real(0x1p-200))) << i;
  }
  EXPECT_TRUE(certainly_less(abs(total - Real(1.0)), Real(0x1p-200)));
  return support;
}

TEST(Entmax, ThreeHalvesIsOptimal) {
  std::size_t several = 0;
  for (std::uint64_t n = 0; n < 1000 && !HasFailure(); ++n) {
    const Tape tape = random_tape(20251021, "entmax-1.5", n, 400);
    Choices choices(tape);
    const LogitRow row = truth_row(choices, n % 2 == 1);
    several += expect_optimal(reference::entmax15_normalizer, row, {3, 2}) > 1 ? 1 : 0;
    if (n % 2 == 0) judge_width(reference::entmax15_normalizer, row);
    EXPECT_FALSE(HasFailure()) << "row " << n;
  }
  EXPECT_GT(several, 300u);
}

TEST(Entmax, AnyAlphaIsOptimal) {
  std::size_t several = 0;
  for (std::uint64_t n = 0; n < 1000 && !HasFailure(); ++n) {
    const Tape tape = random_tape(20251021, "entmax", n, 400);
    Choices choices(tape);
    LogitRow row = truth_row(choices, n % 3 == 1);
    const Alpha alpha = alphas[n % std::size(alphas)];
    row.parameters.alpha_numerator = alpha.p * 6;
    row.parameters.alpha_denominator = alpha.q * 6;  // not in lowest terms
    several += expect_optimal(reference::entmax_normalizer, row, alpha) > 1 ? 1 : 0;
    EXPECT_FALSE(HasFailure()) << "row " << n << ", alpha " << alpha.p << "/" << alpha.q;
  }
  EXPECT_GT(several, 300u);
}

TEST(Entmax, AlphaTwoIsSparsemaxAndThreeHalvesTheClosedForm) {
  for (std::uint64_t n = 0; n < 300 && !HasFailure(); ++n) {
    const Tape tape = random_tape(20251021, "entmax-known", n, 400);
    Choices choices(tape);
    LogitRow row = truth_row(choices, n % 2 == 1);
    const auto closed = reference::entmax15_normalizer.truth(row);
    const auto half = reference::entmax_normalizer.truth(row);
    row.parameters.alpha_numerator = 4;
    const auto two = reference::entmax_normalizer.truth(row), projection = reference::sparsemax_normalizer.truth(row);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      if (!row.present(i)) continue;
      for (const Precision p : {Precision{64}, Precision{200}}) {
        EXPECT_EQ(overlaps(closed->value(i, p), half->value(i, p)), Truth::yes) << n;
        EXPECT_EQ(overlaps(two->value(i, p), projection->value(i, p)), Truth::yes) << n;
        EXPECT_EQ(closed->value(i, p).upper() == 0, half->value(i, p).upper() == 0) << n;
        EXPECT_EQ(two->value(i, p).upper() == 0, projection->value(i, p).upper() == 0) << n;
      }
      EXPECT_NEAR(half->screen(i), closed->value(i, {64}).midpoint(), 1e-12);
    }
  }
}

bool is_zero(const Normalizer& normalizer, const LogitRow& row, std::size_t i) {
  const Interval value = normalizer.truth(row)->value(i, {64});
  return value.is_point() && value.upper() == 0;
}

TEST(Entmax, Fixtures) {
  const Normalizer& half = reference::entmax15_normalizer;
  const Precision p{64};
  for (const Normalizer* n : {&half, &reference::entmax_normalizer}) {
    EXPECT_TRUE(n->truth({{2, 0}, 1})->value(0, p).contains(1));
    EXPECT_TRUE(is_zero(*n, {{2, 0}, 1}, 1));
    EXPECT_FALSE(is_zero(*n, {{2, 0x1p-50}, 1}, 1));
    EXPECT_TRUE(is_zero(*n, {{2, -0x1p-1074}, 1}, 1));
    EXPECT_TRUE(n->truth({{0, 0}, 1})->value(1, p).contains(ratio(1, 2)));
    // 3, 4, 5: the third logit lies exactly at the threshold of the first two.
    EXPECT_TRUE(is_zero(*n, {{0, -1, -4}, 2.5}, 2));
    EXPECT_FALSE(is_zero(*n, {{0, -1, -4 + 0x1p-50}, 2.5}, 2));
    EXPECT_TRUE(n->truth({{0, -1, -4}, 2.5})->value(0, p).contains(ratio(16, 25)));
    EXPECT_TRUE(n->truth({{0, -1, -4}, 2.5})->value(1, p).contains(ratio(9, 25)));
    EXPECT_LE(n->truth({{0, -1, -4 + 0x1p-50}, 2.5})->value(2, p).relative_width(), 0x1p-50);
  }
}

// Square roots: alpha = 3, T = 2, so d = -z and weights sqrt(t - d). Depths 0, 1/2 and 9/16: 3/4 + 1/4 = 1.
TEST(Entmax, ADepthEqualToTheThresholdIsOut) {
  LogitRow row{{0, -0.5, -0.5625}, 2};
  row.parameters = {.alpha_numerator = 3, .alpha_denominator = 1};
  EXPECT_TRUE(is_zero(reference::entmax_normalizer, row, 2));
  EXPECT_TRUE(reference::entmax_normalizer.truth(row)->value(0, {64}).contains(ratio(3, 4)));
  row.logits[2] = -0.5625 + 0x1p-53;
  EXPECT_FALSE(is_zero(reference::entmax_normalizer, row, 2));
  EXPECT_LE(reference::entmax_normalizer.truth(row)->value(2, {64}).relative_width(), 0x1p-50);
  // Cube roots of eighths, twice: 1/2 + 1/2.
  row = {{0, 0, -0.125}, 3};
  row.parameters = {.alpha_numerator = 4, .alpha_denominator = 1};
  EXPECT_TRUE(is_zero(reference::entmax_normalizer, row, 2));
  row.logits[2] = -0.125 + 0x1p-56;
  EXPECT_FALSE(is_zero(reference::entmax_normalizer, row, 2));
}

// Sparsemax's condition at the third logit: 1/2 + (1/2 - 2^-1000) < 1, which 512 bits do not tell from equality.
TEST(Entmax, ADepthNextToTheThresholdIsIn) {
  LogitRow row{{0, -0x1p-1000, -0.5}, 1};
  row.parameters = {.alpha_numerator = 2, .alpha_denominator = 1};
  EXPECT_TRUE(reference::entmax_normalizer.truth(row)->value(2, {64}).contains(power_of_two(-1000) / 3));
  EXPECT_FALSE(is_zero(reference::entmax_normalizer, row, 2));
}

TEST(Entmax, ExtremeAlphasAndTemperatures) {
  const Alpha extreme[] = {{1000000001, 1000000000}, {18446744073709551615ull, 18446744073709551614ull}, {40, 1}};
  for (const Alpha& alpha : extreme)
    for (const double temperature : {1e-300, 1.0, 1e300}) {
      LogitRow row{{1, 1 - 0x1p-53, 0.5, 1, -1e308, 1e-300}, temperature};
      row.parameters = {.alpha_numerator = alpha.p, .alpha_denominator = alpha.q};
      EXPECT_GE(expect_optimal(reference::entmax_normalizer, row, alpha), 2u) << alpha.p << " " << temperature;
      EXPECT_FALSE(std::isnan(reference::entmax_normalizer.truth(row)->screen(0)));
    }
}

// Heights below every exponent: what cannot be told stays an enclosure, and ties alone are told exactly.
TEST(Entmax, AlphasBeyondAllSense) {
  LogitRow row{{1, 1, 0}, 1};
  row.parameters = {.alpha_numerator = 18446744073709551615ull, .alpha_denominator = 1};
  const auto ties = reference::entmax_normalizer.truth(row);
  EXPECT_TRUE(same_ends(ties->value(0, {64}), Interval(0.5, {64})));
  EXPECT_TRUE(same_ends(ties->value(2, {64}), Interval(0.0, {64})));
}

TEST(Entmax, LongRowsStayNarrow) {
  const std::size_t length = 4096;
  const Tape tape = random_tape(20251021, "entmax-long", 0, 4 * length + 8);
  Choices choices(tape);
  LogitRow row;
  for (std::size_t i = 0; i < length; ++i) row.logits.push_back(choices.unit());
  for (const Alpha& alpha : {Alpha{5, 4}, Alpha{3, 2}, Alpha{3, 1}})
    for (const double temperature : {0.1, 1e4}) {
      row.temperature = temperature;
      row.parameters = {.alpha_numerator = alpha.p, .alpha_denominator = alpha.q};
      const Normalizer& closed = reference::entmax15_normalizer;
      for (const Normalizer* n : {&reference::entmax_normalizer, alpha.p == 3 && alpha.q == 2 ? &closed : nullptr}) {
        if (n == nullptr) continue;
        const auto truth = n->truth(row);
        Interval total(0.0, {128});
        for (std::size_t i = 0; i < length; ++i) total += truth->value(i, {128});
        EXPECT_TRUE(total.contains(1) && total.width() <= 0x1p-100) << total.text();
      }
    }
}

}  // namespace
}  // namespace attncert
