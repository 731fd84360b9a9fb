// The kernels of bounds give the bits that are stored here, and the bounds those of the sequential program, in every
// shape and batch. Against the enclosures and the processor's own bounds:
// tests/properties/conformance/bounds/on_device_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <string>
#include <string_view>

#include "src/bounds/device/curves.hpp"
#include "src/bounds/device/operator_norms.hpp"
#include "src/bounds/device/row_sums.hpp"
#include "tests/device/bounds_launches.hpp"
#include "tests/device/bounds_rows.hpp"
#include "tests/device/sequential_device.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

using bounds::TileShape;

class DeviceBounds : public testing::Test {
 protected:
  void SetUp() override {
    if (!device::f64_device()) GTEST_SKIP() << device::f64_device().error().message;
  }
  static const device::Device& device() { return **device::f64_device(); }
};

struct StoredBounds {
  std::string_view kernel;
  std::size_t length;
  std::uint64_t hash;
};
// A changed formula gives new ones, which the sequential program prints.
constexpr StoredBounds stored_bounds[] = {
    {"gram", 1, 0xb1025ed6231a6e13u},           {"gram", 7, 0x88ae351126a44128u},
    {"gram", 300, 0x9b4552c110cd57e8u},         {"gram", 600, 0xb2292ec701ccbb06u},
    {"own_products", 1, 0xd8d7a32191405272u},   {"own_products", 7, 0x7f89e11b965c7956u},
    {"own_products", 300, 0x200e8a5c5d42dff6u}, {"own_products", 600, 0x2efa1f050ada19d7u},
    {"rest", 1, 0x72d56b6f114a1b97u},           {"rest", 7, 0xb172466ad5361e25u},
    {"rest", 300, 0x60ff065fca8fceb2u},         {"rest", 600, 0x78c5cb42f9021eebu},
    {"within", 1, 0x55eea4364fa5cad9u},         {"within", 7, 0x56bc8aa4eeea4a42u},
    {"within", 300, 0xa392b61646686f80u},       {"within", 600, 0x068c653c3ec84ab6u},
    {"head", 1, 0xd19b67b2d77d4003u},           {"head", 7, 0x12afc50d625498ebu},
    {"head", 300, 0x6d3078beecf17e92u},         {"head", 600, 0x9edd33fb08daa767u},
    {"poles", 1, 0xd648d19ad3dcf960u},          {"poles", 7, 0xa882bcb3034c6091u},
    {"poles", 300, 0xc38184718b44ac70u},        {"poles", 600, 0x0b13c3ab8ad3eba7u},
    {"inertia", 1, 0xbd4ef8f9b601923cu},        {"inertia", 7, 0xae98d87fea2b550cu},
    {"inertia", 300, 0x78f64e6746d9bc58u},      {"inertia", 600, 0x6953990ebc22d8c7u},
};

TEST(DeviceBoundsAlone, TheSequentialProgramHasTheStoredOnes) {
  for (const BoundsKernel& kernel : bounds_kernels())
    for (const std::size_t length : {1u, 7u, 300u, 600u}) {
      const auto one = std::find_if(std::begin(stored_bounds), std::end(stored_bounds), [&](const StoredBounds& other) {
        return other.kernel == kernel.name && other.length == length;
      });
      const std::uint64_t hash = launched_hash(SequentialDevice(), kernel, length);
      EXPECT_EQ(hash, one == std::end(stored_bounds) ? 0 : one->hash)
          << "{\"" << kernel.name << "\", " << length << ", 0x" << std::hex << std::setw(16) << std::setfill('0')
          << hash << "u},";
    }
}

TEST_F(DeviceBounds, EveryShapeHasTheStoredOnes) {
  for (const auto& [name, length, hash] : stored_bounds) {
    if (device().interprets() && length > 7) continue;  // minutes
    const auto kernels = bounds_kernels();
    const auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == name; });
    if (!is_taken(static_cast<std::size_t>(kernel - kernels.begin()))) continue;
    EXPECT_EQ(launched_hash(device(), *kernel, length, {256, 1}), hash) << name << ", " << length;
    // Without optimisation the programs of another shape are sooner there.
    const char* options = device().name().starts_with("Portable") ? " -cl-opt-disable" : "";
    EXPECT_EQ(launched_hash(device(), *kernel, length, {64, 4}, options), hash) << name << ", " << length;
  }
}

// One token, one tile, two and three.
TEST_F(DeviceBounds, EveryBatchHasTheBitsOfTheSequentialProgram) {
  for (const auto& [length, dimension] : {std::pair{1, 3}, {7, 5}, {300, 4}, {600, 3}}) {
    if (device().interprets() && length != 7) continue;  // minutes
    const DrawnRows rows(static_cast<std::size_t>(length), static_cast<std::size_t>(dimension));
    const std::uint64_t wanted = bits_of(SequentialDevice(), rows);
    const TileShape shape = device().interprets() ? TileShape{64, 4} : TileShape();
    EXPECT_EQ(bits_of(device(), rows, shape), wanted) << length;
    if (!device().interprets()) {
      EXPECT_EQ(bits_of(device(), rows, shape, true), wanted) << length;
    }
  }
}

// Curves at every N of rows over 40 tokens, and how many launches they took.
struct TakenCurves {
  std::vector<double> numbers;
  std::size_t rows = 0, launches = 0;
};
Result<Done> take_curves(const SequentialDevice& device, std::size_t repeated, TakenCurves& taken,
                         bounds::BatchLimits most = {}) {
  const DrawnRows drawn(40, 2);
  const auto tokens = bounds::DeviceTokens::on(device, {drawn.tokens.data(), 40, 2, 2});
  if (!tokens) return tokens.error();
  std::vector<bounds::AskedRow> asked;
  for (std::size_t r = 0; r < 20; ++r) asked.push_back({drawn.weights[r % 5], {}});
  const std::vector<std::size_t> again(repeated, 1);
  if (repeated > 0) asked.push_back({drawn.weights[0], {.at = again}});
  const std::size_t before = device.launches();
  const Result<Done> done = tokens->curves(
      asked,
      [&](std::size_t, const auto& distance, const auto& separability) {
        ++taken.rows;
        for (const auto* curve : {&distance.distance, &distance.diameter, &separability.r})
          taken.numbers.insert(taken.numbers.end(), curve->value.begin(), curve->value.end());
      },
      most);
  taken.launches = device.launches() - before;
  return done;
}

// Of 40 tokens the products take 15,360 bytes, and a row's answers 41 points of five doubles, 1640.
TEST(DeviceBoundsAlone, BatchesAreCutToTheLargestBufferAndToTheLimits) {
  TakenCurves whole, cut, of_host, of_buffers;
  ASSERT_TRUE(take_curves(SequentialDevice(), 0, whole));
  EXPECT_EQ(whole.rows, 20u);
  EXPECT_EQ(whole.launches, 3u);
  const Result<Done> done = take_curves(SequentialDevice(16000), 0, cut);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(cut.launches, 9u);  // of 9 rows, 9 and 2
  EXPECT_EQ(cut.numbers, whole.numbers);
  ASSERT_TRUE(take_curves(SequentialDevice(), 0, of_host, {.host = 100'000}));
  EXPECT_GT(of_host.launches, 3u);
  EXPECT_EQ(of_host.numbers, whole.numbers);
  ASSERT_TRUE(take_curves(SequentialDevice(), 0, of_buffers, {.device = 20'000}));
  EXPECT_GT(of_buffers.launches, 3u);
  EXPECT_EQ(of_buffers.numbers, whole.numbers);
}

TEST(DeviceBoundsAlone, SumsOverRowsComeInPartsWhereTheyDoNotFit) {
  const DrawnRows drawn(40, 2);
  std::vector<bounds::AskedWeights> rows;
  std::vector<bounds::AskedSeparable> separable;
  for (std::size_t r = 0; r < 5; ++r)
    rows.push_back({drawn.weights[r]}), separable.push_back({drawn.weights[r], drawn.weights[r]});
  const SequentialDevice whole, cut(1000);  // three rows of 40 doubles
  const auto heads = bounds::device_head_statistics(whole, rows, 3),
             of_parts = bounds::device_head_statistics(cut, rows, 3);
  ASSERT_TRUE(heads && of_parts);
  EXPECT_EQ(whole.launches(), 1u);
  EXPECT_EQ(cut.launches(), 2u);
  const auto norms = bounds::device_softmax_jacobians(whole, rows),
             parted = bounds::device_softmax_jacobians(cut, rows);
  const auto values = bounds::device_separable_jacobians(whole, separable),
             parted_values = bounds::device_separable_jacobians(cut, separable);
  ASSERT_TRUE(norms && parted && values && parted_values);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ((*heads)[r].entropy.value, (*of_parts)[r].entropy.value);
    EXPECT_EQ((*norms)[r].spectral.value, (*parted)[r].spectral.value);
    EXPECT_EQ((*values)[r].spectral.value, (*parted_values)[r].spectral.value);
  }
}

TEST(DeviceBoundsAlone, ALongerSeparableRowThanQuotientsAreProvedForIsTheProcessors) {
  const SequentialDevice device;
  const std::vector<double> weights((std::size_t{1} << 20) + 1, 0x1p-20);
  const std::vector<bounds::AskedSeparable> asked{{weights, weights}};
  const auto found = bounds::device_separable_jacobians(device, asked);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(device.launches(), 0u);
  const std::span<const double> row = weights;
  EXPECT_EQ((*found)[0].spectral.value, bounds::separable_jacobian(row, row).spectral.value);
}

TEST(DeviceBoundsAlone, ARowThatNoBufferHoldsIsAnErrorBeforeAnyIsTaken) {
  TakenCurves taken;
  const Result<Done> done = take_curves(SequentialDevice(16000), 400, taken);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "a row of 40 tokens at 401 points needs 16040 bytes at once, and the device gives 16000");
  EXPECT_EQ(taken.rows, 0u);
  EXPECT_FALSE(take_curves(SequentialDevice(15000), 0, taken)) << "the products of all pairs";
  EXPECT_EQ(taken.rows, 0u);
}

TEST(DeviceBoundsAlone, AFailureOfTheDeviceIsAnError) {
  class Failing final : public device::Device {
   public:
    std::string name() const override { return "one that fails"; }
    bool interprets() const override { return false; }
    bool processor() const override { return true; }
    std::size_t most_allocated() const override { return 0; }
    Result<device::MemoryPointer> allocate(std::size_t) const override { return Error{"no memory"}; }
    Result<Done> write(const device::Memory&, const void*, std::size_t) const override { return Done{}; }
    Result<Done> read(void*, const device::Memory&, std::size_t) const override { return Done{}; }
    Result<Done> launch(const device::Launch&) const override { return Done{}; }
  };
  const std::vector<double> tokens(6, 1), weights(3, 1);
  const auto made = bounds::DeviceTokens::on(Failing(), {tokens.data(), 3, 2, 2});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "no memory");
  const bounds::AskedWeights row{weights};
  EXPECT_FALSE(bounds::device_head_statistics(Failing(), {&row, 1}, 1));
  EXPECT_FALSE(bounds::device_softmax_jacobians(Failing(), {&row, 1}));
}

}  // namespace
}  // namespace attncert
