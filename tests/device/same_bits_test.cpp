// Every kernel of src/device/kernels gives the same bits on every device, in every shape, alone and in a batch, each
// time, and those are the bits of the plain sequential program. The hashes stored here are what another device, in
// another place, is compared with.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "src/core/hash.hpp"
#include "src/device/device.hpp"
#include "src/device/kernel_texts.hpp"
#include "src/device/shapes.hpp"
#include "src/normalizers/scale.hpp"
#include "tests/device/rows.hpp"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

using device::Shape;

constexpr double temperatures[] = {1, 0.7, 0x1p-100};
constexpr float untouched = -7;

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

std::vector<float> kept(const DeviceRows& rows, std::size_t r) {
  const auto begin = rows.logits.begin() + static_cast<std::ptrdiff_t>(r * rows.input_stride);
  std::vector<float> row(begin, begin + static_cast<std::ptrdiff_t>(rows.length));
  for (std::size_t i = 0; i < rows.length && !rows.mask.empty(); ++i)
    if (rows.mask[r * rows.mask_stride + i] == 0) row[i] = -INFINITY;
  return row;
}

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

// What a launch of rows `first` to `first` + `count` leaves in the output.
std::vector<float> launched(const device::Device& device, const DeviceRows& rows, double temperature, bool held,
                            const Shape& shape, std::size_t first, std::size_t count) {
  std::vector<float> output(count * rows.output_stride, untouched);
  const Shape usual = held ? device::shape_for(rows.length) : device::long_shape;
  const bool unit = temperature == 1 && shape.group == usual.group && shape.hold == usual.hold;  // else as any T
  const auto copied = [&](const void* from, std::size_t bytes) {
    const auto memory = device.copied(from, bytes);
    EXPECT_TRUE(memory) << memory.error().message;
    return *memory;
  };
  const Scale<float> s = make_scale<float>(temperature, FormatLimits<float>::temperature_limit);
  const std::array<float, 7> scale{s.down, s.up, s.temperature, s.rate, s.head, s.tail, s.inverse};
  const auto input = copied(rows.logits.data() + first * rows.input_stride, count * rows.input_stride * sizeof(float));
  const auto result = copied(output.data(), output.size() * sizeof(float));
  const auto mask = rows.mask.empty() ? device::MemoryPointer()
                                      : copied(rows.mask.data() + first * rows.mask_stride, count * rows.mask_stride);
  const auto number = [](std::size_t n) { return device::Argument(std::uint64_t{n}); };
  const Result<Done> done = device.launch({{device::softmax_text, shape.options() + (unit ? " -DUNIT=1" : " -DUNIT=0")},
                                           held ? "softmax_held" : "softmax_long",
                                           count,
                                           shape.group,
                                           {input, result, mask, number(rows.length), number(rows.input_stride),
                                            number(rows.output_stride), number(rows.mask_stride), scale}});
  EXPECT_TRUE(done) << done.error().message;
  const Result<Done> read = device.read(output.data(), *result, output.size() * sizeof(float));
  EXPECT_TRUE(read) << read.error().message;
  return output;
}

// In launches of `at_once` rows.
std::uint64_t device_hash(const device::Device& device, const Stored& one, const Shape& shape, std::size_t at_once) {
  Hash hash;
  for (const double temperature : temperatures)
    for (const bool masked : {false, true}) {
      const DeviceRows rows = device_rows(one.length, masked);
      for (std::size_t first = 0; first < rows.rows; first += at_once) {
        const std::vector<float> output = launched(device, rows, temperature, one.held, shape, first, at_once);
        for (std::size_t r = 0; r < at_once; ++r) {
          const std::span<const float> row(output.data() + r * rows.output_stride, rows.output_stride);
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
