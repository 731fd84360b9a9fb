// softmax_jacobian against enclosures in intervals (small rows of every kind), against a dense eigensolver in double
// (longer rows), and against cases that are known exactly; on every instruction set.
#include "src/bounds/jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reference/bounds/softmax_jacobian.hpp"
#include "src/bounds/secular.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bounds {
namespace {

constexpr Precision precision{256};
using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// Kinds of weights: what is hard about each is in its name.
enum Kind {
  normal,
  flat,
  near_one_hot,
  far_one_hot,
  geometric,
  tied_top,
  near_tie,
  tied_second,
  subnormal,
  huge,
  kinds
};

double weight_of(Kind kind, std::size_t i, Random& random) {
  switch (kind) {
    case normal:
      return std::exp(3 * std::normal_distribution<double>()(random));
    case flat:
      return 1 + 0.01 * std::normal_distribution<double>()(random);
    case near_one_hot:
      return i == 0 ? 1.0 : std::exp2(uniform(random, -60, -10));
    case far_one_hot:
      return i == 0 ? 1.0 : std::exp2(uniform(random, -1060, -900));
    case geometric:
      return std::exp2(-static_cast<double>(i));
    case tied_top:
      return i < 3 ? 1.0 : uniform(random, 0, 1);
    case near_tie:
      return i == 0 ? 1.0 : i == 1 ? 1 - std::exp2(-std::floor(uniform(random, 1, 54))) : uniform(random, 0, 0.999);
    case tied_second:
      return i == 0 ? 1.0 : i < 4 ? 0.75 : uniform(random, 0, 0.7);
    case subnormal:
      return std::numeric_limits<double>::denorm_min() * std::floor(uniform(random, 0, 1000));
    default:
      return std::exp2(uniform(random, 900, 1023));
  }
}

template <class T>
std::vector<T> row_of(Kind kind, std::size_t length, Random& random) {
  std::vector<T> row;
  for (std::size_t i = 0; i < length; ++i) {
    double weight = weight_of(kind, i, random);
    if constexpr (sizeof(T) == 4) {
      if (kind == subnormal) weight = std::ldexp(weight, 1074 - 149);
      if (kind == huge) weight = std::ldexp(weight, 127 - 1023);
    }
    row.push_back(static_cast<T>(weight));
  }
  if (std::all_of(row.begin(), row.end(), [](T w) { return w == 0; })) row[0] = 1;
  std::shuffle(row.begin(), row.end(), random);
  return row;
}

struct Truth {
  Interval spectral, frobenius, entry, lower, upper, root_bound;
};

template <class T>
Truth truth_of(const std::vector<T>& row) {
  const Interval zero(0.0, precision), one(1.0, precision), four(4.0, precision);
  Interval sum = zero;
  for (const T w : row) sum += Interval(static_cast<double>(w), precision);
  std::vector<Interval> p;
  for (const T w : row) p.push_back(Interval(static_cast<double>(w), precision) / sum);
  const auto first = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
  std::size_t second = first;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (i != first && (second == first || row[i] > row[second])) second = i;
  const reference::TopWeights top = reference::top_weights(p, first, second, precision);
  Interval squares = zero, frobenius = zero, entry = zero;
  for (const Interval& q : p) squares += square(q);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Interval others = i == first ? top.rest : one - p[i];
    frobenius += square(p[i]) * square(others);
    for (std::size_t j = 0; j < p.size(); ++j)
      if (j != i) frobenius += square(p[i] * p[j]);
    entry = max(entry, p[i] * others);
  }
  Interval pairs = zero;  // 1 - A = sum over i != j of p_i p_j, without cancellation
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) pairs += p[i] * p[j] + p[i] * p[j];
  return {row.size() == 1 ? zero : reference::largest_eigenvalue(p, top, second, precision),
          sqrt(frobenius),
          entry,
          row.size() == 1 ? zero : reference::two_weight_floor(top, precision),
          row.size() == 1 ? zero : top.p1 * (top.rest + top.p2),
          sqrt(squares * pairs)};
}

// |value - truth| <= error, certainly; and the error is of use.
void expect_certified(const Certified& got, const Interval& truth, double T, double sharp, const std::string& where) {
  const Interval exact = truth / Interval(T, precision), value(got.value, precision), error(got.error, precision);
  EXPECT_EQ(attncert::less_equal(abs(value - exact), error), attncert::Truth::yes)
      << where << " value " << got.value << " error " << got.error << " truth " << exact.text();
  EXPECT_LE(got.error, sharp * got.value + 3 * std::numeric_limits<double>::min()) << where;
}

template <class T>
void check_row(const std::vector<T>& row, double temperature, const std::string& where) {
  const SoftmaxJacobian got = softmax_jacobian<T>(row, temperature);
  const Truth truth = truth_of(row);
  expect_certified(got.spectral, truth.spectral, temperature, 1e-13, where + " spectral");
  expect_certified(got.frobenius, truth.frobenius, temperature, 1e-13, where + " frobenius");
  expect_certified(got.entry, truth.entry, temperature, 1e-13, where + " entry");
  expect_certified(got.row_sum, truth.entry + truth.entry, temperature, 1e-13, where + " row_sum");
  expect_certified(got.lower, truth.lower, temperature, 1e-13, where + " lower");
  expect_certified(got.upper, truth.upper, temperature, 1e-13, where + " upper");
  expect_certified(got.root_bound, truth.root_bound, temperature, 1e-13, where + " root_bound");
}

template <class T>
void check_kinds(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  for (int kind = 0; kind < kinds; ++kind)
    for (std::size_t r = 0; r < rows; ++r) {
      const auto length = static_cast<std::size_t>(uniform(random, 1, 24));
      const std::vector<T> row = row_of<T>(static_cast<Kind>(kind), length, random);
      const double temperature = r % 3 == 0 ? 1.0 : std::exp2(uniform(random, -8, 8));
      check_row(row, temperature,
                "kind " + std::to_string(kind) + " row " + std::to_string(r) + " L " + std::to_string(length));
      if (testing::Test::HasFailure()) return;
    }
}

TEST(SoftmaxJacobian, EnclosedOnEveryKindF64) { check_kinds<double>(150, 1); }
TEST(SoftmaxJacobian, EnclosedOnEveryKindF32) { check_kinds<float>(100, 2); }
TEST(SoftmaxJacobian, EnclosedOnEveryInstructionSet) {
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    check_kinds<double>(15, 3);
    check_kinds<float>(10, 4);
  }
}

TEST(SoftmaxJacobian, LongRowsAgreeWithADenseSolver) {
  Random random(5);
  for (int kind = 0; kind < subnormal; ++kind) {
    const std::size_t length = 200;
    const std::vector<double> row = row_of<double>(static_cast<Kind>(kind), length, random);
    Eigen::VectorXd p(length);
    for (std::size_t i = 0; i < length; ++i) p[static_cast<Eigen::Index>(i)] = row[i];
    p /= p.sum();
    Eigen::MatrixXd J = -p * p.transpose();
    J.diagonal() += p;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(J, Eigen::EigenvaluesOnly);
    const SoftmaxJacobian got = softmax_jacobian<double>(row, 1);
    EXPECT_NEAR(got.spectral.value, solver.eigenvalues()[static_cast<Eigen::Index>(length) - 1], 2e-14) << kind;
    EXPECT_NEAR(got.frobenius.value, J.norm(), 2e-14) << kind;
    EXPECT_LE(got.spectral.error, 1e-12 * got.spectral.value) << kind;
  }
}

// The root by its own error alone: sigma's is not there to hide it.
TEST(SecularRoot, EnclosedByItsOwnError) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    const std::vector<double> row = row_of<double>(static_cast<Kind>(round % subnormal), 20, random);
    Interval sum(0.0, precision);
    for (const double w : row) sum += Interval(w, precision);
    Spectrum spectrum;
    ASSERT_TRUE(spectrum_of<double>(row, spectrum));
    const SecularRoot root = largest_root(spectrum);
    const Interval value(std::ldexp(root.value, spectrum.exponent), precision);
    // At a tie the root is exact, and only the enclosure has a width, below 2^-200.
    const Interval error = value * (Interval(root.relative, precision) + Interval(0x1p-200, precision));
    EXPECT_EQ(attncert::less_equal(abs(value - truth_of(row).spectral * sum), error), attncert::Truth::yes) << round;
    EXPECT_LE(root.passes, 8) << round;
    for (const double v : {0x1p-90, 0x1p-9, 1.0, 0x1p9, 0x1p90}) {
      Spectrum beside = spectrum;
      beside.v = v;
      const SecularRoot more = largest_root(beside);
      EXPECT_LE(more.passes, 8) << round << " v " << v;
      EXPECT_LE(more.relative, 1e-13) << round << " v " << v;
      EXPECT_GE(more.value * (1 + more.relative), root.value * (1 - root.relative)) << round;  // mu grows with v
    }
  }
}

// What the errors may be at the longest ordinary rows, on every instruction set; and lower <= spectral <= upper,
// frobenius <= root_bound.
TEST(SoftmaxJacobian, SharpAndOrderedAtLength4096) {
  Random random(6);
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    for (int kind = 0; kind < kinds; ++kind) {
      const std::vector<double> row = row_of<double>(static_cast<Kind>(kind), 4096, random);
      const SoftmaxJacobian got = softmax_jacobian<double>(row, 1);
      const double least = std::numeric_limits<double>::min();
      EXPECT_LE(got.spectral.error, 1e-12 * got.spectral.value + 3 * least) << name << kind;
      EXPECT_LE(got.frobenius.error, 1e-12 * got.frobenius.value + 3 * least) << name << kind;
      EXPECT_LE(got.lower.value - got.lower.error, got.spectral.value + got.spectral.error);
      EXPECT_LE(got.spectral.value - got.spectral.error, got.upper.value + got.upper.error);
      EXPECT_LE(got.frobenius.value - got.frobenius.error, got.root_bound.value + got.root_bound.error);
    }
  }
}

TEST(SoftmaxJacobian, KnownExactly) {
  for (const std::size_t length : {2, 3, 7, 64, 1000}) {
    const auto L = static_cast<double>(length);
    const SoftmaxJacobian uniform_row = softmax_jacobian<float>(std::vector<float>(length, 0.3F), 2);
    EXPECT_NEAR(uniform_row.spectral.value, 0.5 / L, uniform_row.spectral.error);
    EXPECT_NEAR(uniform_row.frobenius.value, 0.5 * std::sqrt(L - 1) / L, uniform_row.frobenius.error);
    EXPECT_LE(uniform_row.spectral.error, 1e-13 / L);
  }
  const SoftmaxJacobian halves = softmax_jacobian<double>(std::vector<double>{1, 0, 1, 0}, 0.25);
  EXPECT_NEAR(halves.spectral.value, 2, halves.spectral.error);
  EXPECT_NEAR(halves.entry.value, 1, halves.entry.error);
  EXPECT_EQ(halves.quarter.value, 1);
  EXPECT_EQ(halves.half.value, 2);
  for (const std::vector<double>& one :
       {std::vector<double>{3}, std::vector<double>{0, 5, 0}, std::vector<double>{7e300, 0}}) {
    const SoftmaxJacobian none = softmax_jacobian<double>(one, 1e-3);
    for (const Certified& number :
         {none.spectral, none.frobenius, none.entry, none.lower, none.upper, none.root_bound}) {
      EXPECT_EQ(number.value, 0);
      EXPECT_EQ(number.error, 0);
    }
  }
}

// Equal weights: additions of one chain all round the same way for long stretches, which random rows never do.
TEST(SoftmaxJacobian, RoundingThatDoesNotAverageOut) {
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    for (int tenths = 10; tenths < 20; ++tenths) {
      constexpr std::size_t length = 16000;
      const SoftmaxJacobian got = softmax_jacobian<double>(std::vector<double>(length, tenths / 10.0), 1);
      const long double spectral = 1.0L / length, frobenius = std::sqrt(length - 1.0L) / length;
      EXPECT_LE(std::abs(got.spectral.value - spectral), got.spectral.error) << name << tenths;
      EXPECT_LE(std::abs(got.frobenius.value - frobenius), got.frobenius.error) << name << tenths;
    }
  }
}

TEST(SoftmaxJacobian, RefusesWhatHasNoAnswer) {
  const double nan = std::nan(""), infinite = HUGE_VAL;
  EXPECT_TRUE(std::isnan(softmax_jacobian<double>(std::vector<double>{}, 1).spectral.value));
  EXPECT_TRUE(std::isnan(softmax_jacobian<double>(std::vector<double>{0, 0}, 1).spectral.value));
  for (const double wrong : {nan, infinite, -1.0})
    for (std::size_t at = 0; at < 37; ++at) {  // every lane of the vector loop, and its tail
      std::vector<double> row(37, 0.5);
      row[at] = wrong;
      EXPECT_TRUE(std::isnan(softmax_jacobian<double>(row, 1).spectral.value)) << wrong << " at " << at;
      const std::vector<float> single(row.begin(), row.end());
      EXPECT_TRUE(std::isnan(softmax_jacobian<float>(single, 1).spectral.value)) << wrong << " at " << at;
    }
  for (const double temperature : {0.0, -1.0, nan, infinite})
    EXPECT_TRUE(std::isnan(softmax_jacobian<double>(std::vector<double>{1, 2}, temperature).half.value));
  EXPECT_TRUE(std::isnan(softmax_jacobian<double>(std::vector<double>{1, 2}, 1, 1.0).spectral.value));
}

// Weights within relative_error of others: the numbers of the others lie within the errors of these.
TEST(SoftmaxJacobian, CoversTheErrorOfTheWeights) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const double relative = std::exp2(uniform(random, -40, -2));
    const std::vector<double> meant = row_of<double>(static_cast<Kind>(round % subnormal), 12, random);
    std::vector<double> given = meant;
    const bool opposed = round % 2 == 0;  // the largest down and all others up moves most
    const double largest = *std::max_element(meant.begin(), meant.end());
    for (double& w : given)
      w *= 1 + relative * (1 - 0x1p-10) * (opposed ? (w == largest ? -1 : 1) : uniform(random, -1, 1));
    const SoftmaxJacobian got = softmax_jacobian<double>(given, 1, relative),
                          exact = softmax_jacobian<double>(meant, 1);
    const auto covers = [](Certified a, Certified b) { return std::abs(a.value - b.value) <= a.error + b.error; };
    EXPECT_TRUE(covers(got.spectral, exact.spectral)) << round;
    EXPECT_TRUE(covers(got.frobenius, exact.frobenius)) << round;
    EXPECT_TRUE(covers(got.entry, exact.entry)) << round;
    EXPECT_TRUE(covers(got.lower, exact.lower)) << round;
    EXPECT_TRUE(covers(got.upper, exact.upper)) << round;
    EXPECT_TRUE(covers(got.root_bound, exact.root_bound)) << round;
  }
}

}  // namespace
}  // namespace attncert::bounds
