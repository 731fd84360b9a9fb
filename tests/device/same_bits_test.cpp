// Every kernel of src/device/kernels gives the same bits on every device, in every shape, alone and in a batch, each
// time, and those are the bits of the plain sequential program. The hashes stored here are what another device, in
// another place, is compared with.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "src/core/hash.hpp"
#include "src/core/mixer.hpp"
#include "src/device/device.hpp"
#include "src/device/kernel_texts.hpp"
#include "tests/device/launched.hpp"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

using device::Shape;

constexpr double temperatures[] = {1, 0.7, 0x1p-100};

// Weights of all rows at every temperature, masked and not; any NaN is as good as another.
class Hash {
 public:
  void add(std::span<const float> row) {
    std::vector<std::uint32_t> bits(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      bits[i] = std::isnan(row[i]) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(row[i]);
    value_ = fingerprint({reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof bits[0]}, value_);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

struct Stored {
  std::size_t length;
  bool held;
  std::uint64_t hash;
};
// softmax.device.f32. A new kernel or a changed formula gives new ones, which the sequential program prints.
constexpr Stored stored[] = {
    {1, true, 0x52916e1b95d306acu},      {7, true, 0x1febca8524151c46u},     {64, true, 0x9db6f65f09b8d3abu},
    {300, true, 0x78febb8da23a4d31u},    {1000, true, 0x12c5c0682ea5bbffu},  {4096, true, 0x4827f5bbe1d3c8f1u},
    {16384, true, 0x9b273e2140843c96u},  {1, false, 0x52916e1b95d306acu},    {7, false, 0x1febca8524151c46u},
    {300, false, 0x78febb8da23a4d31u},   {1000, false, 0x12c5c0682ea5bbffu}, {16385, false, 0xa2977c21668da5b7u},
    {70000, false, 0x1078c0ccb98f6b6du},
};

std::uint64_t sequential_hash(std::size_t length, bool held) {
  Hash hash;
  for (const double temperature : temperatures)
    for (const bool masked : {false, true}) {
      const DeviceRows rows = device_rows(length, masked);
      for (std::size_t r = 0; r < rows.rows; ++r) hash.add(sequential_softmax(kept(rows, r), temperature, held));
    }
  return hash.value();
}

TEST(SameBits, TheSequentialProgramHasTheStoredOnes) {
  for (const Stored& one : stored)
    EXPECT_EQ(sequential_hash(one.length, one.held), one.hash) << one.length << (one.held ? " held" : " long");
}

// In launches of `at_once` rows.
std::uint64_t device_hash(const device::Device& device, const Stored& one, const Shape& shape, std::size_t at_once) {
  Hash hash;
  for (const double temperature : temperatures)
    for (const bool masked : {false, true}) {
      const DeviceRows rows = device_rows(one.length, masked);
      for (std::size_t first = 0; first < rows.rows; first += at_once) {
        const auto output = launched(device, device::softmax_text, rows, temperature, one.held, shape, first, at_once);
        if (!output) ADD_FAILURE() << output.error().message;
        if (!output) return 0;
        for (std::size_t r = 0; r < at_once; ++r) {
          const std::span<const float> row(output->data() + r * rows.output_stride, rows.output_stride);
          hash.add(row.first(rows.length));
          for (const float x : row.subspan(rows.length)) EXPECT_EQ(x, untouched) << "beyond the row";
        }
      }
    }
  return hash.value();
}

// Those of the table that hold the row, and others: four elements a load and one, few threads and many.
std::vector<Shape> shapes_for(const Stored& one, bool interpreted) {
  if (!one.held) return {device::long_shape, {64, 0, 1}, {256, 0, 1}};
  std::vector<Shape> shapes;
  const auto add = [&](const Shape& shape) {
    if (shape.capacity() >= one.length && shape.capacity() < 64 * std::max<std::size_t>(one.length, 9))
      shapes.push_back(shape);
  };
  for (const Shape& shape : {device::shape_for(one.length), Shape{64, 8, 1}, Shape{128, 32, 4}, Shape{1024, 16, 4}})
    add(shape);
  if (interpreted) shapes.resize(std::min<std::size_t>(shapes.size(), one.length == 64 ? 2 : 1));
  return shapes;
}

// Words of either sign, small and large, so that every carry happens.
TEST(SameBits, TheWordsOfASumCarry) {
  for (std::uint64_t n = 0; n < 100000; ++n) {
    const std::uint64_t coarse = (std::uint64_t{1} << 22) + (mixed(3 * n) >> (n % 40 + 23));
    const auto fine = static_cast<std::int64_t>(mixed(3 * n + 1)) >> (n % 48 + 16);
    const auto finest = static_cast<std::int64_t>(mixed(3 * n + 2)) >> (n % 43 + 16);
    if (static_cast<std::int64_t>(coarse) + (fine >> 23) < 1 << 21) continue;  // no sum: smaller than its largest term
    ASSERT_TRUE(same_reciprocal(coarse, fine, finest)) << coarse << " " << fine << " " << finest;
  }
}

TEST(SameBits, EveryShapeOnTheDeviceHasTheStoredOnes) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  const bool interpreted = (*device)->interprets();
  for (const Stored& one : stored) {
    if (interpreted && one.length > (one.held ? 300 : 7)) continue;  // minutes
    for (const Shape& shape : shapes_for(one, interpreted))
      EXPECT_EQ(device_hash(**device, one, shape, 12), one.hash) << one.length << ", " << shape.options();
  }
}

TEST(SameBits, ABatchInPartsAndAgainHasTheStoredOnes) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  for (const Stored& one : stored) {
    if (one.length != 300 && one.length != 64) continue;
    const Shape shape = one.held ? device::shape_for(one.length) : device::long_shape;
    if ((*device)->interprets() && one.length != 64) continue;
    for (const std::size_t at_once : {1u, 4u, 12u})
      EXPECT_EQ(device_hash(**device, one, shape, at_once), one.hash) << one.length << ", " << at_once << " at once";
  }
}

}  // namespace
}  // namespace attncert
