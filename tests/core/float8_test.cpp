// Every number of eight bits against the table of the OCP 8-bit Floating Point Specification and against binary16.
#include "src/core/float8.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

namespace attncert {
namespace {

// By the specification's formulas, section 4, bit by bit: (-1)^S 2^(E - bias) (1 + 2^-m M), or of E = 0
// (-1)^S 2^(1 - bias) (0 + 2^-m M).
double by_formula(int code, int exponent_bits, int fraction_bits, int bias) {
  double fraction = 0, exponent = 0;
  for (int bit = 0; bit < fraction_bits; ++bit)
    if ((code >> bit) % 2 == 1) fraction += std::pow(2.0, bit - fraction_bits);
  for (int bit = 0; bit < exponent_bits; ++bit)
    if ((code >> (fraction_bits + bit)) % 2 == 1) exponent += std::pow(2.0, bit);
  const double magnitude =
      exponent == 0 ? std::pow(2.0, 1 - bias) * fraction : std::pow(2.0, exponent - bias) * (1 + fraction);
  return code >= 128 ? -magnitude : magnitude;
}

TEST(Float8, E4m3IsAsSpecified) {
  for (int code = 0; code < 256; ++code) {
    const double value = widened(e4m3, static_cast<std::uint8_t>(code));
    if (code % 128 == 0x7f) EXPECT_TRUE(std::isnan(value)) << code;
    else EXPECT_EQ(value, by_formula(code, 4, 3, 7)) << code;
  }
  // Its table 1: largest, smallest normal, largest subnormal, smallest.
  EXPECT_EQ(widened(e4m3, 0x7e), 448);
  EXPECT_EQ(widened(e4m3, 0x08), 0x1p-6);
  EXPECT_EQ(widened(e4m3, 0x07), 0.875 * 0x1p-6);
  EXPECT_EQ(widened(e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::signbit(widened(e4m3, 0x80)));
}

TEST(Float8, E5m2IsAsSpecified) {
  for (int code = 0; code < 256; ++code) {
    const double value = widened(e5m2, static_cast<std::uint8_t>(code));
    const int magnitude = code % 128;
    if (magnitude == 0x7c) EXPECT_EQ(value, code < 128 ? INFINITY : -INFINITY) << code;
    else if (magnitude > 0x7c) EXPECT_TRUE(std::isnan(value)) << code;
    else EXPECT_EQ(value, by_formula(code, 5, 2, 15)) << code;
  }
  EXPECT_EQ(widened(e5m2, 0x7b), 57344);
  EXPECT_EQ(widened(e5m2, 0x04), 0x1p-14);
  EXPECT_EQ(widened(e5m2, 0x03), 0.75 * 0x1p-14);
  EXPECT_EQ(widened(e5m2, 0x01), 0x1p-16);
}

// E5M2 is the upper byte of binary16, which compilers convert; E4M3 has three of its fraction's bits and half of its
// exponents.
TEST(Float8, IsPartOfBinary16) {
  const auto binary16 = [](int bits) {
    return static_cast<double>(Eigen::half(Eigen::half_impl::raw_uint16_to_half(static_cast<std::uint16_t>(bits))));
  };
  for (int code = 0; code < 256; ++code) {
    const double wide = binary16(code << 8), value = widened(e5m2, static_cast<std::uint8_t>(code));
    EXPECT_TRUE(value == wide || (std::isnan(value) && std::isnan(wide))) << code;
    if (code % 128 == 0x7f) continue;
    EXPECT_EQ(widened(e4m3, static_cast<std::uint8_t>(code)), 256 * binary16((code & 0x80) << 8 | (code & 0x7f) << 7))
        << code;
  }
}

void narrows(const Float8& format) {
  for (int code = 0; code < 256; ++code) {
    const double value = widened(format, static_cast<std::uint8_t>(code));
    const int back = narrowed(format, value);
    if (std::isnan(value)) EXPECT_TRUE(std::isnan(widened(format, static_cast<std::uint8_t>(back)))) << code;
    else EXPECT_EQ(back, std::isinf(value) ? (code & 0x80) | format.largest : code) << code;
  }
  for (int code = 0; code < format.largest; ++code) {
    const double low = widened(format, static_cast<std::uint8_t>(code)),
                 high = widened(format, static_cast<std::uint8_t>(code + 1)), middle = (low + high) / 2;
    EXPECT_EQ(narrowed(format, middle), code % 2 == 0 ? code : code + 1) << code;
    EXPECT_EQ(narrowed(format, std::nextafter(middle, 0)), code) << code;
    EXPECT_EQ(narrowed(format, -std::nextafter(middle, INFINITY)), 128 + code + 1) << code;
  }
  for (const double beyond : {1e5, 1e300, static_cast<double>(INFINITY)}) {
    EXPECT_EQ(narrowed(format, beyond), format.largest);
    EXPECT_EQ(narrowed(format, -beyond), 128 + format.largest);
  }
}

TEST(Float8, NumbersNarrowToTheNearest) {
  narrows(e4m3);
  narrows(e5m2);
}

}  // namespace
}  // namespace attncert
