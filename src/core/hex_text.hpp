// Doubles as text, bit for bit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attncert {

std::string hex_text(double value);  // "0x1.8p-3", "-0x0p+0", "inf", "-inf", "nan": the bits, NaN's payload apart
std::optional<double> from_hex_text(std::string_view text);  // only what hex_text writes

}  // namespace attncert
