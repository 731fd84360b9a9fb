#include "tests/device/launched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "src/kernel/dtype.hpp"

namespace attncert {

const DeviceKernel& device_kernel(std::string_view normalizer) {
  const auto list = device_programs();
  const auto one = std::find_if(list.begin(), list.end(), [&](const auto& k) { return k.normalizer == normalizer; });
  EXPECT_NE(one, list.end()) << normalizer << ": no kernel of a device";
  return one == list.end() ? list.front() : *one;
}

Result<std::vector<float>> launched(const device::Device& device, DeviceProgram program, const DeviceRows& rows,
                                    const device::Shape& shape, std::size_t first, std::size_t count) {
  std::vector<float> output(count * rows.output_stride, untouched);
  const device::Shape usual = shape.hold > 0 ? device::shape_for(rows.length) : device::long_shape;
  const std::string unit = "-DUNIT=1";
  const std::size_t at = program.options.find(unit);
  if (at != std::string::npos && (shape.group != usual.group || shape.hold != usual.hold))
    program.options.replace(at, unit.size(), "-DUNIT=0");
  const auto copied = [&](const void* from, std::size_t bytes) {
    const auto memory = device.copied(from, bytes);
    EXPECT_TRUE(memory) << memory.error().message;
    return *memory;
  };
  const auto input = copied(rows.logits.data() + first * rows.input_stride, count * rows.input_stride * sizeof(float));
  const auto result = copied(output.data(), output.size() * sizeof(float));
  const auto mask = rows.mask.empty() ? device::MemoryPointer()
                                      : copied(rows.mask.data() + first * rows.mask_stride, count * rows.mask_stride);
  const auto upstream = program.kernel.ends_with("_vjp") ? copied(rows.upstream.data() + first * rows.upstream_stride,
                                                                  count * rows.upstream_stride * sizeof(float))
                                                         : device::MemoryPointer();
  const DeviceBuffers buffers{input,
                              result,
                              mask,
                              rows.length,
                              rows.input_stride,
                              rows.output_stride,
                              rows.mask_stride,
                              upstream,
                              rows.upstream_stride};
  const Result<Done> done = device.launch(launch_of(program, shape, ATTNCERT_F32, count, buffers));
  if (!done) return done.error();
  const Result<Done> read = device.read(output.data(), *result, output.size() * sizeof(float));
  if (!read) return read.error();
  return output;
}

std::vector<float> called(const attncert_kernel& kernel, const DeviceRows& rows, double temperature,
                          const attncert_parameters& parameters) {
  const attncert_dtype dtype = kernel.dtype_in;
  const auto stored = [&](const std::vector<float>& values) {
    std::vector<char> bytes(values.size() * format(dtype).bytes);
    store_elements(dtype, bytes.data(), 0, std::vector<double>(values.begin(), values.end()));
    return bytes;
  };
  std::vector<float> left(rows.rows * rows.output_stride, untouched);
  const std::vector<char> input = stored(rows.logits), upstream = stored(rows.upstream);
  std::vector<char> output = stored(left);
  attncert_arguments a{};
  a.size = sizeof a;
  a.rows = rows.rows, a.length = rows.length;
  a.input_stride = rows.input_stride, a.output_stride = rows.output_stride, a.mask_stride = rows.mask_stride;
  a.input = input.data(), a.output = output.data(), a.mask = rows.mask.empty() ? nullptr : rows.mask.data();
  a.temperature = temperature, a.parameters = &parameters;
  if (std::string_view(kernel.normalizer).ends_with("-vjp"))
    a.upstream = upstream.data(), a.upstream_stride = rows.upstream_stride;
  EXPECT_EQ(kernel.run(&a), ATTNCERT_OK) << kernel.name;
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<float>(load_element(dtype, output.data(), i));
  return left;
}

}  // namespace attncert
