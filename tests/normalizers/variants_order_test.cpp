// Equal logits get equal bits from every normalizer of variants.hpp; a larger logit never gets less from those that are
// monotone (Taylor's polynomial is not left of the root of its derivative, nor is z e^z left of -1). And top-k's
// choice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/kernel/budget.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"
#include "tests/normalizers/variants.hpp"

namespace attncert {
namespace {

class VariantsOrder : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

bool monotone(const KernelVariant& variant) {
  return variant.normalizer != "taylor-softmax" && variant.normalizer != "sa-softmax-v0";
}

template <class T>
void expect_order(const KernelVariant& variant, std::vector<T> logits, double temperature) {
  std::sort(logits.begin(), logits.end());
  const std::vector<T> out = weigh(variant, logits, temperature);
  for (std::size_t i = 1; i < out.size(); ++i) {
    const bool kept =
        logits[i] == logits[i - 1] ? same(out[i], out[i - 1]) : !monotone(variant) || out[i] >= out[i - 1];
    ASSERT_TRUE(kept) << variant.label << " T " << temperature << std::hexfloat << " at " << logits[i - 1] << " "
                      << logits[i] << " weights " << out[i - 1] << " " << out[i];
  }
}

// The floats around every step of rint(z log2(e) / T), and around 0 where sigma changes its form.
template <class T>
std::vector<T> around_variant_steps(double temperature, int each_side) {
  std::vector<T> logits;
  for (int n = -60; n < 60; ++n) {
    for (const double place : {0.0, 0.3, 0.5}) {
      T x = static_cast<T>((n + place) * 0.69314718055994531 * temperature);
      for (int k = 0; k < each_side; ++k) x = std::nextafter(x, T(-1e30));
      for (int k = 0; k < 2 * each_side; ++k) {
        logits.push_back(x);
        x = std::nextafter(x, T(1e30));
      }
    }
  }
  return logits;
}

TEST_P(VariantsOrder, AroundEveryStep) {
  for (const KernelVariant& variant : variants()) {
    if (variant.normalizer == "top-k-softmax" || !monotone(variant)) continue;
    for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
      expect_order(variant, around_variant_steps<float>(temperature, 60), temperature);
      expect_order(variant, around_variant_steps<double>(temperature, 60), temperature);
    }
  }
}

TEST_P(VariantsOrder, TiesAndNeighbours) {
  for (const KernelVariant& variant : variants()) {
    if (variant.normalizer == "top-k-softmax") continue;
    for (const double temperature : {1.0, 0.7}) {
      for (const double sigma : {0.01, 3.0, 20.0}) {
        std::vector<float> f = oracle::normal_logits<float>(200, sigma, 1);
        std::vector<double> d = oracle::normal_logits<double>(200, sigma, 2);
        for (std::size_t i = 0; i < 200; ++i) {
          f.push_back(f[i]);
          f.push_back(std::nextafter(f[i], 1e30f));
          d.push_back(d[i]);
          d.push_back(std::nextafter(d[i], 1e30));
        }
        expect_order(variant, f, temperature);
        expect_order(variant, d, temperature);
      }
    }
  }
}

// Positive exactly at the k largest, lowest index first; the weights those of softmax on these alone.
template <class T>
void expect_choice(const std::vector<T>& logits, std::uint64_t k) {
  std::vector<std::size_t> order(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  std::vector<T> others(logits.size(), -std::numeric_limits<T>::infinity());
  for (std::size_t place = 0; place < std::min<std::uint64_t>(k, order.size()); ++place)
    others[order[place]] = logits[order[place]];
  const std::vector<T> out = weigh(top_k(k), logits, 0.9), softmax = row<T>("softmax", others, 0.9);
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_TRUE(same(out[i], softmax[i])) << "k " << k << " L " << logits.size() << " at " << i;
}

TEST_P(VariantsOrder, TopKTakesTheLowestIndexAmongTies) {
  for (const std::size_t length : {1u, 2u, 9u, 40u, 257u, 1000u}) {
    for (const std::uint64_t k : {1ull, 2ull, 3ull, 8ull, 31ull, 255ull, 999ull, 1000ull, ~0ull}) {
      for (const double grid : {0.0, 0.5, 4.0}) {  // 0: no ties
        std::vector<double> logits = oracle::normal_logits<double>(length, 1, length);
        if (grid > 0)
          for (double& x : logits) x = std::round(x / grid) * grid;
        if (length > 8) logits[3] = logits[7] = -std::numeric_limits<double>::infinity();
        expect_choice(logits, k);
        expect_choice(std::vector<float>(logits.begin(), logits.end()), k);
        std::sort(logits.begin(), logits.end());
        expect_choice(logits, k);
        std::reverse(logits.begin(), logits.end());
        expect_choice(std::vector<float>(logits.begin(), logits.end()), k);
      }
    }
  }
}

TEST(TopK, PromisesWhatSoftmaxDoes) {
  for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64}) {
    const Budget& mine = *built_in_budget(*find_kernel("top-k-softmax", dtype));
    const Budget& softmax = *built_in_budget(*find_kernel("softmax", dtype));
    EXPECT_EQ(mine.unit, softmax.unit);
    EXPECT_EQ(mine.other, softmax.other);
    EXPECT_EQ(mine.last, softmax.last);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, VariantsOrder, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
