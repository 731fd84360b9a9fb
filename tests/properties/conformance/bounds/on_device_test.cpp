// The bounds of src/bounds/device agree with those of the processor on rows that the enclosures take too long for; on
// others they are judged as every bound is (judge_test.cpp, attncert accuracy --isa device).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "src/bounds/device/curves.hpp"
#include "src/bounds/device/operator_norms.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/operator_norm.hpp"
#include "src/bounds/separability.hpp"
#include "src/core/mixer.hpp"
#include "src/device/device.hpp"

namespace attncert {
namespace {

void expect_agree(bounds::Certified a, bounds::Certified b, const std::string& what) {
  if (a.value == b.value) return;  // infinities too
  EXPECT_LE(std::fabs(a.value - b.value), a.error + b.error) << what << ": " << a.value << " and " << b.value;
}

// Five tiles; every N.
TEST(BoundsOnDevice, AgreeWithTheProcessorOnLongRows) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  constexpr std::size_t length = 1100, dimension = 6;
  const auto uniform = [](std::uint64_t n) { return static_cast<double>(mixed(n) >> 11) * 0x1p-53; };
  std::vector<double> tokens, weights;
  for (std::size_t k = 0; k < length * dimension; ++k) tokens.push_back(uniform(k) - 0.3);
  for (std::size_t i = 0; i < length; ++i) weights.push_back(std::exp(6 * uniform(length * dimension + i)));
  const bounds::Tokens<double> view{tokens.data(), length, dimension, dimension};
  const bounds::Gram<double> gram(view);
  bounds::DistanceCurves distance;
  bounds::SeparabilityCurves separability;
  bounds::distance_curves<double>(weights, gram, {}, distance);
  bounds::separability_curves<double>(weights, gram, {}, separability);
  const auto on_device = bounds::DeviceTokens::on(**device, view);
  ASSERT_TRUE(on_device);
  const bounds::AskedRow row{weights, {}};
  const Result<Done> done = on_device->curves({&row, 1}, [&](std::size_t, const auto& far, const auto& near) {
    ASSERT_EQ(far.N.size(), length + 1);
    double worst = 0;
    for (std::size_t N = 0; N <= length; ++N) {
      const std::string at = "N " + std::to_string(N);
      expect_agree(far.distance[N], distance.distance[N], at + " distance");
      expect_agree(far.context[N], distance.context[N], at + " context");
      expect_agree(far.diameter[N], distance.diameter[N], at + " diameter");
      expect_agree(near.r[N], separability.r[N], at + " r");
      EXPECT_EQ(near.separable[N].least, separability.separable[N].least) << at;
      EXPECT_EQ(near.separable[N].most, separability.separable[N].most) << at;
      if (N < length) worst = std::max(worst, far.distance.error[N] / far.distance.value[N]);
    }
    EXPECT_LT(worst, 1e-11);
    expect_agree(near.closest, separability.closest, "closest");
    expect_agree(near.farthest, separability.farthest, "farthest");
  });
  EXPECT_TRUE(done) << done.error().message;
}

TEST(BoundsOnDevice, NormsAgreeWithTheProcessorOnLongRows) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  constexpr std::size_t length = 1100;
  const auto uniform = [](std::uint64_t n) { return static_cast<double>(mixed(n) >> 11) * 0x1p-53; };
  std::vector<double> logits, slopes;
  for (std::size_t i = 0; i < length; ++i)
    logits.push_back(12 * uniform(i)), slopes.push_back(uniform(length + i) - 0.5);
  std::vector<bounds::AskedNorm> asked;
  for (const std::string_view normalizer : bounds::normalizers_with_operator_norm())
    for (const double temperature : {0.125, 4.0}) asked.push_back({normalizer, logits, temperature});
  const auto expect_near = [](const bounds::OperatorNorm& found, const bounds::OperatorNorm& wanted,
                              const std::string& what) {
    expect_agree(found.spectral, wanted.spectral, what);
    expect_agree(found.frobenius, wanted.frobenius, what + ", Frobenius");
    EXPECT_LE(found.spectral.error, 1e-11 * found.spectral.value) << what;
  };
  const auto norms = bounds::device_operator_norms(**device, asked);
  ASSERT_TRUE(norms) << norms.error().message;
  for (std::size_t k = 0; k < asked.size(); ++k)
    expect_near((*norms)[k], bounds::operator_norm<double>(asked[k].normalizer, asked[k].logits, asked[k].temperature),
                std::string(asked[k].normalizer));
  const bounds::AskedSeparable separable{logits, slopes};
  const auto values = bounds::device_separable_jacobians(**device, {&separable, 1});
  ASSERT_TRUE(values) << values.error().message;
  expect_near(values->front(), bounds::separable_jacobian<double>(logits, slopes), "weights and slopes");
}

}  // namespace
}  // namespace attncert
