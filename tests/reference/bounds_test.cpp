// Spectral norms against Eigen's dense decompositions (an independent engine), and the exact test for sums of roots.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "reference/bounds/softmax_jacobian.hpp"
#include "reference/bounds/spectral_norm.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/surd.hpp"
#include "src/core/tape.hpp"

namespace attncert {
namespace {

// Eigen's values are good to a few hundred ulp for these sizes (backward stable: |error| <= c n u ||A||, c n < 500).
constexpr double eigen_error = 500 * 0x1p-53;

TEST(SpectralNorm, EnclosesEigensSingularValue) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    const Tape tape = random_tape(5, "spectral norm", number, 4096);
    Choices choices(tape);
    const std::size_t n = 1 + choices.below(9);
    std::vector<Rational> F, dF;
    Eigen::MatrixXd dense(n, n);
    Rational total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      F.push_back(ratio(1 + static_cast<long>(choices.below(50)), 1 + choices.below(9)));
      dF.push_back(ratio(static_cast<long>(choices.below(41)) - 20, 1 + choices.below(5)));
      total += F.back();
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        dense(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            Rational(((i == j ? 1 : 0) - F[i] / total) * dF[j] / total).get_d();
    const double expected = Eigen::JacobiSVD<Eigen::MatrixXd>(dense).singularValues()(0);
    for (const int bits : {64, 128, 512}) {
      const Precision precision{bits};
      const Interval norm = reference::spectral_norm(reference::separable_jacobian(F, dF, precision), precision);
      EXPECT_LE(norm.lower(), expected + eigen_error * (1 + expected)) << number;
      EXPECT_GE(norm.upper(), expected - eigen_error * (1 + expected)) << number;
      EXPECT_LE(norm.width(), 1e-6 * (1 + expected)) << "too wide to be of use: " << number;
      EXPECT_LE(
          norm.upper(),
          reference::frobenius_norm(reference::separable_jacobian(F, dF, precision), precision).upper() * (1 + 1e-15));
    }
  }
}

TEST(LargestEigenvalue, EnclosesEigensForEveryShapeOfRow) {
  for (std::uint64_t number = 0; number < 80; ++number) {
    const Tape tape = random_tape(6, "largest eigenvalue", number, 4096);
    Choices choices(tape);
    const std::size_t n = 2 + choices.below(30);
    const long spread = choices.pick({1L, 4L, 40L, 400L});
    std::vector<Rational> logits;
    for (std::size_t i = 0; i < n; ++i)
      logits.push_back(number % 4 == 0 ? Rational(static_cast<long>(choices.below(2)))
                                       : ratio(static_cast<long>(choices.below(1000)) * spread, 1000));
    std::size_t first = 0, second = 1;
    if (logits[1] > logits[0]) std::swap(first, second);
    for (std::size_t i = 2; i < n; ++i)
      if (logits[i] > logits[first]) second = first, first = i;
      else if (logits[i] > logits[second]) second = i;
    for (const int bits : {64, 256}) {
      const Precision precision{bits};
      const std::vector<Interval> p = reference::softmax(logits, Rational(1), precision);
      const auto top = reference::top_weights(p, first, second, precision);
      const Interval eigenvalue = reference::largest_eigenvalue(p, top, second, precision);
      Eigen::VectorXd dense(static_cast<Eigen::Index>(n));
      for (std::size_t i = 0; i < n; ++i) dense(static_cast<Eigen::Index>(i)) = p[i].midpoint();
      const Eigen::MatrixXd jacobian = Eigen::MatrixXd(dense.asDiagonal()) - dense * dense.transpose();
      const double expected = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(jacobian).eigenvalues().maxCoeff();
      EXPECT_LE(eigenvalue.lower(), expected + eigen_error) << number;
      EXPECT_GE(eigenvalue.upper(), expected - eigen_error) << number;
      EXPECT_LE(eigenvalue.width(), 1e-12 * eigenvalue.upper()) << number << " " << eigenvalue.text();
    }
  }
}

TEST(SurdSum, FindsTheRelationsAndOnlyThem) {
  const auto is_zero = [](std::initializer_list<std::pair<Rational, Rational>> terms) {
    SurdSum sum;
    for (const auto& [coefficient, radicand] : terms) sum.add(coefficient, radicand);
    return sum.is_zero();
  };
  EXPECT_TRUE(is_zero({}));
  EXPECT_TRUE(is_zero({{1, 8}, {-2, 2}}));                      // sqrt 8 = 2 sqrt 2
  EXPECT_TRUE(is_zero({{1, ratio(1, 2)}, {ratio(-1, 2), 2}}));  // sqrt(1/2) = sqrt(2)/2
  EXPECT_TRUE(is_zero({{3, ratio(4, 9)}, {-2, 1}}));            // rational ones
  EXPECT_TRUE(is_zero({{1, 12}, {1, 27}, {-5, 3}, {7, 0}}));
  EXPECT_FALSE(is_zero({{1, 2}, {1, 3}, {-1, 5}}));
  EXPECT_FALSE(
      is_zero({{1, 2}, {1, 3}, {-1, ratio(989949, 100000)}}));  // sqrt 2 + sqrt 3 = 3.14626..., its square 9.89897...
  EXPECT_FALSE(is_zero({{1, 8}, {-2, 3}}));
}

}  // namespace
}  // namespace attncert
