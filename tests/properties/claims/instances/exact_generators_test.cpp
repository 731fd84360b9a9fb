// What the exact generators promise: norms that are equal exactly, screening that never loses the extreme pair, the
// simplest instance for an empty tape, and every regime within reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "properties/claims/instances/captured.hpp"
#include "properties/claims/instances/embeddings.hpp"
#include "properties/claims/instances/hypotheses.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

Tape tape_of(std::uint64_t number) { return random_tape(11, "exact generators", number, 768); }

// Two choices in one expression come in the order that the compiler likes: g++ the right one first, clang the left one.
TEST(Rationals, TheOrderOfChoicesIsOurs) {
  const Tape times{tape_version, 5, 4, 2, 3}, over{tape_version, 6, 4, 2, 3}, temperature{tape_version, 0, 6, 2};
  Choices first(times), second(over), third(temperature);
  EXPECT_EQ(any_rational(first), ratio(20000, 3));  // 10^4, then 3 below and 2 above
  EXPECT_EQ(any_rational(second), ratio(2, 30000));
  EXPECT_EQ(temperature_rational(third), ratio(3, 7));
}

TEST(Sphere, NormsAreExactlyEqualAndTokensDistinct) {
  std::size_t several = 0;
  for (std::uint64_t number = 0; number < 400; ++number) {
    const Tape tape = tape_of(number);
    Choices choices(tape);
    const auto tokens = generate_sphere(choices, 1 + number % 9, 1 + number % 5);
    ASSERT_GE(tokens->length(), 1u);
    EXPECT_GT(sgn(tokens->squared_norm(0)), 0);
    for (std::size_t i = 1; i < tokens->length(); ++i) {
      EXPECT_EQ(tokens->squared_norm(i), tokens->squared_norm(0));
      for (std::size_t j = 0; j < i; ++j) EXPECT_GT(sgn(tokens->squared_distance(i, j)), 0);
    }
    several += tokens->length() >= 3 ? 1 : 0;
    EXPECT_TRUE(tokens->on_a_sphere(tokens->length()));
  }
  EXPECT_GT(several, 100u);
}

TEST(Sphere, StereographicPointsHaveNormOne) {
  Rational square = 0;
  for (const Rational& x : stereographic({ratio(3, 7), ratio(-22, 5), 0})) square += x * x;
  EXPECT_EQ(square, 1);
}

TEST(Sphere, UnitTokensLieWithinTheStatedRounding) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    const Tape tape = tape_of(number);
    Choices choices(tape);
    std::vector<double> x(2 + number % 127);
    for (double& value : x)
      value = static_cast<float>((choices.unit() - 0.5) * std::ldexp(1.0, static_cast<int>(choices.below(20))));
    x[0] += 1e-3f;
    double rounding = 0;
    const std::vector<Rational> y = nearest_unit_vector(x, rounding);
    EXPECT_LT(rounding, 0x1p-30);
    Rational norm = 0, along = 0, length = 0;  // |y|^2, x . y, |x|^2, exactly
    for (std::size_t k = 0; k < x.size(); ++k) {
      norm += y[k] * y[k];
      along += y[k] * exact(x[k]);
      length += exact(x[k]) * exact(x[k]);
    }
    EXPECT_EQ(norm, 1);
    // |y - x/|x||^2 = 2 - 2 (x . y)/|x|, in intervals
    const Precision precision{256};
    const Interval distance = sqrt(
        max(Interval(2.0, precision) - Interval(Rational(2 * along), precision) / sqrt(Interval(length, precision)),
            Interval(0.0, precision)));
    EXPECT_LE(distance.upper(), rounding);
  }
}

TEST(TokenSet, ScreeningKeepsTheExtremePairs) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    const Tape tape = tape_of(number);
    Choices choices(tape);
    const std::size_t length = 2 + number % 7;
    const auto tokens = generate_tokens(choices, length, 1 + number % 4);
    Rational closest = tokens->squared_distance(0, 1), farthest = 0;
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t j = 0; j < i; ++j) closest = std::min(closest, tokens->squared_distance(i, j));
    std::vector<std::size_t> from, to;
    for (std::size_t i = 0; i < length; ++i) (i % 2 == 0 ? from : to).push_back(i);
    for (const std::size_t i : from)
      for (const std::size_t j : to) farthest = std::max(farthest, tokens->squared_distance(i, j));
    const auto among = [&](const auto& pairs, const Rational& wanted) {
      return std::any_of(pairs.begin(), pairs.end(),
                         [&](const auto& pair) { return tokens->squared_distance(pair.first, pair.second) == wanted; });
    };
    EXPECT_TRUE(among(tokens->closest_candidates(length), closest)) << number;
    EXPECT_TRUE(among(tokens->farthest_candidates(from, to), farthest)) << number;
  }
}

TEST(Weights, AreNonnegativeAndSumToOneExactly) {
  std::size_t zeros = 0, ties = 0;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const Tape tape = tape_of(number);
    Choices choices(tape);
    const std::vector<Rational> weights = generate_weights(choices, 1 + number % 11);
    Rational total = 0;
    std::set<Rational> different;
    for (const Rational& weight : weights) {
      EXPECT_GE(sgn(weight), 0);
      total += weight;
      different.insert(weight);
      zeros += sgn(weight) == 0 ? 1 : 0;
    }
    ties += different.size() < weights.size() ? 1 : 0;
    EXPECT_EQ(total, 1);
  }
  EXPECT_GT(zeros, 20u);
  EXPECT_GT(ties, 50u);
}

TEST(Instances, AnEmptyTapeIsTheSimplestInstance) {
  Choices a({}), b({}), c({}), d({});
  EXPECT_EQ(free_selection(a).length, 1u);
  EXPECT_EQ(spherical_selection(b).dimension(), 1u);
  const Instance row = logit_row(c);
  EXPECT_EQ(row.logits, std::vector<Rational>{0});
  EXPECT_EQ(*row.temperature, 1);
  EXPECT_EQ(separable_row(d).F, std::vector<Rational>{1});
}

TEST(Instances, TopSelectionPrefersTheLowestIndex) {
  Instance instance;
  instance.length = 4;
  instance.weights = {ratio(1, 4), ratio(1, 4), ratio(1, 4), ratio(1, 4)};
  EXPECT_TRUE(instance.select_top(2));
  EXPECT_EQ(instance.selected, (std::vector<std::size_t>{0, 1}));
  instance.weights = {ratio(1, 8), ratio(1, 2), ratio(1, 8), ratio(1, 4)};
  EXPECT_FALSE(instance.select_top(2));
  EXPECT_EQ(instance.selected, (std::vector<std::size_t>{1, 3}));
}

TEST(Instances, ExactFormReadsBack) {
  for (std::uint64_t number = 0; number < 50; ++number) {
    const Tape tape = tape_of(number);
    Choices choices(tape);
    const Instance before = number % 2 == 0 ? free_selection(choices) : logit_row(choices);
    const Instance after = from_exact(before.exact());
    EXPECT_EQ(after.size_text(), before.size_text());
    EXPECT_EQ(after.weights, before.weights);
    EXPECT_EQ(after.logits, before.logits);
    EXPECT_EQ(after.selected, before.selected);
  }
}

TEST(Instances, TemperaturesReachAllMagnitudes) {
  Rational smallest = 1, largest = 1;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const Tape tape = tape_of(number);
    Choices choices(tape);
    const Rational t = temperature_rational(choices);
    EXPECT_GT(sgn(t), 0);
    smallest = std::min(smallest, t);
    largest = std::max(largest, t);
  }
  EXPECT_LE(smallest, power_of_ten(-30));
  EXPECT_GE(largest, power_of_ten(30));
}

TEST(Captured, WeightsBecomeExactSharesAndLogitsExactNumbers) {
  auto tokens = std::make_shared<CapturedTokens>();
  tokens->length = 3;
  tokens->width = 2;
  tokens->values = {3, 4, 1, 0, -0.5f, 2};
  CapturedRow row{0, 1, 2, 2, {0.1f, -3.5f, 1e-20f}, {0.7f, 0.2f, 0.1f}, tokens};
  bool tie = true;
  const Instance instance = captured_selection(row, exact_tokens(*tokens, 3, TokenScale::raw).tokens, 1, tie);
  EXPECT_FALSE(tie);
  EXPECT_EQ(instance.weights[0] * (exact(0.7f) + exact(0.2f) + exact(0.1f)), exact(0.7f));
  EXPECT_EQ(hypotheses::weights_on_simplex.holds(instance), Truth::yes);
  EXPECT_EQ(hypotheses::on_a_sphere.holds(instance), Truth::no);
  EXPECT_EQ(captured_logits(row).logits[2], exact(1e-20f));
  const CapturedTokenSet unit = exact_tokens(*tokens, 3, TokenScale::unit);
  EXPECT_TRUE(unit.tokens->on_a_sphere(3));
  EXPECT_LT(unit.largest_rounding, 0x1p-30);
  EXPECT_EQ(planned_counts(1024), (std::vector<std::size_t>{1, 5, 128, 512}));
  EXPECT_EQ(planned_counts(8), (std::vector<std::size_t>{1, 4, 5}));
  EXPECT_EQ(planned_counts(1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(row_name(row), "real:w0:l1:h2:q2");
}

}  // namespace
}  // namespace attncert
