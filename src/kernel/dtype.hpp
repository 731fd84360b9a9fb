// The element types of a kernel: their formats, and their values as doubles, which hold each of them exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "attncert/kernel.h"

namespace attncert {

// As std::numeric_limits has it: digits with the hidden bit; the smallest normal number is 2^(min_exponent - 1), the
// largest finite one (1 - 2^-digits) 2^max_exponent.
struct Format {
  attncert_dtype dtype;
  std::string_view name;  // "f32"
  std::size_t bytes;
  int digits, min_exponent, max_exponent;
};
// The one list of the formats, in the order of attncert_dtype: whoever needs them all goes through it.
inline constexpr Format formats[] = {{ATTNCERT_F32, "f32", 4, 24, -125, 128},
                                     {ATTNCERT_F64, "f64", 8, 53, -1021, 1024},
                                     {ATTNCERT_F16, "f16", 2, 11, -13, 16},
                                     {ATTNCERT_BF16, "bf16", 2, 8, -125, 128}};
// The index of `dtype` in `formats`, or one beyond all of them where it is no format.
constexpr std::size_t format_number(attncert_dtype dtype) {
  return static_cast<std::size_t>(dtype) - static_cast<std::size_t>(ATTNCERT_F32);
}
const Format& format(attncert_dtype dtype);
std::optional<attncert_dtype> dtype_named(std::string_view name);

constexpr bool in_order_of_dtype() {
  for (std::size_t i = 0; i < std::size(formats); ++i)
    if (format_number(formats[i].dtype) != i) return false;
  return true;
}
static_assert(in_order_of_dtype());

// Bit patterns of a format of 16 bits: +infinity, and the NaN that arithmetic makes.
constexpr std::uint16_t infinity_bits(const Format& f) {
  return static_cast<std::uint16_t>(0x7FFF & ~((1 << (f.digits - 1)) - 1));
}
constexpr std::uint16_t nan_bits(const Format& f) {
  return static_cast<std::uint16_t>(infinity_bits(f) | 1 << (f.digits - 2));
}

// Element `index` of an array of this type.
double load_element(attncert_dtype dtype, const void* array, std::size_t index) noexcept;
// Rounds to nearest, ties to even, gradual underflow; what lies beyond the largest finite number becomes infinite.
void store_element(attncert_dtype dtype, void* array, std::size_t index, double value) noexcept;
// The same for values.size() elements from `first` on.
void load_elements(attncert_dtype dtype, const void* array, std::size_t first, std::span<double> values) noexcept;
void store_elements(attncert_dtype dtype, void* array, std::size_t first, std::span<const double> values) noexcept;
double rounded(attncert_dtype dtype, double value) noexcept;  // the value that store_element leaves

}  // namespace attncert
