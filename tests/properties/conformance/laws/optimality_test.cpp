// The optimality check against the truths: rows rounded from the exact weights are optimal, rows that are wrong by
// twice the budget, in their support or in their sum are not.
#include "properties/conformance/laws/optimality.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/normalizers/entmax.hpp"
#include "reference/normalizers/entmax15.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/normalizers/sparsemax.hpp"
#include "reference/ulp.hpp"
#include "src/core/tape.hpp"

namespace attncert {
namespace {

using Kind = OptimalityVerdict::Kind;

const Normalizer* const sparse[] = {&reference::sparsemax_normalizer, &reference::entmax15_normalizer,
                                    &reference::entmax_normalizer};
constexpr Budget two_ulp{2, 2};

LogitRow draw(std::uint64_t n, std::size_t length) {
  const Tape tape = random_tape(20251021, "optimality", n, 8 * length + 64);
  Choices choices(tape);
  LogitRow row;
  constexpr double spreads[] = {1, 0.01, 8, 1e30};
  const double spread = choices.pick(spreads);
  for (std::size_t i = 0; i < length; ++i) {
    row.logits.push_back(static_cast<float>(spread * choices.unit()));
    if (choices.below(5) == 0) row.logits[i] = row.logits[choices.below(i + 1)];
    if (choices.below(20) == 0) row.logits[i] = -HUGE_VAL;
  }
  row.logits[0] = static_cast<float>(spread / 2);
  constexpr double temperatures[] = {1, 0.3, 7};
  row.temperature = choices.pick(temperatures);
  constexpr std::uint64_t alphas[][2] = {{5, 4}, {7, 4}, {3, 1}, {2, 1}, {3, 2}, {200, 100}};
  const auto& alpha = choices.pick(alphas);
  row.parameters.alpha_numerator = alpha[0];
  row.parameters.alpha_denominator = alpha[1];
  return row;
}

std::vector<double> exact_weights(const Normalizer& normalizer, const LogitRow& row, attncert_dtype type) {
  const auto truth = normalizer.truth(row);
  std::vector<double> weights(row.logits.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (row.present(i)) weights[i] = rounded(type, truth->value(i, {200}).midpoint());
  return weights;
}

double unit_of(double value, attncert_dtype type) {
  return std::ldexp(1.0, ulp_exponent(value, {format(type).digits, format(type).min_exponent}));
}

OptimalityVerdict check(const Normalizer& normalizer, const LogitRow& row, const std::vector<double>& computed,
                        attncert_dtype type, const Budget& budget) {
  return check_optimality(normalizer, row, computed, format(type), budget);
}

TEST(Optimality, RoundedExactWeightsAreOptimal) {
  for (std::uint64_t n = 0; n < 150; ++n)
    for (const Normalizer* normalizer : sparse)
      for (const attncert_dtype type : {ATTNCERT_F32, ATTNCERT_F64, ATTNCERT_BF16}) {
        const LogitRow row = draw(n, 1 + n % 40);
        // Midpoints at 200 bits may double-round: a hair above half an ulp.
        const Budget budget{0.5 + 0x1p-20, 0.5 + 0x1p-20};
        const auto verdict = check(*normalizer, row, exact_weights(*normalizer, row, type), type, budget);
        EXPECT_EQ(verdict.kind, Kind::optimal) << normalizer->name << " " << n << ": " << verdict.reason;
      }
}

TEST(Optimality, OneWeightOutsideItsBudgetIsFound) {
  std::size_t tried = 0;
  for (std::uint64_t n = 0; n < 150; ++n)
    for (const Normalizer* normalizer : sparse) {
      const LogitRow row = draw(n, 2 + n % 40);
      const attncert_dtype type = n % 2 == 0 ? ATTNCERT_F32 : ATTNCERT_F64;
      const auto weights = exact_weights(*normalizer, row, type);
      for (std::size_t i = 0; i < weights.size(); ++i)
        for (const double ulps : {-6.0, -4.0, 4.0, 6.0}) {
          auto wrong = weights;
          wrong[i] += ulps * unit_of(weights[i], type);
          if (weights[i] == 0 || wrong[i] <= 0) continue;
          ++tried;
          // The others are within half an ulp: all errors of the sum come from this one.
          EXPECT_EQ(check(*normalizer, row, wrong, type, two_ulp).kind, Kind::violated)
              << normalizer->name << " " << n << " " << i << " " << ulps;
        }
    }
  EXPECT_GT(tried, 1000u);
}

TEST(Optimality, AWrongSupportIsFound) {
  std::size_t tried = 0;
  for (std::uint64_t n = 0; n < 150; ++n)
    for (const Normalizer* normalizer : sparse) {
      const LogitRow row = draw(n, 2 + n % 40);
      const auto weights = exact_weights(*normalizer, row, ATTNCERT_F32);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        auto wrong = weights;
        wrong[i] = weights[i] > 0 ? 0 : 0x1p-149;
        ++tried;
        EXPECT_EQ(check(*normalizer, row, wrong, ATTNCERT_F32, two_ulp).kind, Kind::violated)
            << normalizer->name << " " << n << " " << i << " " << weights[i];
      }
    }
  EXPECT_GT(tried, 1000u);
}

TEST(Optimality, KnifeEdges) {
  const auto kind_of = [](const Normalizer& normalizer, const LogitRow& row, std::vector<double> computed) {
    return check(normalizer, row, computed, ATTNCERT_F64, two_ulp).kind;
  };
  // The second logit lies exactly at the threshold of the first: 0 is right, the smallest number is not.
  EXPECT_EQ(kind_of(*sparse[0], {{1, 0}, 1}, {1, 0}), Kind::optimal);
  EXPECT_EQ(kind_of(*sparse[0], {{1, 0}, 1}, {1, 0x1p-1074}), Kind::violated);
  EXPECT_EQ(kind_of(*sparse[1], {{2, 0}, 1}, {1, 0}), Kind::optimal);
  EXPECT_EQ(kind_of(*sparse[1], {{2, 0}, 1}, {1, 0x1p-1074}), Kind::violated);
  EXPECT_EQ(kind_of(*sparse[1], {{0, -1, -4}, 2.5}, {0.64, 0.36, 0}), Kind::optimal);
  EXPECT_EQ(kind_of(*sparse[1], {{0, -1, -4}, 2.5}, {0.64, 0.36, 0x1p-1074}), Kind::violated);
  // Proportional errors, which leave each ratio alone and only the sum wrong.
  EXPECT_EQ(kind_of(*sparse[0], {{0, 0, 0, 0}, 1}, {0.25, 0.25, 0.25, 0.25}), Kind::optimal);
  EXPECT_EQ(kind_of(*sparse[0], {{0, 0, 0, 0}, 1}, {0.26, 0.26, 0.26, 0.26}), Kind::violated);
  EXPECT_EQ(kind_of(*sparse[0], {{0, 0, 0, 0}, 1}, {0.24, 0.24, 0.24, 0.24}), Kind::violated);
  // A difference beyond the doubles.
  EXPECT_EQ(kind_of(*sparse[0], {{1e308, -1e308}, 0.5}, {1, 0}), Kind::optimal);
  EXPECT_EQ(kind_of(*sparse[0], {{1e308, -1e308}, 0.5}, {1, 0x1p-1074}), Kind::violated);
  // Not weights at all.
  EXPECT_EQ(kind_of(*sparse[0], {{1, 0}, 1}, {NAN, 0}), Kind::violated);
  EXPECT_EQ(kind_of(*sparse[0], {{1, 0}, 1}, {1, -0x1p-1074}), Kind::violated);
  EXPECT_EQ(kind_of(*sparse[0], {{1, 0}, 1}, {0, 0}), Kind::violated);
  EXPECT_EQ(kind_of(*sparse[0], {{1, -HUGE_VAL}, 1}, {1, 1}), Kind::violated);
  EXPECT_FALSE(has_optimality_conditions(reference::softmax_normalizer));
}

TEST(Optimality, LongRows) {
  for (const Normalizer* normalizer : sparse) {
    LogitRow row = draw(3, 30000);
    const auto weights = exact_weights(*normalizer, row, ATTNCERT_F32);
    EXPECT_EQ(check(*normalizer, row, weights, ATTNCERT_F32, two_ulp).kind, Kind::optimal) << normalizer->name;
  }
}

}  // namespace
}  // namespace attncert
