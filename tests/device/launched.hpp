// Rows through a kernel's text, in any shape.
#pragma once

#include <string_view>
#include <vector>

#include "src/device/device.hpp"
#include "src/device/shapes.hpp"
#include "tests/device/rows.hpp"

namespace attncert {

inline constexpr float untouched = -7;  // what the output holds before

// What softmax_held or softmax_long leaves in the output for rows `first` to `first` + `count`, with their stride. T =
// 1 in the shape of the table is compiled for itself, in other shapes as any T.
Result<std::vector<float>> launched(const device::Device& device, std::string_view text, const DeviceRows& rows,
                                    double temperature, bool held, const device::Shape& shape, std::size_t first,
                                    std::size_t count);

}  // namespace attncert
