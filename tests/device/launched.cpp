#include "tests/device/launched.hpp"

#include <gtest/gtest.h>

#include <string>

namespace attncert {

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

}  // namespace attncert
