// separable_jacobian against enclosures (reference/bounds/spectral_norm.hpp), a dense solver, the secular equation, and
// rows whose norm is known; on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/bounds/spectral_norm.hpp"
#include "src/bounds/jacobian.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/bounds/dense_jacobian.hpp"

namespace attncert::bounds {
namespace {

struct SeparableRow {
  std::vector<double> weights, slopes;
};
enum ColumnKind {
  plain,
  signs,
  tied_slopes,
  tied_tokens,
  equal_slopes,
  one_hot,
  softmax_like,
  one_slope,
  near_ties,
  column_kinds
};

SeparableRow separable_row(ColumnKind kind, std::size_t length, Random& random) {
  SeparableRow row;
  for (std::size_t i = 0; i < length; ++i) {
    double w = std::exp(2 * gaussian(random)), g = gaussian(random);
    switch (kind) {
      case tied_slopes:
        g = (i % 3 == 0 ? -1.0 : i % 3 == 1 ? 1.0 : 0.25);
        break;
      case tied_tokens:
        w = (i % 2 == 0 ? 1.0 : 0.5), g = w;
        break;
      case equal_slopes:
        g = 0.7;
        break;
      case one_hot:
        w = (i == 0 ? 1.0 : std::exp2(uniform(random, -40, -20))), g = w * uniform(random, 0.5, 1);
        break;
      case softmax_like:
        g = w;
        break;
      case one_slope:
        g = (i == 1 ? 1.0 : 0.0);
        break;
      case near_ties:
        g = 1 - std::exp2(-std::floor(uniform(random, 20, 54)));
        break;
      case signs:
        w = uniform(random, 0, 1), g = uniform(random, -1, 1);
        break;
      default:
        g = std::abs(g);
    }
    row.weights.push_back(w);
    row.slopes.push_back(g);
  }
  return row;
}

// (x >= truth - error and so on) in intervals: F = w and F' = g w / sum: J = (I - a 1^T) diag(F' / S) with dF = g sum
// w.
void expect_enclosed(const SeparableRow& row, const std::string& where) {
  constexpr Precision precision{200};
  std::vector<Rational> F, dF;
  Rational sum(0);
  for (const double w : row.weights) sum = sum + Rational(w);
  for (std::size_t i = 0; i < row.weights.size(); ++i) {
    F.push_back(Rational(row.weights[i]));
    dF.push_back(Rational(row.slopes[i]) * sum);
  }
  const reference::Matrix J = reference::separable_jacobian(F, dF, precision);
  const OperatorNorm got = separable_jacobian<double>(row.weights, row.slopes);
  const auto check = [&](const Certified& number, const Interval& truth, double sharp) {
    const Interval gap = abs(Interval(number.value, precision) - truth);
    // The enclosure of the norm has a width of its own.
    EXPECT_NE(attncert::less(Interval(number.error, precision), gap), attncert::Truth::yes)
        << where << " value " << number.value << " error " << number.error << " truth " << truth.text();
    EXPECT_LE(number.error, sharp * number.value) << where;
  };
  check(got.frobenius, reference::frobenius_norm(J, precision), 1e-13);
  check(got.spectral, reference::spectral_norm(J, precision), 1e-10);
}

TEST(SeparableJacobian, EnclosedOnEveryKind) {
  Random random(11);
  for (int kind = 0; kind < column_kinds; ++kind)
    for (int round = 0; round < 12; ++round) {
      const auto length = static_cast<std::size_t>(uniform(random, 2, 6));
      expect_enclosed(separable_row(static_cast<ColumnKind>(kind), length, random),
                      "kind " + std::to_string(kind) + " round " + std::to_string(round));
    }
}

TEST(SeparableJacobian, AgreesWithADenseSolverOnEveryInstructionSet) {
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    Random random(12);
    for (int kind = 0; kind < column_kinds; ++kind)
      for (const std::size_t length : {2, 3, 7, 16, 33, 60}) {
        const SeparableRow row = separable_row(static_cast<ColumnKind>(kind), length, random);
        const Vector w(row.weights.begin(), row.weights.end()), g(row.slopes.begin(), row.slopes.end());
        expect_near(separable_jacobian<double>(row.weights, row.slopes), separable_matrix(w, g),
                    name + " kind " + std::to_string(kind) + " L " + std::to_string(length));
      }
  }
}

// g = a: softmax's own Jacobian, whose norm the secular equation has.
TEST(SeparableJacobian, AgreesWithTheSecularEquation) {
  Random random(13);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> w(1000);
    double sum = 0;
    const double sigma = std::exp2(uniform(random, -7, 3));
    for (double& weight : w) sum += weight = std::exp(sigma * gaussian(random));
    const OperatorNorm got = separable_jacobian<double>(w, w);
    const SoftmaxJacobian expected = softmax_jacobian<double>(w, 1);
    EXPECT_NEAR(got.spectral.value / sum, expected.spectral.value,
                got.spectral.error / sum + expected.spectral.error + 1e-13 * expected.spectral.value);
    EXPECT_NEAR(got.frobenius.value / sum, expected.frobenius.value,
                got.frobenius.error / sum + expected.frobenius.error + 1e-13 * expected.spectral.value);
    EXPECT_LE(got.spectral.error, 1e-10 * got.spectral.value);
  }
}

TEST(SeparableJacobian, Degenerate) {
  const auto both = [](std::vector<double> w, std::vector<double> g) { return separable_jacobian<double>(w, g); };
  EXPECT_EQ(both({1, 2}, {0, 0}).spectral.value, 0);
  EXPECT_EQ(both({3}, {5}).spectral.value, 0);
  EXPECT_EQ(both({3}, {5}).spectral.error, 0);
  EXPECT_TRUE(std::isnan(both({0, 0}, {1, 1}).spectral.value));
  EXPECT_TRUE(std::isnan(both({1, -1}, {1, 1}).spectral.value));
  EXPECT_TRUE(std::isnan(both({1, 1}, {1, std::nan("")}).spectral.value));
  // a = (1, 0), g = (1, 1): J = [[0, -1], [0, 1]]
  const OperatorNorm one = both({1, 0}, {1, 1});
  EXPECT_NEAR(one.spectral.value, std::sqrt(2.0), one.spectral.error);
  const OperatorNorm scaled = both({0x1p900, 0}, {0x1p-900, 0x1p-900});
  EXPECT_NEAR(scaled.spectral.value * 0x1p900, std::sqrt(2.0), 1e-14);
  const OperatorNorm faint = both({1, 1e-250}, {1, 1e-250});  // truth is about 2e-250
  EXPECT_LE(std::abs(faint.spectral.value - 2e-250), faint.spectral.error);
}

// L = 2: J = (1, -1)^T (g_1 a_2, -g_2 a_1), of norm sqrt(2) hypot(g_1 a_2, g_2 a_1). With a_2 = t a_1, g_1 = 1 and
// g_2^2 = 1 - (t - 1)^2 / 2 that is 1: the eigenvalue lies on the largest g^2, where one basis of W loses half its
// digits.
TEST(SeparableJacobian, EigenvalueAtTheLargestSlope) {
  Random random(14);
  for (int round = 0; round < 500; ++round) {
    const double t = uniform(random, 1, 2.4), away = round % 2 == 0 ? 0 : std::exp2(uniform(random, -50, -5));
    const double slope = std::sqrt(1 - (t - 1) * (t - 1) / 2) * (1 + away);
    const OperatorNorm got = separable_jacobian<double>(std::vector<double>{1, t}, std::vector<double>{1, slope});
    const Real truth = std::sqrt(2.0L) * std::hypot(Real{t}, Real{slope}) / (1 + Real{t});
    EXPECT_LE(std::abs(got.spectral.value - truth), got.spectral.error + 1e-18L) << round;
    EXPECT_LE(got.spectral.error, 1e-12) << round;
  }
}

}  // namespace
}  // namespace attncert::bounds
