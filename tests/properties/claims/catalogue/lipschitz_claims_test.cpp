// The Lipschitz constants of the normalizers (docs/specification.md#normalizers) against values computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/claims/catalogue/sides/entmax.hpp"
#include "reference/bounds/spectral_norm.hpp"
#include "tests/properties/claims/catalogue/lipschitz_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

TEST(LipschitzClaims, Sparsemax) {
  const char* id = "lipschitz-sparsemax";
  // Fixture 9: (1/2,0,0) -> (2/3,1/6,1/6), (0,0,0) -> 1/3 each: l_1 is (2/3)/(1/2) = 4/3 = 2 (1 - 1/3).
  expect_value(left(id, pair({ratio(1, 2), 0, 0}, {0, 0, 0})), 1);
  EXPECT_EQ(decision(id, pair({ratio(1, 2), 0, 0}, {0, 0, 0})), Decision::equality);
  // (1,0,0) -> (1,0,0), (1,1,0) -> (1/2,1/2,0): l_1 is 1 against 4/3, l_2 sqrt(1/2), l_inf 1/2.
  expect_value(left(id, pair({1, 0, 0}, {1, 1, 0})), ratio(3, 4));
  expect_value(left(id, pair({2, 0, 0}, {2, 2, 0}, 2)), ratio(3, 8));
  EXPECT_EQ(decision(id, pair({1, 0, 0}, {1, 1, 0})), Decision::held);
  EXPECT_EQ(decision(id, pair({1, 0}, {1, 0})), Decision::discarded);
  EXPECT_EQ(decision(id, pair({1}, {0})), Decision::discarded);
}

TEST(LipschitzClaims, EveryExponentOfTheList) {
  // The first entry alone: (1,1) - (0,0) becomes (1,0), whose norm is 2^(-1/p) of that of (1,1).
  const sides::ExactRule first = [](const Instance&, const sides::Logits& l) { return Row{l[0], Rational(0)}; };
  const auto quotients = sides::stretches(pair({1, 1}, {0, 0}), first, precision);
  const double exponents[] = {1, 1.25, 1.5, 2, 3, 4};
  ASSERT_EQ(quotients.size(), 7u);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(quotients[k].midpoint(), std::pow(2, -1 / exponents[k]), 1e-15) << k;
  expect_value(quotients[6], 1);
  // Sparsemax takes its mean from a small step. h = (-4,0,1)/20 -> (-3,1,2)/20 is tightest at p = 3/2, K^(3/2) =
  // sqrt(4/3); h = (-4,3,3,3,3)/40 -> (-28,7,7,7,7)/200 at p = 4, K^4 = (8/5)^2.
  const char* id = "lipschitz-sparsemax";
  const double sizes = (3 * std::sqrt(3.0) + 1 + 2 * std::sqrt(2.0)) / (8 + 1) / std::sqrt(4 / 3.0);
  EXPECT_NEAR(left(id, pair({ratio(-1, 5), 0, ratio(1, 20)}, {0, 0, 0})).midpoint(), std::pow(sizes, 2 / 3.0), 1e-15);
  const Rational up = ratio(3, 40);
  const Interval fourth = square(square(left(id, pair({ratio(-1, 10), up, up, up, up}, {0, 0, 0, 0, 0}))));
  expect_value(fourth, ratio(28l * 28 * 28 * 28 + 4l * 7 * 7 * 7 * 7, 625ul * (256 + 4 * 81)) * ratio(25, 64));
}

TEST(LipschitzClaims, RulesAskForTheirOwnNumbersOnly) {
  const Row wild = {5, -3, 7, -1, 3};  // alpha, scale, bias, kept and order
  for (const char* id : {"lipschitz-ssmax", "lipschitz-sigmoid"})
    EXPECT_EQ(decision(id, pair({2, 0}, {0, 0}, 1, wild)), Decision::held);
  for (const char* id : {"lipschitz-entmax", "lipschitz-taylor-softmax", "lipschitz-top-k-softmax"}) {
    EXPECT_EQ(decision(id, pair({2, 0}, {0, 0}, 1, wild)), Decision::discarded) << id;
    EXPECT_EQ(decision(id, pair({2, 0}, {0, 0}, 1, {})), Decision::discarded) << id;
  }
  EXPECT_EQ(decision("lipschitz-top-k-softmax", pair({2, 0}, {1, 0}, 1, {2, 1, 0, ratio(3, 2), 2})),
            Decision::discarded);
  EXPECT_EQ(decision("lipschitz-ssmax", pair({2, 0}, {0, 0}, 1, {})), Decision::discarded);
}

TEST(LipschitzClaims, Entmax) {
  const char *three_halves = "lipschitz-entmax-three-halves", *any = "lipschitz-entmax";
  const auto alpha = [](long p, unsigned long q) { return numbers(ratio(p, q), 1, 0, 2, 2); };
  // Fixture 10: (2,0) -> (1,0), (0,0) -> (1/2,1/2).  (1,0) -> (4 +- sqrt 7)/8 from 2t^2 - t + 1/4 = 1.
  // (0,0,-2/3) -> (4,4,1)/9, roots 2/3, 2/3, 1/3.
  for (const char* id : {three_halves, any}) {
    expect_root(left(id, pair({2, 0}, {0, 0}, 1, alpha(3, 2))), ratio(1, 8));
    expect_root(left(id, pair({1, 0}, {0, 1}, 1, alpha(3, 2))), ratio(7, 16));
    expect_value(left(id, pair({0, 0, ratio(-2, 3)}, {ratio(-2, 3), 0, 0}, 1, alpha(3, 2))), ratio(1, 2));
    expect_value(left(id, pair({0, 0, ratio(-4, 3)}, {ratio(-4, 3), 0, 0}, 2, alpha(3, 2))), ratio(1, 4));
  }
  // alpha = 4/3 at z = (0,-1/2,-1): heights (5,4,3)/6, whose cubes (125,64,27)/216 have sum 1.
  expect_value(left(any, pair({0, ratio(-1, 2), -1}, {-1, ratio(-1, 2), 0}, 1, alpha(4, 3))), ratio(49, 108));
  // alpha = 7/4: beta = 4/3; (7,0) is one-hot, and equal logits are halves.
  expect_root(left(any, pair({7, 0}, {0, 0}, 1, alpha(7, 4))), ratio(1, 98));
  EXPECT_EQ(decision(any, pair({ratio(1, 2), 0}, {0, ratio(1, 2)}, 3, alpha(2, 1))), Decision::equality);
  EXPECT_EQ(decision(any, pair({2, 0}, {0, 0}, 1, alpha(5, 2))), Decision::discarded);
}

// Section 13's formula with x and y, in double.
double two(std::size_t k) {
  const double n = static_cast<double>(k - 1), x = 1 / (1 + std::pow(n, -1 / 3.0)), y = x * std::pow(n, -4 / 3.0);
  return static_cast<double>(k) / (n / std::sqrt(x) + 1 / std::sqrt(y));
}

TEST(LipschitzClaims, EntmaxConstantByLength) {
  double largest = 0;
  for (std::size_t length = 2; length <= 300; ++length) {
    largest = std::max(largest, two(length));
    EXPECT_NEAR(sides::three_halves_constant(length, precision).midpoint(), largest, 1e-14) << length;
  }
  const auto rounded = [](std::size_t length) {
    return std::round(1e5 * sides::three_halves_constant(length, precision).midpoint());
  };
  EXPECT_EQ(rounded(30), 70711);  // docs/specification.md#entmax
  EXPECT_EQ(rounded(100), 75314);
  EXPECT_EQ(rounded(1000), 86761);
  EXPECT_EQ(rounded(100000), 96854);
  expect_root(sides::three_halves_constant(47, precision), ratio(1, 2));
  EXPECT_NEAR(sides::three_halves_constant(48, precision).midpoint(), 0.707631, 5e-7);
}

TEST(LipschitzClaims, EntmaxJacobianByLength) {
  const char* id = "entmax-lipschitz-length";
  const Rational half = ratio(1, 2);
  for (const Row& row : {Row{half, half}, Row{0, half, 0, half}}) {  // fixture 10
    expect_root(left(id, weights(row)), half);
    EXPECT_EQ(decision(id, weights(row)), Decision::equality);
  }
  // 65 = 4^3 + 1 tokens: v = 1/4, x = 4/5, y = 1/320, two = (13/16)/sqrt(5/4)
  const Instance longest = weights(heavy(ratio(4, 5), 64));
  expect_root(left(id, longest), ratio(169, 320));
  expect_root(right(id, longest), ratio(169, 320));
  EXPECT_EQ(decision(id, longest), Decision::equality);
  EXPECT_EQ(decision(id, weights(heavy(ratio(4, 5), 63))), Decision::held);
  Row padded = heavy(ratio(4, 5), 64);
  padded.emplace_back(0);
  EXPECT_EQ(decision(id, weights(padded)), Decision::held);
  EXPECT_EQ(decision(id, weights({1, 0})), Decision::held);
  // p = (4,4,1)/9: s = (2,2,1)/3, eigenvalues of diag s - s s^T/(5/3): 2/3 along (1,-1,0) and 2/5
  expect_value(left(id, weights({ratio(4, 9), ratio(4, 9), ratio(1, 9)})), ratio(2, 3));
  EXPECT_EQ(decision(id, weights({half, ratio(1, 3)})), Decision::discarded);
}

TEST(LipschitzClaims, ReluNormalized) {
  const char* id = "lipschitz-relu-normalized";
  // (1,2,4)/7 - (1,2,3)/6 = (-1,-2,3)/42: l_1 1/7 against 5/3, l_2 sqrt(14)/42 against sqrt(42)/6, l_inf 1/14 against
  // 3/2.
  expect_value(left(id, pair({1, 2, 4}, {1, 2, 3})), ratio(3, 35));
  expect_value(right(id, pair({1, 2, 4}, {1, 2, 3})), ratio(1, 7));
  // l_1 by the token with the smallest weight, l_2 along 1 - a'/||a'||^2 = (4,1,-2)/7, l_inf by signs.
  const Row from = {1, 2, 3}, one = {2, 2, 3}, root = {5, 3, 1}, infinity = {ratio(1, 2), ratio(3, 2), ratio(7, 2)};
  for (const Row& row : {one, root, infinity}) EXPECT_EQ(decision(id, pair(row, from)), Decision::equality);
  EXPECT_EQ(decision(id, pair({-1, 2, 3}, {1, -2, 3})), Decision::held);
  EXPECT_EQ(decision(id, pair({-1, 2}, {-1, 3})), Decision::discarded);
  // Fixture 8: the Jacobian's norm is the constant, sqrt(3) sqrt(14)/36.
  const Interval norm = reference::spectral_norm(reference::separable_jacobian(from, {1, 1, 1}, precision), precision);
  EXPECT_NEAR(norm.midpoint(), std::sqrt(42.0) / 36, 1e-15);
}

TEST(LipschitzClaims, ValuesOfTheSmoothRules) {
  const double sharp = std::tanh(0.5);  // the difference of the weights of (1/2,-1/2) and (-1/2,1/2)
  const Rational half = ratio(1, 2);
  const Instance swap = pair({half, -half}, {-half, half});
  EXPECT_NEAR(left("lipschitz-softmax", swap).midpoint(), sharp, 1e-15);
  EXPECT_NEAR(left("lipschitz-top-k-softmax", swap).midpoint(), sharp, 1e-15);
  const double scale = 3 * std::log(2.0);
  EXPECT_NEAR(left("lipschitz-ssmax", pair({half, -half}, {-half, half}, 1, numbers(2, -3, 0, 2, 2))).midpoint(),
              std::tanh(scale / 2), 1e-15);
  EXPECT_NEAR(right("lipschitz-ssmax", pair({half, -half}, {-half, half}, 2, numbers(2, -3, 0, 2, 2))).midpoint(),
              scale / 4, 1e-15);
  EXPECT_EQ(decision("lipschitz-ssmax", pair({1, 2, 3}, {0, 0, 0}, 2, numbers(2, 0, 0, 2, 2))), Decision::equality);
  const double e = std::exp(0.5);
  EXPECT_NEAR(left("lipschitz-softmax1", swap).midpoint(), (e - 1 / e) / (1 + e + 1 / e), 1e-15);
  const auto sigma = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_NEAR(left("lipschitz-sigmoid", pair({4, 4}, {2, 4}, 2, numbers(2, 1, 1, 2, 2))).midpoint(),
              (sigma(3) - sigma(2)) / 2, 1e-15);
  // sigma(1/2) + sigma(-1/2) = 1
  EXPECT_NEAR(left("lipschitz-sigmoid-normalized", swap).midpoint(), 2 * sigma(0.5) - 1, 1e-15);
  // Two tokens: log-softmax differs by -log1p(exp(-1)) + log1p(exp(1)) = 1 at one and -1 at the other, the step itself.
  expect_root(left("lipschitz-log-softmax", pair({half, -half}, {-half, half}, 2)), 1);
  // F_2(1) = 5/2, F_2(-1) = 1/2 (fixture 11 has F_2(0) = F_2(-2)); F_4 = 65/24 and 9/24.
  expect_value(left("lipschitz-taylor-softmax", pair({1, -1}, {0, 0})), ratio(1, 3));
  expect_value(left("lipschitz-taylor-softmax", pair({0, -2}, {0, 0})), 0);
  expect_value(left("lipschitz-taylor-softmax", pair({1, -1}, {0, 0}, 1, numbers(2, 1, 0, 2, 4))), ratio(14, 37));
}

TEST(LipschitzClaims, SelfAdjusted) {
  // (2,2) -> z p = (1/2,1/2) at T = 2; M = 1
  expect_value(left("lipschitz-sa-softmax-v0", pair({2, 2}, {0, 0}, 2)), ratio(1, 4));
  expect_value(right("lipschitz-sa-softmax-v0", pair({2, 2}, {0, 0}, 2)), ratio(3, 4));
  // (1,0): (p_1, 0) in v1, v2 and v3, p_1 = e/(1+e); v1 of (0,0) is 0. R = 1.
  const double p = std::exp(1.0) / (1 + std::exp(1.0)), root = std::sqrt(2.0);
  EXPECT_NEAR(left("lipschitz-sa-softmax-v1", pair({1, 0}, {0, 0})).midpoint(), p / 1.5, 1e-15);
  // (2,0): (q, 0) with q = e^2/(1+e^2); the step is 1 and the least range 1.
  const double q = std::exp(2.0) / (1 + std::exp(2.0));
  EXPECT_NEAR(left("lipschitz-sa-softmax-v2", pair({1, 0}, {2, 0})).midpoint(), q - p, 1e-15);
  expect_value(right("lipschitz-sa-softmax-v2", pair({1, 0}, {2, 0})), ratio(3, 2));
  expect_value(right("lipschitz-sa-softmax-v2", pair({1, 0}, {2, 0}, 2)), ratio(5, 4));
  EXPECT_NEAR(left("lipschitz-sa-softmax-v3", pair({1, 0}, {2, 0})).midpoint(), (q - p) / 1.5, 1e-15);
  // v3 of (1,1) is (1/2,1/2), of (-1,-2) it is ((1/2) p, 0); on (1,1) - t (2,3) the range with 0 is least at t = 1/3:
  // 1/3.
  const Instance across = pair({1, 1}, {-1, -2});
  EXPECT_EQ(sides::smallest_range_between(across, true), ratio(1, 3));
  const double one = (1 - p / 2) / 5 / (0.5 + 3),
               two = std::hypot(0.5 - p / 2, 0.5) / std::sqrt(13.0) / (0.5 + 3 * root);
  EXPECT_NEAR(left("lipschitz-sa-softmax-v3", across).midpoint(), std::max({one, two, 0.5 / 3 / (0.5 + 6)}), 1e-15);
  EXPECT_EQ(decision("lipschitz-sa-softmax-v3", pair({1, 1}, {-1, -1})), Decision::discarded);
  EXPECT_EQ(decision("lipschitz-sa-softmax-v2", pair({1, 0}, {0, 1})), Decision::discarded);
}

TEST(LipschitzClaims, SmallestRangeBetween) {
  EXPECT_EQ(sides::smallest_range_between(pair({2, 0}, {4, 1}), false), 2);
  EXPECT_EQ(sides::smallest_range_between(pair({4, 1}, {2, 0}), false), 2);
  EXPECT_EQ(sides::smallest_range_between(pair({1, 0}, {0, 1}), false), 0);
  EXPECT_EQ(sides::smallest_range_between(pair({1, 0}, {0, 1}), true), ratio(1, 2));
  EXPECT_EQ(sides::smallest_range_between(pair({3, 0, 0}, {0, 0, 1}), false), ratio(3, 4));  // max(3 - 3t, t)
}

}  // namespace
}  // namespace attncert
