// The bounds on a device give the bits of the sequential program in every shape and batch. Against the enclosures and
// the processor's own bounds: tests/properties/conformance/bounds/on_device_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "src/bounds/device/curves.hpp"
#include "src/bounds/device/row_sums.hpp"
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

// One token, one tile, two and three.
TEST_F(DeviceBounds, EveryShapeAndBatchHasTheBitsOfTheSequentialProgram) {
  for (const auto& [length, dimension] : {std::pair{1, 3}, {7, 5}, {300, 4}, {600, 3}}) {
    if (device().interprets() && length > 7) continue;  // minutes
    const DrawnRows rows(static_cast<std::size_t>(length), static_cast<std::size_t>(dimension));
    const std::uint64_t wanted = bits_of(SequentialDevice(), rows);
    EXPECT_EQ(bits_of(device(), rows, {256, 1}), wanted) << length;
    EXPECT_EQ(bits_of(device(), rows, {64, 4}, true), wanted) << length;
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
