// Rows and weights for the judge of rows on a device, and the bits of all that it says of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "properties/conformance/double_double/device/device_judge.hpp"
#include "src/device/device.hpp"
#include "src/device/tiles.hpp"

namespace attncert {

inline constexpr std::size_t judged_kinds = 6;

// Adds the row of this kind (spread, deep, tied, with absent entries, flat, of extremes) and answers to it in f32, f16
// and bf16: the truth rounded, the same some units off, and with zeros, NaN and infinities. No libm decides a bit of
// them.
void add_judged_row(double_double::DeviceJudge& judge, std::size_t length, std::size_t kind);

// Truths, verdicts and samples of the rows of all kinds, together or one by one.
std::uint64_t judged_bits(const device::Device& device, std::size_t length, device::TileShape shape = {},
                          bool one_by_one = false);

}  // namespace attncert
