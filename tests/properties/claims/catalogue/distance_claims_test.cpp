// The claims about d-tilde, its expectation and separability against values computed by hand (sections:
// docs/specification.md).
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/claims/certify/judge.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

void expect_sides(const char* id, std::string_view name, const Instance& instance, const Rational& lhs,
                  const Rational& rhs) {
  SCOPED_TRACE(std::string(id) + " " + std::string(name));
  expect_value(part(id, name).lhs(instance, precision), lhs);
  expect_value(part(id, name).rhs(instance, precision), rhs);
  const Decision reached = decision(id, name, instance);
  if (lhs == rhs) {
    EXPECT_TRUE(!part(id, name).attained || part(id, name).attained(instance));
    EXPECT_NE(reached, Decision::violated);
    EXPECT_NE(reached, Decision::undecided);
  } else {
    EXPECT_FALSE(part(id, name).attained && part(id, name).attained(instance));
    EXPECT_EQ(reached, lhs < rhs ? Decision::held : Decision::violated);
  }
}
void expect_sides(const char* id, const Instance& instance, const Rational& lhs, const Rational& rhs) {
  expect_sides(id, {}, instance, lhs, rhs);
}
// |x| <= rhs as two parts.
void expect_between(const char* id, const Instance& instance, const Rational& x, const Rational& rhs) {
  expect_sides(id, "above", instance, x, rhs);
  expect_sides(id, "below", instance, -x, rhs);
}

TEST(DistanceClaims, EqualTokens) {  // fixture 1: s = 3/8, xbar = 1/2, d-tilde = 1/4
  const Instance instance = selection({ratio(3, 4), ratio(1, 4)}, 1, {ratio(1, 2), ratio(1, 2)}, 1);
  expect_sides("distance-split", instance, ratio(1, 4), ratio(1, 4));
  expect_sides("distance-lower", instance, ratio(1, 4), ratio(1, 4));
  expect_between("mean-distance-limit", instance, ratio(-1, 8), ratio(1, 8));
  expect_sides("distance-cap-fixed-n", instance, ratio(1, 4), ratio(1, 2));
  expect_sides("theorem1-upper-norm-of-sum", instance, ratio(1, 4), ratio(1, 4));
}

TEST(DistanceClaims, OppositeTokens) {  // fixture 2: d-tilde = 1
  const Instance instance = selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1);
  expect_sides("distance-split", instance, 1, 1);
  expect_sides("distance-lower", instance, 1, 1);
  expect_between("mean-distance-limit", instance, ratio(1, 4), ratio(1, 4));
  expect_sides("distance-cap-fixed-n", instance, 1, 1);
}

TEST(DistanceClaims, AnySetWillDoWhereNoneIsRequired) {  // a = (3/4, 1/4), x = (1, 1), I = {2}
  Instance instance = selection({ratio(3, 4), ratio(1, 4)}, 1, {1, 1}, 1);
  instance.selected = {1};
  expect_sides("distance-split", instance, ratio(1, 2), ratio(1, 2));
  expect_sides("distance-lower", instance, ratio(1, 2), ratio(1, 2));
  expect_between("mean-distance-limit", instance, ratio(1, 4), ratio(3, 4));
  EXPECT_EQ(decision("theorem1-upper-norm-of-sum", instance), Decision::discarded);
  instance.weights = {1, 0};
  EXPECT_EQ(judge(statement("distance-split"), instance).discarded_by, "A > 0");
  EXPECT_EQ(judge(statement("distance-cap-fixed-n"), instance).discarded_by, "a_i > 0");
}

TEST(DistanceClaims, UniformWeightsOnEqualTokens) {  // d-tilde = (L-N)(N-1)/L = 2 at L = 10, N = 5
  const Instance instance = selection(std::vector<Rational>(10, ratio(1, 10)), 1, std::vector<Rational>(10, 1), 5);
  expect_sides("distance-cap-fixed-n", instance, 2, 3);  // 1 + 4/2
  expect_between("mean-distance-limit", instance, ratio(-1, 10), ratio(1, 10));
}

TEST(DistanceClaims, CapIsAttainedByOneExtremeAgainstTheOther) {  // R = 3: 1 + 6/8
  const Instance instance = selection({ratio(3, 8), ratio(3, 8), ratio(1, 8), ratio(1, 8)}, 1, {1, 1, -1, -1}, 2);
  expect_sides("distance-cap-fixed-n", instance, ratio(7, 4), ratio(7, 4));
}

TEST(DistanceClaims, SubtractingTheContextOnceIsNotBounded) {  // 11/25 against 3/25
  const Instance instance = selection({ratio(7, 25), ratio(6, 25), ratio(6, 25), ratio(6, 25)}, 1, {1, 1, 1, 1}, 1);
  expect_sides("theorem1-upper-norm-of-weighted-sum", instance, ratio(11, 25), ratio(3, 25));
  EXPECT_EQ(decision("theorem1-upper-norm-of-weighted-sum", selection({1}, 1, {1}, 1)), Decision::discarded);
}

TEST(DistanceClaims, ExpectationMissesItsMainTermBothWays) {  // 0 against 1/4, and t against 9 t^2/4
  const char* id = "theorem1-expectation-main-term";
  expect_sides(id, selection({ratio(1, 2), ratio(1, 2)}, 1, {1, 1}, 1), ratio(1, 4), 0);
  expect_sides(id, selection({ratio(1, 2), ratio(1, 2)}, 1, {ratio(1, 10), ratio(-1, 10)}, 1), ratio(31, 400), 0);
  // t = 9 t^2/4 at t = 4/9: there the printed term is right
  expect_sides(id, selection({ratio(1, 2), ratio(1, 2)}, 1, {ratio(4, 9), ratio(-4, 9)}, 1), 0, 0);
}

TEST(DistanceClaims, ExpectationLiesInItsChain) {
  const char* id = "expected-distance-sandwich";
  // Fixture 13: y = (1,0), (0,1), (1,1), N = 2: the last bound is sqrt(8/3).
  const Instance last = selection(std::vector<Rational>(3, ratio(1, 3)), 2, {3, 0, 0, 3, 3, 3}, 2);
  expect_root(part(id, "c3, c4").rhs(last, precision), ratio(8, 3));
  // Equal y_i, L = 5, N = 3: E d-tilde = (L-N)(N-1) ||y||, which is every bound.
  const Instance equal = selection(std::vector<Rational>(5, ratio(1, 5)), 1, std::vector<Rational>(5, 1), 3);
  for (const char* name : {"c0, c1", "c1, E", "E, c3", "c3, c4"}) {
    expect_sides(id, name, equal, ratio(4, 5), ratio(4, 5));
    EXPECT_TRUE(part(id, name).attained(equal)) << name;
  }
  // L = 4, N = 2, y = (1, 2, 3, -5)/11 on a line, by hand in units of 1/11: the six sets give E d-tilde = 63/6; A = 39
  // and B = 1, so the last bound is 2 sqrt((117 + 76/3)/4); m^2 + V = 41/3, 56/3, 85/3, 245/3; the lower bounds are 1/2
  // and 17/2.
  const Instance apart = selection({ratio(1, 11), ratio(2, 11), ratio(3, 11), ratio(5, 11)}, 1, {1, 1, 1, -1}, 2);
  expect_root(part(id, "c3, c4").rhs(apart, precision), Rational(427, 3 * 121));
  Interval above(0.0, precision);
  for (const long square : {41, 56, 85, 245}) above += sqrt(Interval(Rational(square, 3), precision));
  expect_value(part(id, "E, c3").rhs(apart, precision) - above / Interval(22.0, precision), 0);
  expect_sides(id, "c0, c1", apart, ratio(1, 22), ratio(17, 22));
  expect_sides(id, "c1, E", apart, ratio(17, 22), ratio(63, 66));
  EXPECT_EQ(decision(id, apart), Decision::held);
}

Instance tetrahedron() {
  return selection({ratio(8, 25), ratio(8, 25), ratio(8, 25), ratio(1, 25)}, 3,
                   {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}, 3);
}

Instance kite() {
  return selection({ratio(7, 20), ratio(7, 20), ratio(6, 20)}, 2,
                   {ratio(3, 5), ratio(4, 5), ratio(3, 5), ratio(-4, 5), 1, 0}, 2);
}

TEST(SeparabilityClaims, TheLiteralReadingFailsOnTheTetrahedron) {  // fixture 5: xi_B = 8 sqrt 2/25, r = 9 sqrt 3/25
  const char* id = "theorem2-lower-literal";
  expect_value(part(id).lhs(tetrahedron(), precision), 1);
  expect_root(part(id).rhs(tetrahedron(), precision), ratio(128, 243));
  EXPECT_EQ(decision(id, tetrahedron()), Decision::violated);
  EXPECT_EQ(judge(statement("theorem2-lower-literal-close"), tetrahedron()).discarded_by, "delta <= sqrt 2 M");
}

TEST(SeparabilityClaims, TheLiteralReadingFailsOnATriangle) {  // 1 - 0.5564672374... against N_s/N = 1/2
  const char* id = "theorem2-lower-literal";
  const Instance instance = selection({ratio(8, 13), ratio(4, 13), ratio(1, 13)}, 3, {1, -1, 0, 0, 1, -1, -1, 0, 1}, 2);
  expect_value(part(id).lhs(instance, precision), ratio(1, 2));
  // xi_1 = 0 exactly, and the square root of what rounding leaves of it takes half of the bits.
  const Precision twice = precision.doubled();
  expect_decimals(Interval(1.0, twice) - part(id).rhs(instance, twice), "556467237427256298445053284676");
  EXPECT_EQ(decision(id, instance), Decision::violated);
}

TEST(SeparabilityClaims, ImaginaryRadiiAreLeftOut) {
  // On the regular triangle with M^2 = 2 and N = 2, xi_1^2 = a_2 (2 a_2 - a_1).
  const std::vector<Rational> triangle{1, -1, 0, 0, 1, -1, -1, 0, 1};
  EXPECT_EQ(
      judge(statement("theorem2-lower-literal"), selection({ratio(3, 7), ratio(2, 7), ratio(2, 7)}, 3, triangle, 2))
          .decision,
      Decision::held);
  EXPECT_EQ(
      judge(statement("theorem2-lower-literal"), selection({ratio(5, 8), ratio(2, 8), ratio(1, 8)}, 3, triangle, 2))
          .discarded_by,
      "every xi_i is real");
}

TEST(SeparabilityClaims, TheLiteralReadingOfOrthonormalTokens) {
  // a = (1/2, 1/4, 1/4), N = 2: M^2 - delta^2/2 = 0, so xi = 1/4, 1/2 and r^2 = 6/16: sum xi/(2r) = (3/8)/(sqrt 6/4)
  const Instance instance = selection({ratio(1, 2), ratio(1, 4), ratio(1, 4)}, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 2);
  const char* id = "theorem2-lower-literal-close";
  expect_value(part(id).lhs(instance, precision), 0);
  expect_root(part(id).rhs(instance, precision), ratio(9, 24));
  EXPECT_EQ(decision(id, instance), Decision::held);
  EXPECT_EQ(decision("separability-equiangular", instance), Decision::held);
  EXPECT_EQ(decision("separability-floor", instance), Decision::held);
}

TEST(SeparabilityClaims, TheKiteHasNoFloor) {  // fixture 6
  expect_sides("separability-floor", kite(), ratio(1, 2), 0);
  EXPECT_EQ(decision("separability-equiangular", kite()), Decision::discarded);
  EXPECT_EQ(decision("separability-equiangular", tetrahedron()), Decision::discarded);  // rho = -1/3
}

TEST(SeparabilityClaims, SandwichByHand) {
  const char* id = "separability-sandwich";
  for (const char* name : {"xi", "eta"}) {
    expect_sides(id, name, tetrahedron(), 1, 1);  // equiangular
    expect_sides(id, name, kite(), 1, 1);         // N = 2
  }
  // On a circle of radius 5, a = (3, 2, 2, 1)/8, N = 3: delta^2 = 2 and Delta^2 = 90 both need the unselected token.
  // Inner products are 24 for xi and -20 for eta in place of the selected tokens' own.
  const Instance apart =
      selection({ratio(3, 8), ratio(2, 8), ratio(2, 8), ratio(1, 8)}, 2, {5, 0, 0, 5, -3, 4, -4, 3}, 3);
  const auto squares = [&](std::size_t i, std::size_t j, const Rational& product) {  // of a_i x_i + a_j x_j
    const Rational &a = apart.weights[i], &b = apart.weights[j];
    return Rational(25 * (a * a + b * b) + 2 * a * b * product);
  };
  Rational above = 0, below = 0, largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Rational product = 25 - apart.tokens->squared_distance(j, k) / 2;
    const Rational xi = squares(j, k, 24), f = squares(j, k, product), eta = squares(j, k, -20);
    above = std::max<Rational>(above, f / xi);
    below = std::max<Rational>(below, eta / f);
    largest = std::max(largest, xi);
  }
  expect_sides(id, "xi", apart, above, 1);
  expect_sides(id, "eta", apart, below, 1);
  expect_root(part(id, "A M").lhs(apart, precision), largest);
  expect_value(part(id, "A M").rhs(apart, precision), ratio(35, 8));
  const Rational r = exact_squared_threshold(apart);
  Rational separable = 0;
  for (std::size_t i = 0; i < 3; ++i) separable += exact_squared_distance_to_context(apart, i) <= r ? 1 : 0;
  expect_value(part(id, "count from below").rhs(apart, precision), separable);
  expect_value(part(id, "count from above").lhs(apart, precision), separable);
}

// Rows of more than 32 tokens are evaluated in enclosures. With N = 3 each difference is one pair of selected tokens:
// xi_i^2 - f_i^2 = a_j a_k (||x_j - x_k||^2 - delta^2), and eta_i in the same way.
TEST(SeparabilityClaims, SandwichOfALongRow) {
  std::vector<Rational> weights{ratio(3, 8), ratio(2, 8), ratio(2, 8), ratio(1, 8)}, tokens{5, 0, 0, 5, -3, 4, -4, 3};
  for (long k = 0; k < 36; ++k) {  // more of the circle, without weight
    const Rational t = 2 + ratio(k, 50), square = t * t + 1;
    weights.emplace_back(0);
    tokens.emplace_back(5 * (1 - t * t) / square);
    tokens.emplace_back(-10 * t / square);
  }
  const Instance instance = selection(std::move(weights), 2, std::move(tokens), 3);
  const auto squared = [&](std::size_t i, std::size_t j) {
    return approximate(instance.tokens->squared_distance(i, j));
  };
  double closest = 1e9, farthest = 0;
  for (std::size_t i = 0; i < instance.length; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      closest = std::min(closest, squared(i, j));
      farthest = std::max(farthest, squared(i, j));
    }
  const double a[] = {3.0 / 8, 2.0 / 8, 2.0 / 8};
  double above = 0, below = 0, largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const double pair = a[j] * a[k], f = approximate(exact_squared_distance_to_context(instance, i));
    const double xi = f + pair * (squared(j, k) - closest), eta = std::max(0.0, f - pair * (farthest - squared(j, k)));
    above = std::max(above, f / xi);
    below = std::max(below, eta / f);
    largest = std::max(largest, xi);
  }
  const char* id = "separability-sandwich";
  EXPECT_LT(part(id, "xi").lhs(instance, precision).width(), 1e-30);
  EXPECT_NEAR(part(id, "xi").lhs(instance, precision).midpoint(), above, 1e-12);
  EXPECT_NEAR(part(id, "eta").lhs(instance, precision).midpoint(), below, 1e-12);
  EXPECT_NEAR(part(id, "A M").lhs(instance, precision).midpoint(), std::sqrt(largest), 1e-12);
  EXPECT_EQ(decision(id, instance), Decision::held);
}

}  // namespace
}  // namespace attncert
