// The enclosures of the bounds at instances whose values are known exactly (docs/specification.md#fixtures),
// and against enumeration over all sets where the quantity is an expectation.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/bounds/distance.hpp"
#include "reference/bounds/finite_difference.hpp"
#include "reference/bounds/head_statistics.hpp"
#include "reference/bounds/operator_norm.hpp"
#include "reference/bounds/separability.hpp"
#include "reference/bounds/softmax_norms.hpp"

namespace attncert {
namespace {

constexpr Precision precision{192};

void expect_is(const Interval& value, const Rational& exact) {
  EXPECT_TRUE(value.contains(exact)) << value.text() << " should be " << exact.get_d();
  EXPECT_LE(value.width(), 1e-40 * (1 + std::abs(exact.get_d())));
}
void expect_square(const Interval& value, const Rational& exact) { expect_is(square(value), exact); }

reference::WeightedRow row(std::vector<double> weights, std::vector<double> tokens, std::size_t dimension,
                           bool divided = true) {
  return {{std::move(weights), std::move(tokens), dimension, divided}, precision};
}

TEST(DistanceTruth, TheSmallestCounterexample) {  // fixture 1: d-tilde 1/4, printed 1/8, without the square 1/4
  const auto truth = reference::distance_truth(row({3, 1}, {0.5, 0.5}, 1), 1);
  expect_is(truth.distance, ratio(1, 4));
  expect_is(truth.printed, ratio(1, 8));
  expect_is(truth.corrected, ratio(1, 4));
  expect_is(truth.selected_mass, ratio(3, 4));
  expect_is(truth.context, ratio(3, 8));
  expect_is(truth.diameter, 0);
  expect_is(truth.unselected, ratio(1, 8));
}

TEST(DistanceTruth, OppositeTokens) {  // fixture 2: d-tilde = 1 = the corrected bound
  const auto truth = reference::distance_truth(row({3, 1}, {1, -1}, 1), 1);
  expect_is(truth.distance, 1);
  expect_is(truth.corrected, 1);
  expect_is(truth.diameter, 2);
  expect_is(truth.largest_selected, 1);
}

TEST(DistanceTruth, EqualTokensAndWeights) {  // fixture 4: (L - N)(N - 1) / L at N >= 1
  for (std::size_t N = 1; N <= 5; ++N)
    expect_is(reference::distance_truth(row({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1), N).distance,
              ratio(static_cast<long>((5 - N) * (N - 1)), 5));
}

TEST(DistanceTruth, WeightsAsGivenMayHaveAnySign) {
  const auto truth = reference::distance_truth(row({2, -1}, {3, 1}, 1, false), 1);
  expect_is(truth.distance, 7);    // |-1 - 6|
  expect_is(truth.unselected, 1);  // |-1| 1
  expect_is(truth.selected_mass, 2);
  expect_is(truth.corrected, ratio(7, 1));  // (1 - 2) 2 + 3 (2 + 1)
}

TEST(DistanceTruth, ThePrintedExpectation) {  // fixture 3: E = 0, printed 1/4
  const auto truth = reference::distance_truth(row({1, 1}, {1, 1}, 1), 1);
  expect_is(truth.second_moment, 0);
  expect_is(*truth.printed_expectation, ratio(1, 4));
}

// E over all sets of N of the sum over the others of ||a_i x_i - s||^2, in rationals.
Rational enumerated(const std::vector<Rational>& a, const std::vector<Rational>& x, std::size_t d, int N) {
  const std::size_t length = a.size();
  Rational total = 0;
  unsigned long sets = 0;
  for (unsigned set = 0; set < 1u << length; ++set) {
    if (std::popcount(set) != N) continue;
    ++sets;
    for (std::size_t i = 0; i < length; ++i) {
      if ((set >> i & 1u) != 0) continue;
      for (std::size_t k = 0; k < d; ++k) {
        Rational entry = a[i] * x[i * d + k];
        for (std::size_t j = 0; j < length; ++j)
          if ((set >> j & 1u) != 0) entry -= a[j] * x[j * d + k];
        total += entry * entry;
      }
    }
  }
  return total / sets;
}

TEST(DistanceTruth, TheSecondMomentIsTheMeanOverAllSets) {
  const std::vector<double> weights{5, 1, 3, 0, 2}, tokens{1, -2, 0.5, 3, -1, 0.25, 7, 7, -4, 1};
  std::vector<Rational> a, x;
  for (const double weight : weights) a.emplace_back(exact(weight) / 11);
  for (const double entry : tokens) x.push_back(exact(entry));
  for (std::size_t N = 0; N <= 5; ++N)
    expect_is(reference::distance_truth(row(weights, tokens, 2), N).second_moment,
              enumerated(a, x, 2, static_cast<int>(N)));
}

TEST(WeightedRow, TiesGoToTheLowerIndexAndAreCounted) {
  const auto tied = row({1, 2, 2, 1, 2}, {1, 2, 3, 4, 5}, 1);
  EXPECT_EQ(tied.order(), (std::vector<std::size_t>{1, 2, 4, 0, 3}));
  EXPECT_EQ(tied.ties(), 3u);
}

// Fixture 5: the tetrahedron, M^2 = 3, delta^2 = 8, a = (8, 8, 8, 1)/25, N = 3.
TEST(SeparabilityTruth, Tetrahedron) {
  const auto tokens = row({8, 8, 8, 1}, {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}, 3);
  const auto truth = reference::separability_truth(tokens, 3);
  expect_square(*truth.r.number, Rational(243, 625));  // (9 sqrt 3 / 25)^2
  EXPECT_EQ(truth.separable.certain, 0u);
  EXPECT_EQ(truth.separable.possible, 0u);
  for (std::size_t k = 0; k < 3; ++k) {
    expect_is(truth.xi[0][k], ratio(16, 25));
    expect_square(truth.xi[1][k], Rational(128, 625));  // (8 sqrt 2 / 25)^2
    expect_is(truth.eta[k], ratio(16, 25));             // equiangular: delta = Delta
  }
  EXPECT_NEAR(truth.printed_lower[1].number->midpoint(), 0.274225261397576859793397311198, 1e-16);
  const auto spread = reference::token_spread(tokens);
  expect_square(spread.radius, 3);
  expect_square(spread.closest, 8);
  expect_square(spread.farthest, 8);
}

TEST(SeparabilityTruth, Kite) {  // fixture 6 scaled by 5: r = 3/25, f = 7/20, N_s = 0
  const auto truth = reference::separability_truth(row({7, 7, 6}, {3, 4, 3, -4, 5, 0}, 2), 2);
  expect_is(*truth.r.number, 5 * ratio(3, 25));
  EXPECT_EQ(truth.separable.possible, 0u);
}

TEST(SeparabilityTruth, OrthonormalTokensAndEqualWeightsAreTies) {  // f_i^2 = S_2 - a_i^2 < S_2 + a_j^2: N_s = N
  const auto truth = reference::separability_truth(row({1, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 3), 2);
  EXPECT_EQ(truth.separable.certain, 2u);
  EXPECT_EQ(truth.surely.certain, 2u);
  EXPECT_EQ(truth.possibly.certain, 2u);
}

TEST(SeparabilityTruth, TheUpperBoundIsBrokenByTheSmallestInstance) {  // fixture 2: r = 1, N_s = 1 > e^(-1/16)
  const auto truth = reference::separability_truth(row({3, 1}, {1, -1}, 1), 1);
  expect_is(*truth.r.number, 1);
  EXPECT_EQ(truth.separable.certain, 1u);
  EXPECT_NEAR(truth.printed_upper[0].number->midpoint(), 0.939413062813475786119710824622, 1e-16);
}

TEST(SeparabilityTruth, EverythingSelectedAndRadiusZero) {
  const auto all = reference::separability_truth(row({2, 1}, {1, 3}, 1), 2);
  EXPECT_EQ(all.r.kind, reference::Extended::Kind::plus_infinity);
  expect_is(*all.printed_lower[0].number, 1);
  expect_is(*all.printed_upper[0].number, 0);
  // x = (1, 1, 2), a = (1, 1, 1) / 3, N = 2: s = 2/3 = a_3 x_3, so r = 0, while xi_i = M / 3 > 0.
  const auto zero = reference::separability_truth(row({1, 1, 1}, {1, 1, 2}, 1), 2);
  expect_is(*zero.r.number, 0);
  EXPECT_EQ(zero.printed_lower[0].kind, reference::Extended::Kind::minus_infinity);
  expect_is(*zero.corrected_lower.number, 0);
}

TEST(SoftmaxNorms, AtUniformAndOneHotRows) {  // fixtures 7 and 12
  const std::vector<Rational> two(2, 1), five(5, Rational(1, 7)), one_hot{0, 3, 0};
  const auto pair = reference::softmax_norms(two, 1, precision);
  expect_is(pair.spectral, ratio(1, 2));
  expect_is(pair.frobenius, ratio(1, 2));
  expect_is(pair.entry, ratio(1, 4));
  expect_is(pair.row_sum, ratio(1, 2));
  const auto uniform = reference::softmax_norms(five, ratio(1, 2), precision);
  expect_is(uniform.spectral, ratio(2, 5));
  expect_square(uniform.frobenius, Rational(16, 25));  // (sqrt(L - 1) / (L T))^2
  expect_is(uniform.quarter, ratio(1, 2));
  const auto vertex = reference::softmax_norms(one_hot, 1, precision);
  for (const Interval* norm : {&vertex.spectral, &vertex.frobenius, &vertex.entry, &vertex.upper, &vertex.root_bound})
    expect_is(*norm, 0);
}

TEST(SeparableNorms, OfReluNormalized) {  // fixture 8: F = z at (1, 2, 3): sqrt(3) sqrt(14) / 36
  const std::vector<double> weights{1, 2, 3}, slopes{1, 1, 1};
  expect_square(reference::separable_norms(weights, slopes, precision).spectral, Rational(42, 36));
}

TEST(HeadTruth, UniformOneHotAndBetween) {
  const std::vector<Rational> uniform(4, 1), one_hot{0, 0, 9}, row{1, 5, 2};
  const auto flat = reference::head_truth(uniform, 3, precision);
  expect_is(flat.n_eff, 4);
  expect_is(flat.participation, 4);
  expect_is(flat.top_mass, ratio(3, 4));
  expect_is(flat.margin, 0);
  const auto vertex = reference::head_truth(one_hot, 1, precision);
  expect_is(vertex.entropy, 0);
  expect_is(vertex.sink, 0);
  EXPECT_EQ(vertex.support, 1u);
  const auto between = reference::head_truth(row, 2, precision);
  expect_is(between.top_mass, ratio(7, 8));
  expect_is(between.margin, ratio(3, 8));
  expect_is(between.sink, ratio(1, 8));
  expect_is(between.participation, Rational(64, 30));
  EXPECT_NEAR(between.entropy.midpoint(), -(std::log(1. / 8) / 8 + 5 * std::log(5. / 8) / 8 + std::log(2. / 8) / 4),
              1e-15);
}

TEST(DifferenceQuotient, OfTwoLogitsHasAClosedForm) {  // sqrt(2) |sigma(2 t) - 1/2| / eps at u = (1, -1) / sqrt 2
  const std::vector<double> logits{0, 0}, direction{3, -3};
  const double eps = 0.25, t = eps / std::sqrt(2.0);
  const Interval value = reference::difference_quotient(logits, direction, eps, 1, precision);
  EXPECT_NEAR(value.midpoint(), std::sqrt(2.0) * (1 / (1 + std::exp(-2 * t)) - 0.5) / eps, 1e-15);
  // As eps -> 0 it is the norm of the Jacobian, 1/2, less a term of order eps^2.
  EXPECT_NEAR(reference::difference_quotient(logits, direction, 1e-6, 1, precision).midpoint(), 0.5, 1e-12);
}

}  // namespace
}  // namespace attncert
