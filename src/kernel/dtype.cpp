// f16 and bf16 by hand: no type of C++20 has them, and a conversion through float would round twice.
#include "src/kernel/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr Format formats[] = {
    {"f32", 4, 24, -125, 128}, {"f64", 8, 53, -1021, 1024}, {"f16", 2, 11, -13, 16}, {"bf16", 2, 8, -125, 128}};

template <class T>
T element(const void* array, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const unsigned char*>(array) + index * sizeof value, sizeof value);
  return value;
}

template <class T>
void put(void* array, std::size_t index, T value) {
  std::memcpy(static_cast<unsigned char*>(array) + index * sizeof value, &value, sizeof value);
}

int fraction_bits(const Format& f) { return f.digits - 1; }

double widened(const Format& f, std::uint16_t bits) {
  const int exponent_bits = 15 - fraction_bits(f);
  const int exponent = (bits >> fraction_bits(f)) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits(f)) - 1);
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, f.min_exponent - f.digits);
  } else {
    value = std::ldexp(fraction + (1 << fraction_bits(f)), exponent - 1 + f.min_exponent - f.digits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint16_t narrowed(const Format& f, double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinity = static_cast<std::uint16_t>(0x7FFF & ~((1 << fraction_bits(f)) - 1));
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1 << (fraction_bits(f) - 1)));
  const double magnitude = std::abs(value);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
  if (magnitude == 0) return sign;
  // In units of the spacing at this magnitude: an integer of at most `digits` bits after rounding, and a carry beyond the
  // largest runs into the next exponent, up to infinity's, by itself.
  const int exponent = std::max(std::ilogb(magnitude), f.min_exponent - 1);
  if (exponent >= f.max_exponent) return static_cast<std::uint16_t>(sign | infinity);
  const double scaled = std::ldexp(magnitude, f.digits - 1 - exponent);  // exact: both are far from double's ends
  const double whole = std::floor(scaled), part = scaled - whole;
  auto units = static_cast<std::uint32_t>(whole);
  units += part > 0.5 || (part == 0.5 && (units & 1) != 0);
  const int biased = exponent - (f.min_exponent - 1);  // 0 for the lowest binade, which subnormals share
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint32_t>(biased) << fraction_bits(f)) + units));
}

}  // namespace

const Format& format(attncert_dtype dtype) {
  ATTNCERT_ASSERT(dtype >= ATTNCERT_F32 && dtype <= ATTNCERT_BF16);
  return formats[dtype - ATTNCERT_F32];
}

double load_element(attncert_dtype dtype, const void* array, std::size_t index) noexcept {
  switch (dtype) {
    case ATTNCERT_F32:
      return static_cast<double>(element<float>(array, index));
    case ATTNCERT_F64:
      return element<double>(array, index);
    case ATTNCERT_F16:
    case ATTNCERT_BF16:
      return widened(format(dtype), element<std::uint16_t>(array, index));
  }
  return 0;
}

void store_element(attncert_dtype dtype, void* array, std::size_t index, double value) noexcept {
  switch (dtype) {
    case ATTNCERT_F32:
      return put(array, index, static_cast<float>(value));
    case ATTNCERT_F64:
      return put(array, index, value);
    case ATTNCERT_F16:
    case ATTNCERT_BF16:
      return put(array, index, narrowed(format(dtype), value));
  }
}

double rounded(attncert_dtype dtype, double value) noexcept {
  unsigned char storage[sizeof(double)];
  store_element(dtype, storage, 0, value);
  return load_element(dtype, storage, 0);
}

}  // namespace attncert
