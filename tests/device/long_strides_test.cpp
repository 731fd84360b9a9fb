// Rows that lie as far apart as 32 bits count, and further where a buffer is so large.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/device/device.hpp"
#include "src/device/shapes.hpp"
#include "src/kernel/dtype.hpp"
#include "src/normalizers/device/program.hpp"
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

const DeviceKernel& kernel_of_softmax() {
  const auto list = device_programs();
  return *std::find_if(list.begin(), list.end(),
                       [](const auto& k) { return k.normalizer == std::string_view("softmax"); });
}

// One row of logits, under a mask that keeps all of them, and again under one that keeps every second.
TEST(LongStrides, ARowIsFoundWhereItLies) {
  const auto& found = device::device();
  if (!found) GTEST_SKIP() << found.error().message;
  const device::Device& device = **found;
  constexpr std::uint64_t length = 64, far = (std::uint64_t{1} << 32) + length, half = sizeof(std::uint16_t);
  // PoCL's largest buffer has 2^32 bytes: there the second row lies beyond 31 bits only.
  const std::uint64_t most = device.most_allocated(), mask_stride = std::min(far, most - length),
                      stride = std::min(far, most / half - length);
  if (device.interprets() || most < std::uint64_t{1} << 32) GTEST_SKIP() << "no buffer of 2^32 bytes";
  DeviceRows drawn = rounded_rows(length, false, ATTNCERT_F16);
  drawn.mask.assign(length, 1), drawn.mask_stride = 0;
  std::vector<std::uint16_t> logits(length), output(length);
  store_elements(ATTNCERT_F16, logits.data(), 0, std::vector<double>(&drawn.logits[0], &drawn.logits[length]));
  // Only what is written takes memory, on a processor.
  const auto input = device.allocate(half * (stride + length)), result = device.allocate(half * (stride + length)),
             mask = device.allocate(mask_stride + length), row = device.copied(logits.data(), half * length),
             near = device.allocate(half * length);
  ASSERT_TRUE(input && result && mask && row && near);
  const DeviceProgram program = kernel_of_softmax().program(0.7, test_parameters);
  const auto copy = [&](const auto& from, std::uint64_t at, const auto& to, std::uint64_t to_at, std::uint64_t count) {
    ASSERT_TRUE(device.launch({{copying, ""}, "copying", 1, count, {*from, at, *to, to_at}}));
  };
  for (const bool second : {false, true}) {
    if (second)
      for (std::size_t i = 0; i < length; i += 2) drawn.mask[i] = 0;
    const auto keeps = device.copied(drawn.mask.data(), length);
    ASSERT_TRUE(keeps);
    copy(keeps, 0, mask, second ? mask_stride / half : 0, length / half);
    copy(row, 0, input, second ? stride : 0, length);
  }
  const DeviceBuffers buffers{*input, *result, *mask, length, stride, stride, mask_stride};
  ASSERT_TRUE(device.launch(launch_of(program, device::shape_for(length), ATTNCERT_F16, 2, buffers)));
  for (const bool second : {false, true}) {
    copy(result, second ? stride : 0, near, 0, length);
    ASSERT_TRUE(device.read(output.data(), **near, half * length));
    drawn.mask.assign(length, 1);
    for (std::size_t i = 0; second && i < length; i += 2) drawn.mask[i] = 0;
    const std::vector<float> right = sequential_of("softmax")(kept(drawn, 0), {}, program, true);
    for (std::size_t i = 0; i < length; ++i)
      EXPECT_EQ(load_element(ATTNCERT_F16, output.data(), i), rounded(ATTNCERT_F16, static_cast<double>(right[i])))
          << second << " " << i;
  }
}

}  // namespace
}  // namespace attncert
