// Rows that lie as far apart as 32 bits count, and further where a buffer is so large.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "src/device/device.hpp"
#include "src/device/shapes.hpp"
#include "src/kernel/dtype.hpp"
#include "src/normalizers/device/program.hpp"
#include "tests/device/launched.hpp"
#include "tests/device/rows.hpp"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

constexpr const char* copying = R"(
#if defined(__OPENCL_VERSION__)
kernel void copying(global const ushort* from, ulong at, global ushort* to, ulong to_at) {
  const ulong i = get_global_id(0);
#else
extern "C" __global__ void copying(const unsigned short* from, unsigned long long at, unsigned short* to,
                                   unsigned long long to_at) {
  const unsigned long long i = threadIdx.x;
#endif
  to[to_at + i] = from[at + i];
}
)";

constexpr std::uint64_t length = 64;
constexpr std::size_t bytes_each = sizeof(std::uint16_t);

class LongStrides : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!device::device()) GTEST_SKIP() << device::device().error().message;
    if (device().interprets()) GTEST_SKIP() << "an interpreter's memory is touched";
  }
  static const device::Device& device() { return **device::device(); }
  static void copy(const device::MemoryPointer& from, std::uint64_t at, const device::MemoryPointer& to,
                   std::uint64_t to_at, std::uint64_t count) {
    ASSERT_TRUE(device().launch({{copying, ""}, "copying", 1, count, {from, at, to, to_at}}));
  }
};

// One row of logits, under a mask that keeps all of them, and again under one that keeps every second; one of input,
// output and mask has the second row 2^32 elements behind the first, or as far as the largest buffer goes: PoCL's has
// 2^32 bytes, in which only a mask's row lies beyond 31 bits.
TEST_P(LongStrides, ARowIsFoundWhereItLies) {
  const std::string_view far = GetParam();
  const std::uint64_t most = device().most_allocated() / (far == "mask" ? 1 : bytes_each);
  const std::uint64_t stride = std::min((std::uint64_t{1} << 32) + length, most - length);
  if (stride < std::uint64_t{1} << 30) GTEST_SKIP() << "no buffer of 2^31 bytes";
  const auto stride_of = [&](std::string_view which) { return which == far ? stride : length; };
  DeviceRows drawn = rounded_rows(length, false, ATTNCERT_F16);
  std::vector<std::uint16_t> logits(length), output(length);
  store_elements(ATTNCERT_F16, logits.data(), 0, std::vector<double>(&drawn.logits[0], &drawn.logits[length]));
  // Only what is written takes memory, on a processor.
  const auto placed = [&](std::string_view which, std::size_t each) {
    return device().allocate(each * (stride_of(which) + length));
  };
  const auto input = placed("input", bytes_each), result = placed("output", bytes_each), mask = placed("mask", 1),
             row = device().copied(logits.data(), bytes_each * length), near = device().allocate(bytes_each * length);
  if (!input || !result || !mask || !row || !near) GTEST_SKIP() << "no memory for it";
  const std::vector<std::uint8_t> every(length, 1);
  std::vector<std::uint8_t> second = every;
  for (std::size_t i = 0; i < length; i += 2) second[i] = 0;
  for (const bool is_second : {false, true}) {
    const auto keeps = device().copied((is_second ? second : every).data(), length);
    ASSERT_TRUE(keeps);
    copy(*keeps, 0, *mask, is_second ? stride_of("mask") / bytes_each : 0, length / bytes_each);
    copy(*row, 0, *input, is_second ? stride_of("input") : 0, length);
  }
  const DeviceProgram program = device_kernel("softmax").program(0.7, test_parameters);
  const DeviceBuffers buffers{*input,           *result, *mask, length, stride_of("input"), stride_of("output"),
                              stride_of("mask")};
  ASSERT_TRUE(device().launch(launch_of(program, device::shape_for(length), ATTNCERT_F16, 2, buffers)));
  drawn.mask_stride = 0;
  for (const bool is_second : {false, true}) {
    copy(*result, is_second ? stride_of("output") : 0, *near, 0, length);
    ASSERT_TRUE(device().read(output.data(), **near, bytes_each * length));
    drawn.mask = is_second ? second : every;
    const std::vector<float> right = sequential_of("softmax")(kept(drawn, 0), {}, program, true);
    for (std::size_t i = 0; i < length; ++i)
      EXPECT_EQ(load_element(ATTNCERT_F16, output.data(), i), rounded(ATTNCERT_F16, static_cast<double>(right[i])))
          << is_second << " " << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Far, LongStrides, testing::Values("input", "output", "mask"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace attncert
