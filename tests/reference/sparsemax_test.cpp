// sparsemax: the optimality conditions of the projection in exact rationals (they characterise it), and fixtures of
// docs/specification.md#fixtures.
#include "reference/normalizers/sparsemax.hpp"

#include <gtest/gtest.h>

#include "tests/reference/random_row.hpp"

namespace attncert {
namespace {

// p >= 0, sum p = 1; p_i = z_i / T - tau where p_i > 0, z_i / T <= tau elsewhere: the one projection, no sorting
// involved.
void expect_projection(const std::vector<Rational>& logits, const Rational& temperature,
                       const std::vector<std::uint8_t>& mask, const reference::Sparsemax& result) {
  ASSERT_EQ(result.weights.size(), logits.size());
  Rational total;
  std::size_t support = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Rational& weight = result.weights[i];
    if (!mask.empty() && mask[i] == 0) {
      ASSERT_EQ(weight, 0);
      continue;
    }
    total += weight;
    ASSERT_GE(weight, 0);
    const Rational above = logits[i] / temperature - result.threshold;
    if (weight > 0) {
      ++support;
      ASSERT_EQ(weight, above);
    } else {
      ASSERT_LE(above, 0);
    }
  }
  ASSERT_EQ(total, 1);
  ASSERT_EQ(support, result.support);
}

std::vector<Rational> weights(const std::vector<Rational>& logits, const Rational& temperature = 1) {
  return reference::sparsemax(logits, temperature).weights;
}

TEST(Sparsemax, Fixtures) {
  EXPECT_EQ(weights({1, 0, 0}), (std::vector<Rational>{1, 0, 0}));
  EXPECT_EQ(weights({ratio(1, 2), 0, 0}), (std::vector<Rational>{ratio(2, 3), ratio(1, 6), ratio(1, 6)}));
  EXPECT_EQ(weights({1, 1, 0}), (std::vector<Rational>{ratio(1, 2), ratio(1, 2), 0}));
  EXPECT_EQ(weights({0}), (std::vector<Rational>{1}));
  EXPECT_EQ(weights({0, 0, 0, 0}), (std::vector<Rational>(4, ratio(1, 4))));
  EXPECT_EQ(weights({3, 0, 0}, 6), weights({ratio(1, 2), 0, 0}));
}

// One-hot iff the first leads by T or more: at the threshold itself the second is out of the support.
TEST(Sparsemax, AtTheThresholdALogitIsOut) {
  const Rational hair = power_of_two(-3000);
  EXPECT_EQ(reference::sparsemax(std::vector<Rational>{1, 0}, 1).support, 1u);
  EXPECT_EQ(reference::sparsemax(std::vector<Rational>{1, Rational(-hair)}, 1).support, 1u);
  const auto inside = reference::sparsemax(std::vector<Rational>{1, hair}, 1);
  EXPECT_EQ(inside.support, 2u);
  EXPECT_EQ(inside.weights[1], hair / 2);
  EXPECT_EQ(inside.threshold, hair / 2);
}

TEST(Sparsemax, OneHotOfEveryLength) {
  for (const std::size_t length : {2ul, 17ul, 4096ul}) {
    std::vector<double> logits(length, 0.0);
    logits[length / 2] = 1;
    const auto result = reference::sparsemax(logits, 1.0);
    EXPECT_EQ(result.support, 1u);
    EXPECT_EQ(result.weights[length / 2], 1);
  }
}

TEST(Sparsemax, IsTheProjection) {
  std::size_t several = 0;
  for (std::uint64_t n = 0; n < 1500; ++n) {
    const Tape tape = random_tape(20251021, "sparsemax", n, 300);
    Choices choices(tape);
    const RandomRow row = random_row(choices, n % 2 == 0);
    const auto logits = row.exact_logits();
    const auto result = reference::sparsemax(logits, exact(row.temperature), row.mask);
    expect_projection(logits, exact(row.temperature), row.mask, result);
    several += result.support > 1 ? 1 : 0;
    const auto of_doubles = reference::sparsemax(row.logits, row.temperature, row.mask);
    ASSERT_EQ(of_doubles.weights, result.weights);
    ASSERT_EQ(of_doubles.threshold, result.threshold);
    ASSERT_EQ(of_doubles.support, result.support);
  }
  EXPECT_GT(several, 300u) << "few supports of more than one";
}

TEST(Sparsemax, OfRationalsThatAreNoFloats) {
  for (std::uint64_t n = 0; n < 500; ++n) {
    const Tape tape = random_tape(20251021, "sparsemax-rational", n, 100);
    Choices choices(tape);
    std::vector<Rational> logits;
    for (std::uint64_t i = 0, length = 1 + choices.below(12); i < length; ++i)
      logits.push_back(ratio(static_cast<long>(choices.between(0, 60)) - 30, 1 + choices.below(30)));
    const Rational temperature = ratio(1 + static_cast<long>(choices.below(20)), 1 + choices.below(9));
    expect_projection(logits, temperature, {}, reference::sparsemax(logits, temperature));
  }
}

TEST(Sparsemax, LongRows) {
  const std::size_t length = 20'000;
  const Tape tape = random_tape(20251021, "sparsemax-long", 0, 4 * length + 8);
  Choices choices(tape);
  std::vector<double> logits;
  for (std::size_t i = 0; i < length; ++i) logits.push_back(choices.unit());
  std::vector<Rational> exact_logits;
  for (const double z : logits) exact_logits.push_back(exact(z));
  for (const double temperature : {0.01, 1e5}) {
    const auto result = reference::sparsemax(logits, temperature);
    expect_projection(exact_logits, exact(temperature), {}, result);
    EXPECT_GT(result.support, 1u);
  }
}

TEST(Sparsemax, EnclosuresContainTheWeights) {
  const std::vector<Rational> row{ratio(2, 3), ratio(1, 6), ratio(1, 6), 0};
  const auto enclosed = enclosures(row, {64});
  ASSERT_EQ(enclosed.size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_TRUE(enclosed[i].contains(row[i]));
    EXPECT_LE(enclosed[i].width(), 0x1p-63);
  }
  EXPECT_TRUE(enclosed[3].is_point());
}

}  // namespace
}  // namespace attncert
