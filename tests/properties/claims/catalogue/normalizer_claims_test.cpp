// The claims about weights of a normalizer and their Jacobian against values computed by hand or by plain double
// formulas (sections: docs/specification.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/instances/weights.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

TEST(WeightClaims, OrderOneOverLength) {  // a = (3/4, 1/4), R = 3: 2 (3/4)/3 = 1/2 and 1/(2 (1/4) 3) = 2/3
  const char* id = "lemma1-bounded-logits";
  expect_value(quotient(id, "above", separable({3, 1}, {0, 0})), ratio(1, 2));
  expect_value(quotient(id, "below", separable({3, 1}, {0, 0})), ratio(2, 3));
  expect_value(quotient(id, "above", separable({1, 1, 1, 3}, {0, 0, 0, 0})), ratio(2, 3));
  for (const char* name : {"above", "below"}) EXPECT_TRUE(part(id, name).attained(separable({5, 5, 5}, {0, 0, 0})));
}

TEST(WeightClaims, TopMassIsAttainedByOneExtremeAgainstTheOther) {  // A = 6/8 = NR/(NR + L - N)
  const char* id = "top-mass-cap";
  const auto of = [](std::vector<long> parts, std::size_t n) {
    std::vector<Rational> weights(parts.begin(), parts.end());
    return selection(normalized(std::move(weights)), 1, std::vector<Rational>(parts.size(), 1), n);
  };
  EXPECT_TRUE(part(id).attained(of({1, 3, 1, 3}, 2)));
  // F = (4, 2, 1), R = 4: A_1 = 4/7 against 4/6, A_2 = 6/7 against 8/9
  expect_value(quotient(id, {}, of({4, 2, 1}, 1)), ratio(6, 7));
  expect_value(quotient(id, {}, of({4, 2, 1}, 2)), ratio(27, 28));
  EXPECT_EQ(decision(id, of({4}, 1)), Decision::discarded);
}

TEST(WeightClaims, SoftmaxMassNeedsRange) {  // sections 1 and 11: attained at g e_1
  const Instance sharp = logits({3, 0, 0}, 2);
  expect_value(part("softmax-mass-needs-range").lhs(sharp, precision), 3);
  expect_value(part("softmax-sharpness-needs-log-length").lhs(sharp, precision), ratio(1, 4));
  for (const char* id : {"softmax-mass-needs-range", "softmax-sharpness-needs-log-length"}) {
    EXPECT_EQ(decision(id, sharp), Decision::equality) << id;
    EXPECT_EQ(decision(id, logits({3, 1, 0}, 2)), Decision::held) << id;
    EXPECT_EQ(decision(id, logits({5}, 2)), Decision::discarded) << id;
  }
  const double p = 1 / (1 + std::exp(-1.0) + std::exp(-1.5)), needed = 2 * std::log(p * 2 / (1 - p));
  const Instance row = logits({3, 1, 0}, 2);
  EXPECT_NEAR(part("softmax-mass-needs-range").lhs(row, precision).midpoint(), needed, 1e-14);
  EXPECT_NEAR(part("softmax-sharpness-needs-log-length").lhs(row, precision).midpoint(), needed / 12, 1e-14);
  EXPECT_EQ(decision("softmax-sharpness-needs-log-length", logits({1, 1}, 2)), Decision::discarded);
}

TEST(WeightClaims, EntmaxKeepsTheTopWeight) {
  const char* id = "entmax-top-weight-floor";
  // sparsemax(1, 0, 0) = (1, 0, 0), fixture 9: alpha = 2 and 3 are one-hot there, and alpha = 3/2 is not
  const Instance one_hot = logits({1, 0, 0}, 1);
  for (const char* name : {"alpha = 2", "alpha = 3"}) EXPECT_TRUE(part(id, name).attained(one_hot)) << name;
  // u = 1/2: (u - t)^2 + 2 t^2 = 1 gives p_1 = h^2, h = (1 + sqrt(10))/6, against (1/2)^2
  EXPECT_FALSE(part(id, "alpha = 3/2").attained(one_hot));
  expect_value(part(id, "alpha = 3/2").lhs(one_hot, precision), ratio(1, 4));
  const double h = (2 * 0.5 + std::sqrt(4 * 0.25 - 3 * (2 * 0.25 - 1))) / 3;
  EXPECT_NEAR(part(id, "alpha = 3/2").rhs(one_hot, precision).midpoint(), h * h, 1e-12);
  // z = (1/4, 0): alpha = 3 has sqrt(h) + sqrt(h - 1/2) = 1, so p_1 = sqrt(h) = 3/4 against the floor sqrt(1/2); alpha
  // = 2 has 5/8 against 1/4.
  const Instance two = logits({ratio(1, 4), 0}, 1);
  expect_value(part(id, "alpha = 3").rhs(two, precision), ratio(3, 4));
  expect_root(part(id, "alpha = 3").lhs(two, precision), ratio(1, 2));
  expect_value(quotient(id, "alpha = 2", two), ratio(2, 5));
  // z = (1/2, 3/8, 0): alpha = 2 has p_1 = 13/24 against 1/8; alpha = 3 has depths 1/4 and 1, so that
  // sqrt(h) + sqrt(h - 1/4) = 1 gives p_1 = sqrt(h) = 5/8 against 1/2.
  const Instance three = logits({ratio(1, 2), ratio(3, 8), 0}, 1);
  expect_value(quotient(id, "alpha = 2", three), ratio(3, 13));
  expect_value(quotient(id, "alpha = 3", three), ratio(4, 5));
  EXPECT_EQ(decision(id, three), Decision::held);
  // alpha = 3 at depth 1 - 10^-12: h - d_2 is about 10^-24/4, and the floor misses p_1 by as little.
  EXPECT_EQ(decision(id, logits({ratio(1, 2), ratio(1, 2000000000000)}, 1)), Decision::held);
}

TEST(JacobianClaims, FrobeniusNormOfSoftmax) {  // fixtures 7 and 12
  const char* id = "softmax-quarter-frobenius";
  EXPECT_EQ(decision(id, logits({0, 0}, 1)), Decision::violated);
  for (const std::size_t length : {2u, 3u, 7u, 24u})
    expect_root(part(id).lhs(logits(std::vector<Rational>(length, ratio(5, 3)), 1), precision),
                ratio(static_cast<long>(length - 1), length * length));
  // with the cap: 18/361 = 2 (9/361)
  EXPECT_EQ(decision(id, logits(std::vector<Rational>(19, 0), ratio(3, 19))), Decision::equality);
  // entry by entry in double
  const double weights[] = {std::exp(1.0), std::exp(0.25), 1.0}, total = weights[0] + weights[1] + weights[2];
  double squares = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) squares += std::pow(weights[i] / total * ((i == j ? 1 : 0) - weights[j] / total), 2);
  EXPECT_NEAR(part(id).lhs(logits({2, ratio(1, 2), 0}, 2), precision).midpoint(), std::sqrt(squares) / 2, 1e-15);
}

// The largest of the three quotients, with lambda_1 by the power method in double.
double quotients_in_double(const std::vector<double>& z) {
  std::vector<double> p;
  double total = 0;
  for (const double x : z) total += std::exp(x);
  for (const double x : z) p.push_back(std::exp(x) / total);
  std::vector<double> v(p.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1.0 / static_cast<double>(i + 1);
  double eigenvalue = 0;
  for (int round = 0; round < 20000; ++round) {
    double dot = 0, norm = 0;
    for (std::size_t i = 0; i < v.size(); ++i) dot += p[i] * v[i];
    for (std::size_t i = 0; i < v.size(); ++i) norm += std::pow(v[i] = p[i] * (v[i] - dot), 2);
    eigenvalue = std::sqrt(norm);
    for (double& x : v) x /= eigenvalue;
  }
  std::sort(p.begin(), p.end(), std::greater<>());
  const double t = 1 - p[0] - p[1], b = 2 * p[0] * p[1] + t * (p[0] + p[1]);
  const double floor = (b + std::sqrt(b * b - 4 * p[0] * p[1] * t)) / 2, ceiling = p[0] * (1 - p[0] + p[1]);
  EXPECT_LT(ceiling / floor, 4 - 2 * std::sqrt(2.0));
  return std::max({floor / eigenvalue, eigenvalue / ceiling, 2 * ceiling});
}

TEST(JacobianClaims, SpectralBoundsOfSoftmax) {
  const char* id = "softmax-spectral-bounds";
  EXPECT_NEAR(largest_quotient(id, logits({2, 1, 0}, 1)).midpoint(), quotients_in_double({2, 1, 0}), 1e-11);
  EXPECT_NEAR(largest_quotient(id, logits({0, 3, ratio(1, 2), 1}, 2)).midpoint(),
              quotients_in_double({0, 1.5, 0.25, 0.5}), 1e-11);
  EXPECT_EQ(decision(id, logits({1, 0, 0, 0}, 1)), Decision::equality);  // the rest is p2
  // p1 = p2 = lambda_1: two parts are equalities, the third is 2 p1 against 1
  for (const char* name : {"floor", "ceiling"}) EXPECT_EQ(decision(id, name, logits({1, 1, 0}, 1)), Decision::equality);
  EXPECT_EQ(decision(id, "half", logits({1, 1, 0}, 1)), Decision::held);
  expect_value(largest_quotient(id, logits({1, 1, 0}, 1)), 1);
  expect_value(largest_quotient(id, logits({5, 0, 5, 5}, 3)), 1);
  EXPECT_EQ(decision(id, logits({2, 2}, 1)), Decision::held);      // and that is 1 too: two halves
  EXPECT_EQ(decision(id, logits({3, 0}, 1)), Decision::equality);  // no third token
  // Next to equality, below every exponent, and a step of 2^-1000 apart: the slack decides.
  const Rational cold(1, mpz_class("1000000000000000000000000000000")), tiny(mpz_class(1), mpz_class(1) << 1000);
  EXPECT_EQ(decision(id, logits({0, -1, -2}, cold)), Decision::held);
  EXPECT_EQ(decision(id, logits({0, -1, Rational(-1 - tiny)}, 1)), Decision::held);
  EXPECT_EQ(decision(id, logits({tiny, 0, -1}, 1)), Decision::held);
  EXPECT_EQ(decision(id, logits({tiny, 0, 0}, 1)), Decision::equality);
}

TEST(JacobianClaims, SharpLinesAttainEqualityWhereTheySay) {
  // F = (1, 1), F' = (4, 0): both sides are sqrt 2
  EXPECT_EQ(decision("jacobian-sharp-column", separable({1, 1}, {4, 0})), Decision::equality);
  expect_root(part("jacobian-sharp-column").rhs(separable({1, 1}, {4, 0}), precision), 2);
  // F = (3, 1), F' on the lighter token: (1/4) sqrt(1 - 1/2 + 10/16); on the heavier one it is strict
  expect_root(part("jacobian-sharp-column").rhs(separable({3, 1}, {0, 1}), precision), ratio(9, 128));
  EXPECT_EQ(decision("jacobian-sharp-column", separable({3, 2, 1}, {0, 0, 1})), Decision::equality);
  EXPECT_EQ(decision("jacobian-sharp-column", separable({3, 2, 1}, {1, 0, 0})), Decision::held);
  // fixture 8: sqrt 42/36
  expect_root(part("jacobian-sharp-slope").rhs(separable({1, 2, 3}, {1, 1, 1}), precision), ratio(42, 1296));
  EXPECT_EQ(decision("jacobian-sharp-slope", separable({1, 2, 3}, {1, -1, 1})), Decision::equality);
  EXPECT_EQ(decision("jacobian-sharp-slope", separable({1, 2, 3}, {1, 0, 1})), Decision::held);
  // |F'/F| = 2
  EXPECT_EQ(decision("jacobian-log-slope", separable({1, 2, 3}, {2, -4, 6})), Decision::equality);
  EXPECT_EQ(decision("jacobian-log-slope", separable({1, 2, 3}, {2, 4, 5})), Decision::held);
  EXPECT_EQ(decision("jacobian-log-slope", separable({3, 3, 1}, {3, -3, 0})), Decision::equality);
  EXPECT_EQ(decision("jacobian-log-slope", separable({3, 3, 1}, {3, 0, 1})), Decision::held);
  // L = 2: ||J|| = a_1 a_2 sqrt 2 sqrt(D_1^2 + D_2^2) and lambda_1 = 2 a_1 a_2, so the quotient is sqrt((1 + 1/4)/2)
  expect_root(quotient("jacobian-log-slope", "slope", separable({3, 1}, {3, ratio(1, 2)})), ratio(5, 8));
  expect_value(quotient("jacobian-log-slope", "half", separable({3, 1}, {3, ratio(1, 2)})), ratio(3, 4));  // 4 a_1 a_2
}

// What double cannot see of the leading vector, more bits must: the third token moves the norm by about 10^-40.
TEST(JacobianClaims, EnclosuresNarrowWithPrecision) {
  const Rational small(1, mpz_class("100000000000000000000"));
  const Instance close = separable({1, 1, small}, {1, 1, 0});
  EXPECT_EQ(decision("jacobian-log-slope", close), Decision::equality);
  const Instance closer = separable({2, 1, small}, {2, 1, 0});
  EXPECT_EQ(decision("jacobian-log-slope", closer), Decision::held);
}

}  // namespace
}  // namespace attncert
