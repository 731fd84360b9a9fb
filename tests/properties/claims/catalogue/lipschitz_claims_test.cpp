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
  // Fixture 9: (1/2,0,0) -> (2/3,1/6,1/6), (0,0,0) -> 1/3 each: l_1 is 2/3 = 4/3 of 1/2, 4/3 = 2 (1 - 1/3).
  const Instance up = pair({ratio(1, 2), 0, 0}, {0, 0, 0});
  expect_value(left(id, "l_1", up), ratio(2, 3));
  expect_value(right(id, "l_1", up), ratio(2, 3));
  expect_value(left(id, "l_inf", up), ratio(1, 3));
  EXPECT_EQ(decision(id, "l_1", up), Decision::equality);
  EXPECT_EQ(decision(id, "l_2", up), Decision::held);
  // (1,0,0) -> (1,0,0), (1,1,0) -> (1/2,1/2,0): l_1 is 1 against 4/3, l_2 sqrt(1/2), l_inf 1/2.
  expect_value(quotient(id, "l_1", pair({1, 0, 0}, {1, 1, 0})), ratio(3, 4));
  expect_value(quotient(id, "l_1", pair({2, 0, 0}, {2, 2, 0}, 2)), ratio(3, 4));
  expect_root(left(id, "l_2", pair({1, 0, 0}, {1, 1, 0})), ratio(1, 2));
  EXPECT_EQ(decision(id, pair({1, 0, 0}, {1, 1, 0})), Decision::held);
  // Two tokens: every exponent is attained by a step and its opposite, l_2 and no other one by a part of it.
  for (const Part& part : statement(id).sided()->parts)
    EXPECT_EQ(decision(id, part.name, pair({ratio(1, 6), 0}, {0, ratio(1, 6)})), Decision::equality) << part.name;
  EXPECT_EQ(decision(id, "l_3", pair({ratio(1, 6), 0}, {0, ratio(1, 12)})), Decision::held);
  EXPECT_EQ(decision(id, "l_1", pair({ratio(1, 6), 0}, {0, ratio(1, 12)})), Decision::equality);
  EXPECT_EQ(decision(id, pair({1, 0}, {1, 0})), Decision::discarded);
  EXPECT_EQ(decision(id, pair({1}, {0})), Decision::discarded);
}

TEST(LipschitzClaims, EveryExponentOfTheList) {
  const double exponents[] = {1, 1.25, 1.5, 2, 3, 4};
  const std::vector<Interval> v = enclosures(Row{3, -4, 0, ratio(1, 2)}, precision);
  for (std::size_t k = 0; k < 6; ++k) {
    const sides::Exponent p = sides::all_exponents[k];
    const double sum = std::pow(3, exponents[k]) + std::pow(4, exponents[k]) + std::pow(0.5, exponents[k]);
    EXPECT_NEAR(sides::norm(v, p, precision).midpoint(), std::pow(sum, 1 / exponents[k]), 1e-14) << k;
    EXPECT_NEAR(sides::two_to_inverse(p, precision).midpoint(), std::pow(2, 1 / exponents[k]), 1e-15) << k;
    EXPECT_NEAR(sides::two_to_rest(p, precision).midpoint(), std::pow(2, 1 - 1 / exponents[k]), 1e-15) << k;
  }
  expect_value(sides::norm(v, sides::Exponent::infinity, precision), 4);
  expect_value(sides::two_to_inverse(sides::Exponent::infinity, precision), 1);
  expect_value(sides::two_to_rest(sides::Exponent::infinity, precision), 2);
  // Sparsemax takes its mean from a small step. h = (-4,0,1)/20 -> (-3,1,2)/20 against K^(3/2) = sqrt(4/3) at p = 3/2;
  // h = (-4,3,3,3,3)/40 -> (-28,7,7,7,7)/200 at p = 4, K^4 = (8/5)^2.
  const char* id = "lipschitz-sparsemax";
  const double sizes = (3 * std::sqrt(3.0) + 1 + 2 * std::sqrt(2.0)) / (8 + 1) / std::sqrt(4 / 3.0);
  EXPECT_NEAR(quotient(id, "l_3/2", pair({ratio(-1, 5), 0, ratio(1, 20)}, {0, 0, 0})).midpoint(),
              std::pow(sizes, 2 / 3.0), 1e-15);
  const Rational up = ratio(3, 40);
  const Interval fourth = square(square(quotient(id, "l_4", pair({ratio(-1, 10), up, up, up, up}, {0, 0, 0, 0, 0}))));
  expect_value(fourth, ratio(28l * 28 * 28 * 28 + 4l * 7 * 7 * 7 * 7, 625ul * (256 + 4 * 81)) * ratio(25, 64));
}

TEST(LipschitzClaims, RulesAskForTheirOwnNumbersOnly) {
  const Row wild = {-3, 7, -1};  // scale, bias and kept
  for (const char* id : {"lipschitz-ssmax", "lipschitz-sigmoid"})
    EXPECT_EQ(decision(id, pair({2, 0}, {0, 0}, 1, wild)), Decision::held);
  EXPECT_EQ(decision("lipschitz-top-k-softmax", pair({2, 0}, {0, 0}, 1, wild)), Decision::discarded);
  for (const char* id : {"lipschitz-ssmax", "lipschitz-sigmoid", "lipschitz-top-k-softmax"})
    EXPECT_EQ(decision(id, pair({2, 0}, {0, 0}, 1, {})), Decision::discarded) << id;
  EXPECT_EQ(decision("lipschitz-top-k-softmax", pair({2, 0}, {1, 0}, 1, {1, 0, ratio(3, 2)})), Decision::discarded);
}

TEST(LipschitzClaims, Entmax) {
  const char *three_halves = "lipschitz-entmax-three-halves", *any = "lipschitz-entmax";
  // Fixture 10: (2,0) -> (1,0), (0,0) -> (1/2,1/2).  (1,0) -> (4 +- sqrt 7)/8 from 2t^2 - t + 1/4 = 1.
  // (0,0,-2/3) -> (4,4,1)/9, roots 2/3, 2/3, 1/3.
  for (const auto& [id, name] : {std::pair{three_halves, ""}, std::pair{any, "alpha = 3/2"}}) {
    expect_root(left(id, name, pair({2, 0}, {0, 0})), ratio(1, 2));
    expect_root(left(id, name, pair({1, 0}, {0, 1})), ratio(7, 8));
    expect_root(left(id, name, pair({0, 0, ratio(-2, 3)}, {ratio(-2, 3), 0, 0})), ratio(2, 9));
    expect_root(left(id, name, pair({0, 0, ratio(-4, 3)}, {ratio(-4, 3), 0, 0}, 2)), ratio(2, 9));
    expect_root(left(id, name, pair({2, 0, 0, 0}, {0, 0, 0, 0})), ratio(3, 4));
  }
  expect_root(right(any, "alpha = 3/2", pair({1, 0}, {0, 1}, 2)), ratio(1, 2));
  // alpha = 4/3 at z = (0,-1/2,-1): heights (5,4,3)/6, whose cubes (125,64,27)/216 have sum 1.
  expect_root(left(any, "alpha = 4/3", pair({0, ratio(-1, 2), -1}, {-1, ratio(-1, 2), 0})),
              ratio(2 * 49 * 49, 108 * 108));
  // alpha = 7/4: beta = 4/3; (7,0) is one-hot, and equal logits are halves.
  expect_root(left(any, "alpha = 7/4", pair({7, 0}, {0, 0})), ratio(1, 2));
  EXPECT_EQ(decision(any, "alpha = 2", pair({ratio(1, 2), 0}, {0, ratio(1, 2)}, 3)), Decision::equality);
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
    expect_root(left(id, {}, weights(row)), half);
    EXPECT_EQ(decision(id, weights(row)), Decision::equality);
  }
  // 65 = 4^3 + 1 tokens: v = 1/4, x = 4/5, y = 1/320, two = (13/16)/sqrt(5/4)
  const Instance longest = weights(heavy(ratio(4, 5), 64));
  expect_root(left(id, {}, longest), ratio(169, 320));
  expect_root(right(id, {}, longest), ratio(169, 320));
  EXPECT_EQ(decision(id, longest), Decision::equality);
  EXPECT_EQ(decision(id, weights(heavy(ratio(4, 5), 63))), Decision::held);
  Row padded = heavy(ratio(4, 5), 64);
  padded.emplace_back(0);
  EXPECT_EQ(decision(id, weights(padded)), Decision::held);
  EXPECT_EQ(decision(id, weights({1, 0})), Decision::held);
  // p = (4,4,1)/9: s = (2,2,1)/3, eigenvalues of diag s - s s^T/(5/3): 2/3 along (1,-1,0) and 2/5
  expect_value(left(id, {}, weights({ratio(4, 9), ratio(4, 9), ratio(1, 9)})), ratio(2, 3));
  EXPECT_EQ(decision(id, weights({half, ratio(1, 3)})), Decision::discarded);
}

TEST(LipschitzClaims, ReluNormalized) {
  const char* id = "lipschitz-relu-normalized";
  // (1,2,4)/7 - (1,2,3)/6 = (-1,-2,3)/42: l_1 1/7 against 5/3, l_2 sqrt(14)/42 against sqrt(42)/6, l_inf 1/14 against
  // 3/2, each over 7.
  const Instance instance = pair({1, 2, 4}, {1, 2, 3});
  expect_value(left(id, "l_1", instance), ratio(1, 7));
  expect_value(right(id, "l_1", instance), ratio(5, 21));
  expect_root(left(id, "l_2", instance), ratio(14, 42 * 42));
  expect_root(right(id, "l_2", instance), ratio(42, 42 * 42));
  expect_value(left(id, "l_inf", instance), ratio(1, 14));
  expect_value(right(id, "l_inf", instance), ratio(3, 14));
  // l_1 by the token with the smallest weight, l_2 along 1 - a'/||a'||^2 = (4,1,-2)/7, l_inf by signs.
  const Row from = {1, 2, 3}, one = {2, 2, 3}, root = {5, 3, 1}, infinity = {ratio(1, 2), ratio(3, 2), ratio(7, 2)};
  for (const auto& [name, row] : {std::pair{"l_1", one}, std::pair{"l_2", root}, std::pair{"l_inf", infinity}}) {
    EXPECT_EQ(decision(id, name, pair(row, from)), Decision::equality) << name;
    for (const char* other : {"l_1", "l_2", "l_inf"})
      EXPECT_EQ(decision(id, other, pair(row, from)),
                other == std::string_view(name) ? Decision::equality : Decision::held)
          << other;
  }
  EXPECT_EQ(decision(id, pair({-1, 2, 3}, {1, -2, 3})), Decision::held);
  EXPECT_EQ(decision(id, pair({-1, 2}, {-1, 3})), Decision::discarded);
  // Fixture 8: the Jacobian's norm is the constant, sqrt(3) sqrt(14)/36.
  const Interval norm = reference::spectral_norm(reference::separable_jacobian(from, {1, 1, 1}, precision), precision);
  EXPECT_NEAR(norm.midpoint(), std::sqrt(42.0) / 36, 1e-15);
}

// l_inf of a pair whose step has l_inf norm 1: the weight's own difference.
TEST(LipschitzClaims, ValuesOfTheSmoothRules) {
  const double sharp = std::tanh(0.5);  // the difference of the weights of (1/2,-1/2) and (-1/2,1/2)
  const Rational half = ratio(1, 2);
  const Instance swap = pair({half, -half}, {-half, half});
  const auto moved = [](const char* id, const Instance& instance) { return left(id, "l_inf", instance).midpoint(); };
  EXPECT_NEAR(moved("softmax-half-lipschitz-lp", swap), sharp, 1e-15);
  EXPECT_NEAR(left("softmax-half-lipschitz-lp", "l_1", swap).midpoint(), 2 * sharp, 1e-15);
  expect_value(right("softmax-half-lipschitz-lp", "l_1", swap), 1);
  expect_value(right("softmax-half-lipschitz-lp", "l_inf", swap), half);
  EXPECT_NEAR(moved("lipschitz-top-k-softmax", swap), sharp, 1e-15);
  const double scale = 3 * std::log(2.0);
  EXPECT_NEAR(moved("lipschitz-ssmax", pair({half, -half}, {-half, half}, 1, numbers(-3, 0, 2))), std::tanh(scale / 2),
              1e-15);
  EXPECT_NEAR(right("lipschitz-ssmax", "l_inf", pair({half, -half}, {-half, half}, 2, numbers(-3, 0, 2))).midpoint(),
              scale / 4, 1e-15);
  EXPECT_EQ(decision("lipschitz-ssmax", pair({1, 2, 3}, {0, 0, 0}, 2, numbers(0, 0, 2))), Decision::held);  // 0 <= 0
  const double e = std::exp(0.5);
  EXPECT_NEAR(moved("lipschitz-softmax1", swap), (e - 1 / e) / (1 + e + 1 / e), 1e-15);
  expect_value(right("lipschitz-softmax1", "l_2", pair({1}, {3}, 2)), ratio(1, 4));
  const auto sigma = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_NEAR(moved("lipschitz-sigmoid", pair({4, 4}, {2, 4}, 2, numbers(1, 1, 2))), sigma(3) - sigma(2), 1e-15);
  // sigma(1/2) + sigma(-1/2) = 1
  EXPECT_NEAR(moved("lipschitz-sigmoid-normalized", swap), 2 * sigma(0.5) - 1, 1e-15);
  // Two tokens: log-softmax differs by -log1p(exp(-1)) + log1p(exp(1)) = 1 at one and -1 at the other, the step itself.
  expect_value(left("lipschitz-log-softmax", "l_1", pair({half, -half}, {-half, half}, 2)), 1);
  expect_root(left("lipschitz-log-softmax", "l_2", pair({half, -half}, {-half, half}, 2)), half);
  // F_2(1) = 5/2, F_2(-1) = 1/2 (fixture 11 has F_2(0) = F_2(-2)); F_4 = 65/24 and 9/24.
  expect_value(left("lipschitz-taylor-softmax", "n = 2, l_inf", pair({1, -1}, {0, 0})), ratio(1, 3));
  expect_value(left("lipschitz-taylor-softmax", "n = 2, l_1", pair({0, -2}, {0, 0})), 0);
  expect_value(left("lipschitz-taylor-softmax", "n = 4, l_inf", pair({1, -1}, {0, 0})), ratio(14, 37));
}

TEST(LipschitzClaims, SelfAdjusted) {
  // (2,2) -> z p = (1/2,1/2) at T = 2; M = 1
  expect_value(left("lipschitz-sa-softmax-v0", "l_1", pair({2, 2}, {0, 0}, 2)), 1);
  expect_value(right("lipschitz-sa-softmax-v0", "l_1", pair({2, 2}, {0, 0}, 2)), 3);
  // (1,0): (p_1, 0) in v1, v2 and v3, p_1 = e/(1+e); v1 of (0,0) is 0. R = 1.
  const double p = std::exp(1.0) / (1 + std::exp(1.0)), root = std::sqrt(2.0);
  const double c[] = {1, root, 2};
  const char* names[] = {"l_1", "l_2", "l_inf"};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(quotient("lipschitz-sa-softmax-v1", names[k], pair({1, 0}, {0, 0})).midpoint(), p / (c[k] + 0.5),
                1e-15);
  // (2,0): (q, 0) with q = e^2/(1+e^2); the step is 1 and the least range 1.
  const double q = std::exp(2.0) / (1 + std::exp(2.0));
  EXPECT_NEAR(left("lipschitz-sa-softmax-v2", "l_1", pair({1, 0}, {2, 0})).midpoint(), q - p, 1e-15);
  expect_value(right("lipschitz-sa-softmax-v2", "l_1", pair({1, 0}, {2, 0})), ratio(3, 2));
  expect_value(right("lipschitz-sa-softmax-v2", "l_inf", pair({1, 0}, {2, 0}, 2)), ratio(5, 4));
  EXPECT_NEAR(quotient("lipschitz-sa-softmax-v3", "l_1", pair({1, 0}, {2, 0})).midpoint(), (q - p) / 1.5, 1e-15);
  // v3 of (1,1) is (1/2,1/2), of (-1,-2) it is ((1/2) p, 0); on (1,1) - t (2,3) the range with 0 is least at t = 1/3:
  // 1/3.
  const Instance across = pair({1, 1}, {-1, -2});
  EXPECT_EQ(sides::smallest_range_with_zero(across), ratio(1, 3));
  const double moved[] = {1 - p / 2, std::hypot(0.5 - p / 2, 0.5), 0.5}, steps[] = {5, std::sqrt(13.0), 3};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(quotient("lipschitz-sa-softmax-v3", names[k], across).midpoint(),
                moved[k] / steps[k] / (0.5 + 3 * c[k]), 1e-15);
  EXPECT_EQ(decision("lipschitz-sa-softmax-v3", pair({1, 1}, {-1, -1})), Decision::discarded);
  EXPECT_EQ(decision("lipschitz-sa-softmax-v2", pair({1, 0}, {0, 1})), Decision::discarded);
}

TEST(LipschitzClaims, SmallestRangeBetween) {
  EXPECT_EQ(sides::smallest_range(pair({2, 0}, {4, 1})), 2);
  EXPECT_EQ(sides::smallest_range(pair({4, 1}, {2, 0})), 2);
  EXPECT_EQ(sides::smallest_range(pair({1, 0}, {0, 1})), 0);
  EXPECT_EQ(sides::smallest_range_with_zero(pair({1, 0}, {0, 1})), ratio(1, 2));
  EXPECT_EQ(sides::smallest_range(pair({3, 0, 0}, {0, 0, 1})), ratio(3, 4));  // max(3 - 3t, t)
}

}  // namespace
}  // namespace attncert
