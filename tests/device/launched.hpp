// Rows through a kernel, in any shape.
#pragma once

#include <string_view>
#include <vector>

#include "src/device/device.hpp"
#include "src/device/shapes.hpp"
#include "src/normalizers/device/program.hpp"
#include "tests/device/rows.hpp"

namespace attncert {

const DeviceKernel& device_kernel(std::string_view normalizer);  // one that there is

inline constexpr float untouched = -7;  // what the output holds before

// What the program leaves in the output for rows `first` to `first` + `count` of f32, with their stride. T = 1 in the
// shape of the table is compiled for itself, in other shapes as any T.
Result<std::vector<float>> launched(const device::Device& device, DeviceProgram program, const DeviceRows& rows,
                                    const device::Shape& shape, std::size_t first, std::size_t count);
// What the kernel itself leaves in the output, which lies in memory as the kernel's format has it.
std::vector<float> called(const attncert_kernel& kernel, const DeviceRows& rows, double temperature,
                          const attncert_parameters& parameters);

}  // namespace attncert
