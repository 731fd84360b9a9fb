// The kernels of bounds give the bits that are stored here, and the bounds those of the sequential program, in every
// shape and batch. Against the enclosures and
// the processor's own bounds: tests/properties/conformance/bounds/on_device_test.cpp.
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
    EXPECT_EQ(bits_of(device(), rows, shape, true), wanted) << length;
  }
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
