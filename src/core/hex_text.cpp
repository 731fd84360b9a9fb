// std::to_chars and from_chars, because they are exact and know no locale.
#include "src/core/hex_text.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "src/core/assert.hpp"

namespace attncert {

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
  const std::string_view whole = text;
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
  if (negative) value = -value;
  return hex_text(value) == whole ? std::optional(value) : std::nullopt;
}

}  // namespace attncert
