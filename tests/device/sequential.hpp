// The kernels of src/device/kernels without groups: their formulas, one element after the other, the sums in a row's
// order and of 128 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/device/rows.hpp"

namespace attncert {

// Row `row`, -infinity where it is masked. The weights of a held row come from a sum in units of 2^15, of a longer one
// in units of 2^-8. zero: softmax1.
std::vector<float> sequential_softmax(std::span<const float> row, double temperature, bool held, bool zero = false);

// Whether the kernels' three words of a sum have the reciprocal of what they are together, 2^59 at least.
bool same_reciprocal(std::uint64_t coarse, std::int64_t fine, std::int64_t finest);

}  // namespace attncert
