// What the terms of a row are and what they add up to, in the arithmetic of wide_numbers.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/device/wide_numbers.hpp"

namespace attncert::wide {

// Of centre - depth, in units of 2^-53: sigma, and its derivative.
Number sigma(std::uint64_t depth, std::uint64_t centre = 128);
Number slope_of_sigma(std::uint64_t depth, std::uint64_t centre);
Number inverse_sum(const std::vector<Number>& terms);  // 1 / the sum of terms, each cut off to units of 2^-176
std::uint64_t log_of(std::size_t n);                   // in units of 2^-59, as the kernels come to it
// exp((z - top) factor / T) of the logits within reach, 0 of others; factor in units of 2^-59.
std::vector<Number> exponentials(std::span<const float> row, float top, const Temperature& t,
                                 std::uint64_t factor = std::uint64_t{1} << 59);

}  // namespace attncert::wide
