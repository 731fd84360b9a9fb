// Types of 16 bits by hand: C++20 has none, and a conversion through float would round twice.
#include "src/kernel/dtype.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "src/core/assert.hpp"
#include "src/core/power_of_two.hpp"

namespace attncert {
namespace {

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
int below_double(const Format& f) { return 52 - fraction_bits(f); }  // bits that a double's fraction has more
int bias(const Format& f) { return 2 - f.min_exponent; }

// The same bits at a double's place; the product mends the exponent, and normalizes what was subnormal.
double widened(const Format& f, std::uint16_t bits) {
  const auto magnitude = static_cast<std::uint16_t>(bits & 0x7FFF);
  double value = std::bit_cast<double>(std::uint64_t{magnitude} << below_double(f)) * power_of_two(1023 - bias(f));
  if (magnitude >= infinity_bits(f))
    value = magnitude == infinity_bits(f) ? std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint16_t narrowed(const Format& f, double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | nan_bits(f));
  const double magnitude = std::abs(value);
  if (magnitude >= power_of_two(f.max_exponent)) return static_cast<std::uint16_t>(sign | infinity_bits(f));
  if (magnitude < power_of_two(f.min_exponent - 1)) {  // in units of the smallest subnormal, rounded at 2^52
    const double units = (magnitude * power_of_two(f.digits - f.min_exponent) + 0x1p52) - 0x1p52;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(units));
  }
  // Half of what is cut off, less one unless the result would be odd: to nearest, ties to even. A carry runs into the
  // exponent by itself, beyond the largest number into infinity's.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude), odd = (bits >> below_double(f)) & 1;
  const std::uint64_t carried = bits + odd + ((std::uint64_t{1} << (below_double(f) - 1)) - 1);
  const std::uint64_t rebased =
      (carried >> below_double(f)) - (static_cast<std::uint64_t>(1023 - bias(f)) << fraction_bits(f));
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rebased));
}

}  // namespace

const Format& format(attncert_dtype dtype) {
  ATTNCERT_ASSERT(format_number(dtype) < std::size(formats));
  return formats[format_number(dtype)];
}

std::optional<attncert_dtype> dtype_named(std::string_view name) {
  for (const Format& f : formats)
    if (f.name == name) return f.dtype;
  return std::nullopt;
}

namespace {

// Calls with(load, store) for the type: double load(array, index), void store(array, index, value).
template <class With>
auto with_type(attncert_dtype dtype, const With& with) {
  const Format& f = format(dtype);
  if (f.bytes == sizeof(double)) return with(element<double>, put<double>);
  if (f.bytes == sizeof(std::uint16_t))
    return with([&f](const void* array, std::size_t i) { return widened(f, element<std::uint16_t>(array, i)); },
                [&f](void* array, std::size_t i, double value) { put(array, i, narrowed(f, value)); });
  return with([](const void* array, std::size_t i) { return static_cast<double>(element<float>(array, i)); },
              [](void* array, std::size_t i, double value) { put(array, i, static_cast<float>(value)); });
}

}  // namespace

double load_element(attncert_dtype dtype, const void* array, std::size_t index) noexcept {
  return with_type(dtype, [&](const auto& load, const auto&) { return load(array, index); });
}

void store_element(attncert_dtype dtype, void* array, std::size_t index, double value) noexcept {
  with_type(dtype, [&](const auto&, const auto& store) { store(array, index, value); });
}

void load_elements(attncert_dtype dtype, const void* array, std::size_t first, std::span<double> values) noexcept {
  with_type(dtype, [&](const auto& load, const auto&) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = load(array, first + i);
  });
}

void store_elements(attncert_dtype dtype, void* array, std::size_t first, std::span<const double> values) noexcept {
  with_type(dtype, [&](const auto&, const auto& store) {
    for (std::size_t i = 0; i < values.size(); ++i) store(array, first + i, values[i]);
  });
}

double rounded(attncert_dtype dtype, double value) noexcept {
  unsigned char storage[sizeof(double)];
  store_element(dtype, storage, 0, value);
  return load_element(dtype, storage, 0);
}

}  // namespace attncert
