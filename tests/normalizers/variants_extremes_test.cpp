// The whole range of logits and temperatures, judged by Arb: exponents at random, z and b that cancel, neighbours of
// the ends of the formats, zero ranges, orders and k at their limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "src/kernel/budget.hpp"
#include "tests/normalizers/oracle.hpp"
#include "tests/normalizers/variants.hpp"

namespace attncert {
namespace {

class VariantsExtremes : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

template <class T>
bool judge_extremes(const KernelVariant& variant, const std::vector<T>& logits, double temperature) {
  const std::vector<T> computed = weigh(variant, logits, temperature);
  const oracle::Error error = oracle::error(variant, logits, computed, temperature);
  const attncert_kernel& kernel = *find_kernel(variant.normalizer, sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64);
  EXPECT_LE(error.ulp, ulp_budget(kernel, temperature))
      << kernel.name << " " << variant.label << std::hexfloat << " T " << temperature << " L " << logits.size()
      << " at " << error.index << " logit " << logits[error.index] << " weight " << computed[error.index] << " row "
      << testing::PrintToString(logits);
  return error.ulp <= ulp_budget(kernel, temperature);
}

using Random = std::mt19937_64;  // its sequence is the same everywhere; the standard distributions' are not

double unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

template <class T>
T any(Random& random, int low, int high) {
  const double value = std::ldexp(1 + unit(random), between(random, low, high));
  const double kept = std::min(value, static_cast<double>(std::numeric_limits<T>::max()));
  return static_cast<T>(random() % 2 == 0 ? kept : -kept);
}

// A row around one magnitude, or all over the format, with or without ties and absent entries; T near the magnitude or
// anywhere.
template <class T>
bool random_case(const KernelVariant& variant, Random& random) {
  using Limits = std::numeric_limits<T>;
  const int lowest = Limits::min_exponent - Limits::digits, highest = Limits::max_exponent - 1;
  const int centre = between(random, lowest, highest), width = random() % 3 == 0 ? 2000 : between(random, 0, 30);
  const int low = std::max(lowest, centre - width), high = std::min(highest, centre + width / 4);
  std::vector<T> logits;
  const std::size_t length = 1 + random() % 20;
  for (std::size_t i = 0; i < length; ++i) logits.push_back(any<T>(random, low, high));
  if (random() % 3 == 0) logits.back() = logits.front();
  if (random() % 3 == 0) logits.push_back(std::nextafter(logits.front(), T(0)));
  if (random() % 4 == 0) logits.push_back(-std::numeric_limits<T>::infinity());
  if (random() % 4 == 0) logits.push_back(T(0));
  const bool beside = random() % 2 == 0;
  const int power = beside ? between(random, centre - 12, centre + 4) : between(random, -1074, 1023);
  const double temperature = std::ldexp(1 + unit(random), std::clamp(power, -1074, 1023));
  return judge_extremes(variant, logits, temperature);
}

TEST_P(VariantsExtremes, AnyMagnitude) {
  Random random(20251021);
  for (const KernelVariant& variant : variants()) {
    if (variant.normalizer == "top-k-softmax") continue;  // softmax's own extremes are tested elsewhere
    for (int i = 0; i < 300; ++i) {
      if (!random_case<float>(variant, random) || !random_case<double>(variant, random)) break;
    }
  }
}

TEST_P(VariantsExtremes, BiasThatCancelsTheLogit) {
  Random random(7);
  for (int i = 0; i < 1500; ++i) {
    const double temperature = std::ldexp(1 + unit(random), between(random, -200, 200));
    const double logit = any<double>(random, -300, 700), bias = -logit / temperature;
    if (!std::isfinite(bias)) continue;
    const double other = std::nextafter(bias, i % 2 == 0 ? 1e300 : -1e300);
    const double far = logit * (1 + 0x1p-40 * unit(random));
    judge_extremes<double>(sigmoid(bias), {logit, far, -logit, 0}, temperature);
    judge_extremes<double>(sigmoid(other), {logit, far}, temperature);
    const float single = any<float>(random, -100, 126);
    judge_extremes<float>(sigmoid(-static_cast<double>(single) / temperature), {single, -single}, temperature);
  }
  const double most = std::numeric_limits<double>::max();
  judge_extremes<double>(sigmoid(-most), {most, most / 2, -most, 1}, 1);
  judge_extremes<double>(sigmoid(most), {-most, -most / 2, most, 1}, 1);
  judge_extremes<double>(sigmoid(-1.67e308), {1e308, most}, 0.6);
  judge_extremes<double>(sigmoid(-1.5e308), {most, 1}, 1.2);
}

TEST_P(VariantsExtremes, SigmoidFarLeft) {
  std::vector<double> logits;
  for (int i = 0; i < 900; ++i) logits.push_back(-1.0 * i + 0.01 * (i % 7));
  judge_extremes<double>(sigmoid(0), logits, 1);
  judge_extremes<double>(sigmoid(0.3), logits, 1.2);
  const KernelVariant normalized{"sigmoid-normalized", kDefaults, ""};
  for (const double offset : {0.0, -100.0, -750.0, -1500.0, -1899.0, -1901.0, -5000.0, -1e6}) {
    std::vector<double> moved = logits;
    for (double& x : moved) x += offset;
    judge_extremes(normalized, moved, 1);
    judge_extremes(normalized, moved, 1.7);
    judge_extremes(normalized, std::vector<float>(moved.begin(), moved.end()), 0.7);
  }
}

TEST_P(VariantsExtremes, TaylorAtItsDeepestCancellation) {
  for (const std::uint32_t order : {2u, 4u, 8u, 16u, 32u, 40u, 48u}) {
    for (const double temperature : {1.0, 0.7, 3.0}) {
      std::vector<double> logits;
      for (double z = -70; z < 20; z += 0.07) logits.push_back(z * temperature);
      judge_extremes(taylor(order), logits, temperature);
      judge_extremes(taylor(order), std::vector<float>(logits.begin(), logits.end()), temperature);
      std::vector<double> left(logits.begin(), logits.begin() + 900);  // no large term hides an error in the sum
      judge_extremes(taylor(order), left, temperature);
    }
    judge_extremes<double>(taylor(order), {1e300, 1e299, -1e300, 1e280, 3}, 1);
    judge_extremes<double>(taylor(order), {70000, 65000, 60000, -65536, 1, 0}, 1);
  }
}

// z / T or a difference of logits that no double holds, where the product with the weight fits, or is infinite.
TEST_P(VariantsExtremes, DistancesBeyondTheFormat) {
  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const char* name : {"sa-softmax-v0", "sa-softmax-v1", "sa-softmax-v2", "sa-softmax-v3"}) {
    const KernelVariant variant{name, kDefaults, name};
    judge_extremes<double>(variant, {most, -most, 1, 0}, 1);
    judge_extremes<double>(variant, {most, -most, most / 2, 0}, 1e308);
    judge_extremes<double>(variant, {1e308, 1e308, 1e308, 1e308, -5}, 0.4);  // z / T overflows, the share does not
    judge_extremes<double>(variant, {least, 3 * least, 0, -least}, 1e-323);
    judge_extremes<double>(variant, {least, 3 * least, 0, -least}, 1);
    judge_extremes<double>(variant, {1, 1 + 0x1p-52, 1 - 0x1p-53}, 1e-300);
    judge_extremes<double>(variant, {-1e300, 3, 2.5}, 1e-300);
    judge_extremes<double>(variant, {-1.9e-89, 0, 1e-291},
                           9.4e-295);  // V1: a weight of e^-1066 times a distance of 2^682
    judge_extremes<float>(variant, {1e38f, 1e38f, 3e38f, -3e38f}, 1e-300);
    judge_extremes<float>(variant, {1e38f, 1e38f, 3e38f, -3e38f}, 0.3);
    judge_extremes<float>(variant, {1e-45f, 3e-45f, -1e-45f}, 1e-46);
  }
}

TEST_P(VariantsExtremes, ReluAtTheEndsOfTheFormat) {
  const KernelVariant relu{"relu-normalized", kDefaults, "relu-normalized"};
  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const double temperature : {1e-300, 1.0, 1e300}) {
    judge_extremes<double>(relu, {most, most, most / 3, 1}, temperature);
    judge_extremes<double>(relu, {least, 2 * least, 7 * least, -1}, temperature);
    judge_extremes<double>(relu, {1, 1e-310, 3e-308}, temperature);
    judge_extremes<float>(relu, {3e38f, 3e38f, 1}, temperature);
    judge_extremes<float>(relu, {1e-45f, 3e-45f, -1}, temperature);
  }
}

TEST_P(VariantsExtremes, ZeroRange) {
  for (const double z : {-2.5, 0.0, 3.0}) {
    const std::vector<double> logits(5, z);
    const auto each = [&](const char* name) { return weigh(KernelVariant{name, kDefaults, name}, logits); };
    EXPECT_EQ(each("sa-softmax-v1"), std::vector<double>(5, 0));
    EXPECT_EQ(each("sa-softmax-v2"), std::vector<double>(5, 0));
    if (z > 0) {
      judge_extremes(KernelVariant{"sa-softmax-v3", kDefaults, ""}, logits, 1);  // the oracle says 1 / 5
    } else {
      EXPECT_EQ(each("sa-softmax-v3"), std::vector<double>(5, 0));
    }
    EXPECT_EQ(each("relu-normalized"), std::vector<double>(5, z > 0 ? 0.2 : 0));
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, VariantsExtremes, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
