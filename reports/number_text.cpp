// std::to_chars and from_chars, because they are exact and know no locale.
#include "reports/number_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace attncert::report {

std::string hex_text(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  char buffer[40];  // the longest is "1.fffffffffffffp-1022"
  const auto [end, fault] = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::hex);
  ATTNCERT_ASSERT(fault == std::errc());
  return sign + "0x" + std::string(buffer, end);
}

std::optional<double> from_hex_text(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double value = 0;
  if (text == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else {
    if (!text.starts_with("0x") || text.starts_with("0x-")) return std::nullopt;
    text.remove_prefix(2);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
    if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  }
  return negative ? -value : value;
}

std::string short_text(double value) {
  std::string text = fmt::format("{:.6g}", value);
  if (text == "1" && value != 1) return fmt::format("1 {} {:.1e}", value < 1 ? '-' : '+', std::fabs(value - 1));
  return text;
}

std::string ulp_text(double value) { return fmt::format("{:.2f}", value); }

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

}  // namespace attncert::report
