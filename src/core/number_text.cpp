#include "src/core/number_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace attncert::report {

std::string short_text(double value) {
  std::string text = fmt::format("{:.6g}", value);
  if (text == "1" && value != 1) return fmt::format("1 {} {:.1e}", value < 1 ? '-' : '+', std::fabs(value - 1));
  return text;
}

std::string ulp_text(double value) {
  const bool whole = value >= 1000 && value < 1e6;  // three digits would hide an exponent's worth of them
  return whole ? grouped(static_cast<std::uint64_t>(std::llround(value))) : fmt::format("{:.3g}", value);
}

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3;) digits.insert(place -= 3, 1, ',');
  return digits;
}

std::string readable(const Rational& value) {
  constexpr std::size_t longest_fraction = 40;  // bits: about 12 digits, what a person still compares by eye
  if (bits(value) <= longest_fraction) return to_text(value);
  return fmt::format("~{:.6g} ({} bits)", approximate(value), bits(value));
}

std::string side_text(const std::string& enclosure) {
  const auto comma = enclosure.find(", ");
  if (!enclosure.starts_with('[') || !enclosure.ends_with(']') || comma == std::string::npos) return enclosure;
  // only the display is rounded: an enclosure wider than six digits stays as it is
  const std::string low = fmt::format("{:.6g}", std::strtod(enclosure.c_str() + 1, nullptr));
  const std::string high = fmt::format("{:.6g}", std::strtod(enclosure.c_str() + comma + 2, nullptr));
  return low == high ? low : enclosure;
}

}  // namespace attncert::report
