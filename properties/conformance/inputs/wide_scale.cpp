#include "properties/conformance/inputs/wide_scale.hpp"

#include <algorithm>
#include <cmath>

#include "src/core/counter.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// 2^exponent times a fraction in [1, 2), exponent in [low, high).
double within(std::uint64_t word, int low, int high) {
  const int exponent = low + static_cast<int>(word % static_cast<std::uint64_t>(high - low));
  return std::ldexp(1 + static_cast<double>(word >> 40) * 0x1p-24, exponent);
}

int lowest(const Format& f) { return f.min_exponent - f.digits; }  // exponent of the smallest number

double temperature_of(const WideRecipe& r, const Format& f, std::uint64_t word) {
  constexpr double simple[] = {0.1, 0.7, 3};
  constexpr int octaves = 8;  // that count as an end
  switch (r.warmth) {
    case Warmth::one:
      return 1;
    case Warmth::simple:
      return word % 4 < 3 ? simple[word % 4] : std::ldexp(1, static_cast<int>(word / 4 % 40) - 20);
    case Warmth::of_the_format:
      return within(word, lowest(f), f.max_exponent);
    case Warmth::near_the_small_end:
      return within(word, lowest(f), f.min_exponent);
    case Warmth::near_the_large_end:
      return within(word, f.max_exponent - octaves, f.max_exponent);
    case Warmth::any:
      return within(word, -1074, 1024);
    case Warmth::subnormal:
      return within(word, -1074, -1022);
    case Warmth::inverse_beyond_floats:
      return within(word, -149, -128);
    case Warmth::below_floats:
      return within(word, -1022, -150);
    case Warmth::inverse_below_floats:
      return within(word, 126, 128);
    case Warmth::beyond_floats:
      return within(word, 128, 1022);
    case Warmth::inverse_subnormal:
      return within(word, 1022, 1024);
    default:
      return static_cast<double>(static_cast<float>(within(word, -20, 20)));
  }
}

}  // namespace

double finite(attncert_dtype dtype, double value) {
  const Format& f = format(dtype);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - f.digits), f.max_exponent - 1);
  return rounded(dtype, std::clamp(value, -largest, largest));
}

double neighbour(attncert_dtype dtype, double value, int steps) {
  const Format& f = format(dtype);
  for (; steps != 0; steps += steps > 0 ? -1 : 1) {
    // Below a power of two the step is half of the one above; half of it, rounded to nearest, is the neighbour then.
    const int exponent = value == 0 ? lowest(f) : std::max(std::ilogb(value) - f.digits + 1, lowest(f));
    const double step = std::copysign(std::ldexp(1.0, exponent), steps);
    const double half = rounded(dtype, value + step / 2);
    value = finite(dtype, half != value ? half : value + step);
  }
  return value;
}

double any_number(attncert_dtype dtype, std::uint64_t word) {
  const Format& f = format(dtype);
  const double magnitude = within(word >> 1, lowest(f), f.max_exponent);
  return finite(dtype, word % 2 == 0 ? magnitude : -magnitude);
}

WideScale scale_of(const WideRecipe& r, attncert_dtype dtype) {
  const Format& f = format(dtype);
  const auto word = [&](std::uint64_t which) { return random_word(r.seed ^ 0x5CA1E, which); };
  const double smallest = std::ldexp(1.0, lowest(f)), largest = finite(dtype, HUGE_VAL);
  WideScale s{temperature_of(r, f, word(0)), 0, 0};
  s.unit = s.temperature;
  if (r.unit == Unit::near) s.unit = std::ldexp(s.unit, static_cast<int>(word(1) % 25) - 12);
  if (r.unit == Unit::own) s.unit = within(word(1), lowest(f), f.max_exponent);
  s.unit = std::clamp(s.unit, smallest, largest);
  const int digits = f.digits - 3;  // that a level may take from the differences
  const auto level = [&](int low) {
    return std::ldexp(s.unit, low + static_cast<int>(word(2) % static_cast<std::uint64_t>(std::max(digits - low, 1))));
  };
  constexpr int far = 10;  // z / T beyond the logarithm of every format's largest number, 710
  switch (r.level) {
    case Level::above:
    case Level::below:
      s.level = level(0);
      break;
    case Level::far_above:
    case Level::far_below:
      s.level = level(far);
      break;
    case Level::high:
    case Level::low:  // T follows: of what tells the row's numbers apart, as far as the unit may
      s.level = within(word(3), word(5) % 2 == 0 ? 14 : f.max_exponent - 5, f.max_exponent);
      s.unit = std::ldexp(s.level, -static_cast<int>(word(4) % static_cast<std::uint64_t>(digits)));
      if (r.unit != Unit::own) s.temperature = s.unit;
      break;
    default:
      break;
  }
  const bool down = r.level == Level::below || r.level == Level::far_below || r.level == Level::low;
  s.level = down ? -s.level : s.level;
  return s;
}

}  // namespace attncert
