// 1.5-entmax against exact rationals where its support is hardest to tell: logits on the threshold and beside it, far
// logits, temperatures at the ends, rows of every density; on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/kernel/budget.hpp"
#include "src/normalizers/sparse/entmax_exact.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/dense_rows.hpp"
#include "tests/normalizers/entmax_oracle.hpp"

namespace attncert {
namespace {

double worst_seen[2][2] = {};

class Entmax15 : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override {
    std::printf("  worst so far: f32 T=1 %.3f else %.3f, f64 T=1 %.3f else %.3f ulp\n", worst_seen[0][0],
                worst_seen[0][1], worst_seen[1][0], worst_seen[1][1]);
  }
  ForcedInstructionSet forced_{GetParam()};
};

template <class T>
void judge(const std::vector<T>& logits, double temperature) {
  const std::vector<T> out = row<T>("entmax-1.5", logits, temperature);
  const oracle::Worst worst = oracle::entmax15<T>(logits, out, temperature);
  double& seen = worst_seen[sizeof(T) == 8][temperature != 1];
  seen = std::max(seen, worst.ulp);
  EXPECT_TRUE(worst.same_support) << "L " << logits.size() << " T " << temperature;
  EXPECT_EQ(worst.flushed, 0u);
  EXPECT_LE(worst.ulp, ulp_budget(*find_kernel("entmax-1.5", kDtype<T>), temperature))
      << "L " << logits.size() << " T " << temperature << std::hexfloat << " logit " << logits[worst.index]
      << " weight " << out[worst.index];
}

TEST_P(Entmax15, NormalRows) {
  unsigned long long seed = 0;
  for (const double sigma : {1e-4, 0.01, 0.3, 3.0, 100.0}) {
    for (const double temperature : {1.0, 0.1, 0.7, 3.0, 1e-30, 1e30}) {
      for (const std::size_t length : {1u, 2u, 3u, 17u, 130u, 301u}) {
        judge(oracle::normal_logits<float>(length, sigma, ++seed), temperature);
        judge(oracle::normal_logits<double>(length, sigma, seed), temperature);
      }
    }
  }
}

// A logit that makes the distance of another one exactly 2 T, and the numbers beside it.
TEST_P(Entmax15, ThresholdOnALogit) {
  const SupportCounts before = support_counts(SparseFamily::entmax15);
  for (const float base : {0.0f, 2.0f, -7.0f, 1e5f}) {
    for (int k = 1; k < 30; ++k) {  // sum of k squares = 4: 1 + 1 + 1 + 1, 4/9 nine times...
      for (const float step : {2.0f, 1.0f, 0.5f}) {
        std::vector<float> logits(static_cast<std::size_t>(k), base + step);
        float x = base;
        for (int j = 0; j < 2; ++j) x = std::nextafter(x, -1e30f);
        for (int j = 0; j < 5; ++j, x = std::nextafter(x, 1e30f)) {
          std::vector<float> with = logits;
          with.insert(with.end(), {x, base - 3, x});
          judge(with, 1);
          judge(std::vector<double>(with.begin(), with.end()), 1);
          judge(with, 0.5);
        }
      }
    }
  }
  EXPECT_GT(support_counts(SparseFamily::entmax15).exact_supports, before.exact_supports);
}

TEST_P(Entmax15, FineNumbersAroundTheThreshold) {
  const SupportCounts before = support_counts(SparseFamily::entmax15);
  for (const double fine : {1e-10, 1e-20, 1e-30, 1e-38}) {
    for (unsigned long long seed = 0; seed < 5; ++seed) {
      std::vector<float> logits = oracle::normal_logits<float>(60, fine, seed);
      std::vector<double> wide = oracle::normal_logits<double>(60, fine * fine * fine, seed);
      logits.push_back(2);
      wide.push_back(2);
      judge(logits, 1);
      judge(wide, 1);
      logits.back() = 1;
      logits.insert(logits.end(), 3, 1.0f);
      judge(logits, 1);
    }
  }
  judge<double>({-1e-150, -2, 1e-155}, 1);
  judge<double>({-1e-150, -2}, 1);  // the second weight is 2.5e-301
  judge<double>({1e-300, -2}, 1);   // and here it is outside
  EXPECT_GT(support_counts(SparseFamily::entmax15).exact_supports, before.exact_supports);
  EXPECT_GT(support_counts(SparseFamily::entmax15).exact_gaps, before.exact_gaps);
}

TEST_P(Entmax15, LongDenseRows) { judge_long_dense_rows(judge<float>); }

TEST_P(Entmax15, RowsThatASampleMisleads) {
  judge_rows_that_a_sample_misleads([](const auto& logits, double temperature) { judge(logits, temperature); });
}

TEST_P(Entmax15, EndsOfTheFormat) {
  constexpr double far = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  constexpr float far_f = std::numeric_limits<float>::max(), tiny_f = std::numeric_limits<float>::denorm_min();
  for (const double temperature : {1.0, 1e-300, 1e300, 1e-150, 1e150, far, tiny, 3 * tiny}) {
    judge<double>({far, far, -far, 0, 1}, temperature);
    judge<double>({far, std::nextafter(far, 0), -far, far / 2}, temperature);
    judge<double>({tiny, 0, -tiny, 3 * tiny}, temperature);
    judge<double>({1e300, -1e300, 5e299, 0}, temperature);
    judge<double>({1, 0.5, 0.25, 1e-300}, temperature);
    judge<float>({far_f, far_f, -far_f, 0, 1}, temperature);
    judge<float>({tiny_f, 0, -tiny_f, 3 * tiny_f}, temperature);
    judge<float>({1, 0.5f, 0.25f, 1e-30f}, temperature);
  }
}

TEST_P(Entmax15, DenseRows) {
  for (const std::size_t n : {100u, 1500u}) {
    for (const double sigma : {1e-6, 1e-4, 0.01}) {
      judge(oracle::normal_logits<float>(n, sigma, n), 1);
      judge(oracle::normal_logits<double>(n, sigma, n), 0.7);
    }
    judge(std::vector<float>(n, 1.5f), 1);
    judge(std::vector<double>(n, -7.25), 3);
  }
}

TEST_P(Entmax15, OrderIsKept) {
  for (unsigned long long seed = 0; seed < 40; ++seed) {
    std::vector<double> logits = oracle::normal_logits<double>(200, 0.05, seed);
    for (std::size_t i = 0; i < 100; ++i) logits[i] = std::nextafter(logits[i + 100], seed % 2 == 0 ? 1e9 : -1e9);
    const double temperature = seed % 3 == 0 ? 1 : 0.3;
    std::sort(logits.begin(), logits.end());
    const std::vector<double> out = row<double>("entmax-1.5", logits, temperature);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Entmax15, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

// k n^2 + 2 n D = 4 T^2 - sum e^2, solved by hand.
TEST(ExactGap, CountsEveryLogit) {
  const std::vector<double> ties(4, 0.0), uneven = {1, 0, 0, 0};
  const auto gap = [](const std::vector<double>& x) {
    return static_cast<double>(exact_gap(SparseFamily::entmax15, x.data(), x.size(), 1.0, 0.0));
  };
  EXPECT_DOUBLE_EQ(gap(ties), 1);
  EXPECT_DOUBLE_EQ(gap(uneven), (std::sqrt(13.0) - 1) / 4);
}

}  // namespace
}  // namespace attncert
