// The support of sparsemax against exact rationals where it is hardest: logits on the threshold and beside it. The
// counters tell that the exact path was taken, so these cases are not the easy ones.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "src/kernel/budget.hpp"
#include "src/normalizers/sparse/entmax_exact.hpp"
#include "src/normalizers/sparse/exact_sum.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/dense_rows.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

class Sparsemax : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

template <class T>
void judge_sparse(const std::vector<T>& logits, double temperature) {
  const std::vector<T> out = row<T>("sparsemax", logits, temperature);
  const oracle::Worst worst = oracle::sparsemax<T>(logits, out, temperature);
  EXPECT_TRUE(worst.same_support) << "L " << logits.size() << " T " << temperature;
  EXPECT_LE(worst.ulp, ulp_budget(*find_kernel("sparsemax", kDtype<T>), temperature))
      << "L " << logits.size() << " T " << temperature << std::hexfloat << " logit " << logits[worst.index];
}

// The threshold of a row, nearest double.
template <class T>
double threshold(std::vector<T> logits, double temperature) {
  std::sort(logits.begin(), logits.end(), std::greater<>());
  mpq_class sum = -mpq_class(temperature), found;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    const mpq_class logit(static_cast<double>(logits[k]));
    if (k > 0 && logit <= found) break;
    sum += logit;
    found = sum / static_cast<unsigned long>(k + 1);
  }
  return found.get_d();
}

template <class T>
void neighbours_of_threshold(double sigma, double temperature, double offset) {
  for (unsigned long long seed = 0; seed < 20; ++seed) {
    std::vector<T> logits = oracle::normal_logits<T>(3 + seed, sigma, seed);
    for (T& x : logits) x += static_cast<T>(offset);
    T x = static_cast<T>(threshold(logits, temperature));
    for (int k = 0; k < 3; ++k) x = std::nextafter(x, T(-1e30));
    for (int k = 0; k < 7; ++k) {
      std::vector<T> with = logits;
      with.push_back(x);
      judge_sparse(with, temperature);
      with.push_back(std::nextafter(x, T(1e30)));
      with.insert(with.begin(), 5, x);
      judge_sparse(with, temperature);
      x = std::nextafter(x, T(1e30));
    }
  }
}

TEST_P(Sparsemax, LongDenseRows) { judge_long_dense_rows(judge_sparse<float>); }

TEST_P(Sparsemax, RowsThatASampleMisleads) {
  judge_rows_that_a_sample_misleads([](const auto& logits, double temperature) { judge_sparse(logits, temperature); });
}

TEST_P(Sparsemax, NeighboursOfTheThreshold) {
  for (const double sigma : {0.01, 0.3, 3.0}) {
    for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
      for (const double offset : {0.0, 100.0, -1e5}) {
        neighbours_of_threshold<float>(sigma, temperature, offset);
        neighbours_of_threshold<double>(sigma, temperature, offset);
      }
    }
  }
}

// Logits on a grid hit the threshold exactly.
TEST_P(Sparsemax, ThresholdOnALogit) {
  const std::uint64_t before = support_counts(SparseFamily::sparsemax).exact_supports;
  for (unsigned long long seed = 0; seed < 200; ++seed) {
    std::vector<float> logits = oracle::normal_logits<float>(2 + seed % 40, 0.5, seed);
    for (float& x : logits) x = std::round(4 * x) / 4;
    judge_sparse(logits, 1);
    judge_sparse(logits, 0.5);
    judge_sparse(std::vector<double>(logits.begin(), logits.end()), 1);
  }
  EXPECT_GT(support_counts(SparseFamily::sparsemax).exact_supports, before);
}

// Threshold 0 among numbers far finer than a double's distance from the largest logit can show.
TEST_P(Sparsemax, FineNumbersAroundTheThreshold) {
  const SupportCounts before = support_counts(SparseFamily::sparsemax);
  for (const double fine : {1e-10, 1e-20, 1e-30, 1e-38}) {
    for (unsigned long long seed = 0; seed < 10; ++seed) {
      std::vector<float> logits = oracle::normal_logits<float>(60, fine, seed);
      std::vector<double> wide = oracle::normal_logits<double>(60, fine * fine * fine, seed);
      logits.push_back(1);
      wide.push_back(1);
      judge_sparse(logits, 1);
      judge_sparse(wide, 1);
      logits.back() = 0.5f;
      logits.push_back(0.5f);
      judge_sparse(logits, 1);
    }
  }
  judge_sparse<double>({-1e-300, -1, 1e-310}, 1);
  judge_sparse<double>({-1e-300, -1}, 1);  // the second weight is 5e-301
  judge_sparse<double>({1e-300, -1}, 1);   // and here it is outside by as little
  EXPECT_GT(support_counts(SparseFamily::sparsemax).exact_supports, before.exact_supports);
  EXPECT_GT(support_counts(SparseFamily::sparsemax).exact_gaps, before.exact_gaps);
}

// Where logits, gap and weights are a few of the smallest doubles, nothing may be rounded before the weight is; and
// about 2^-900, where pairs of doubles serve again.
TEST_P(Sparsemax, WeightsNextToTheSmallestDouble) {
  for (const double temperature : {1.0, 1.25, 3.0, 4.783, 7.9, 0x1.1p40}) {
    for (const double steps : {9.0, 17.0, 18.0, 42.0, 43.0, 1e6 + 1, 0x1.8p172, 0x1.8p173, 0x1.8p174, 0x1.8p175}) {
      const double x = steps * temperature * 0x1p-1074;
      judge_sparse<double>({temperature, x, x / 4, 0}, temperature);
      judge_sparse<double>({temperature, x, x, 3 * x}, temperature);
    }
  }
}

TEST_P(Sparsemax, DenseRows) {
  for (const std::size_t n : {100u, 3000u}) {
    for (const double sigma : {1e-6, 1e-4, 0.01}) {
      judge_sparse(oracle::normal_logits<float>(n, sigma, n), 1);
      judge_sparse(oracle::normal_logits<double>(n, sigma, n), 0.7);
    }
    judge_sparse(std::vector<float>(n, 1.5f), 1);
    judge_sparse(std::vector<double>(n, -7.25), 3);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Sparsemax, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

TEST(ExactSum, AgreesWithRationals) {
  const std::vector<double> normal = oracle::normal_logits<double>(400, 1, 9);
  for (std::size_t start = 0; start < 300; start += 10) {
    ExactSum sum;
    mpq_class exact;
    for (std::size_t i = start; i < start + 50; ++i) {
      const int spread = static_cast<int>(1000 * normal[(7 * i) % 400]) % 1070;
      const double value = std::ldexp(normal[i], i % 3 == 0 ? spread : spread / 300);
      const long multiplier = i % 4 == 0 ? static_cast<long>(2e9 * normal[(3 * i) % 400] / 5) : 1;
      if (!std::isfinite(value)) continue;
      sum.add(value, multiplier);
      exact += mpq_class(value) * multiplier;
      ASSERT_EQ(sum.sign(), sgn(exact));
      ASSERT_NEAR(static_cast<double>(sum.magnitude() / std::fabs(exact.get_d())), 1, 1e-15);
    }
  }
}

TEST(ExactSum, CancelsToNothing) {
  ExactSum sum;
  const double values[] = {std::numeric_limits<double>::max(), 4.9406564584124654e-324, -0.1, 3e-310};
  for (const double value : values) sum.add(value, 2147483647);
  EXPECT_EQ(sum.sign(), 1);
  for (const double value : values) sum.add(-value, 2147483647);
  EXPECT_EQ(sum.sign(), 0);
  sum.add(-4.9406564584124654e-324);
  EXPECT_EQ(sum.sign(), -1);
  EXPECT_EQ(static_cast<double>(sum.magnitude()), 4.9406564584124654e-324);
}

}  // namespace
}  // namespace attncert
