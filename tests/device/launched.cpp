#include "tests/device/launched.hpp"

#include <gtest/gtest.h>

#include <array>

#include "src/normalizers/scale.hpp"

namespace attncert {

Result<std::vector<float>> launched(const device::Device& device, std::string_view text, const DeviceRows& rows,
                                    double temperature, bool held, const device::Shape& shape, std::size_t first,
                                    std::size_t count) {
  std::vector<float> output(count * rows.output_stride, untouched);
  const device::Shape usual = held ? device::shape_for(rows.length) : device::long_shape;
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
  const Result<Done> done = device.launch({{std::string(text), shape.options() + (unit ? " -DUNIT=1" : " -DUNIT=0")},
                                           held ? "softmax_held" : "softmax_long",
                                           count,
                                           shape.group,
                                           {input, result, mask, number(rows.length), number(rows.input_stride),
                                            number(rows.output_stride), number(rows.mask_stride), scale}});
  if (!done) return done.error();
  const Result<Done> read = device.read(output.data(), *result, output.size() * sizeof(float));
  if (!read) return read.error();
  return output;
}

}  // namespace attncert
