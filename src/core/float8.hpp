// Numbers of eight bits, as the OCP 8-bit Floating Point Specification (OFP8, revision 1.0, 2023) has them: a sign,
// then the exponent, then the fraction. E4M3 has no infinity, and one NaN of each sign; E5M2 has both as IEEE 754 does.
#pragma once

#include <cstdint>

namespace attncert {

struct Float8 {
  int fraction_bits, bias;
  std::uint8_t largest;  // the code of the largest number; the codes behind it are infinity or NaN
  bool has_infinity;
};
inline constexpr Float8 e4m3{3, 7, 0x7e, false}, e5m2{2, 15, 0x7b, true};

double widened(const Float8& format, std::uint8_t code) noexcept;
// To nearest, ties to even; what lies beyond the largest number becomes that, as kernels that store K and V do it.
std::uint8_t narrowed(const Float8& format, double value) noexcept;

}  // namespace attncert
