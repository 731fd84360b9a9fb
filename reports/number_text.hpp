// Numbers as text: bit-exact (the ledger's hex strings) and for a reader (tables, sides of an inequality, counts).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/rational.hpp"

namespace attncert::report {

std::string hex_text(double value);  // "0x1.8p-3", "-0x0p+0", "inf", "-inf", "nan": the bits, NaN's payload apart
std::optional<double> from_hex_text(std::string_view text);  // only what hex_text writes

std::string short_text(double value);      // six digits, but never "1" for what is not 1: "1 - 3.2e-09"
std::string ulp_text(double value);        // two decimals
std::string grouped(std::uint64_t count);  // "12,345,678"
std::string readable(
    const Rational& value);  // "-3/4"; "~0.30012 (411 bits)" where the fraction says nothing to a person

}  // namespace attncert::report
