// The sequential programs' own arithmetic for the integers of src/device/kernels: whole numbers of any size and
// products of 128 bits. It shares nothing with number.cl and fixed.cl but what a number is.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace attncert::wide {

using Whole = boost::multiprecision::cpp_int;

// bits 2^power; the first of the 64 bits is set, or all are 0.
struct Number {
  std::uint64_t bits = 0;
  int power = 0;
};

// The constants of a call in fixed.cl's and in number.cl's own layout.
struct Temperature {
  std::uint64_t mantissa, inverse;
  float reach;
  std::int32_t exponent;
};

std::uint64_t upper(std::uint64_t a, std::uint64_t b);  // of the product, the higher 64 bits
Number leading(const Whole& value, int unit);           // of value 2^unit, the leading 64 bits
Number times(Number a, Number b);
std::uint64_t inverse_word(std::uint64_t bits);  // 1 / (bits 2^-63) in units of 2^-63, by the steps of number.cl
Number inverse(Number x);                        // and by one step more
Number one_more(Number x);                       // 1 + x
Number decay(std::uint64_t q);
float nearest(Number n);  // as a float

// x in units of 2^(exponent - 176), what is below one cut off.
Whole in_units(float x, int exponent);
// top - x in these units, modulo 2^200.
Whole below(float top, float x, int exponent);
// d factor / T in units of 2^-53, d in the units of T, factor in units of 2^-59.
std::uint64_t depth(const Whole& d, const Temperature& t, std::uint64_t factor = std::uint64_t{1} << 59);

}  // namespace attncert::wide
