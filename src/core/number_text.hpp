// Numbers as text for a reader: tables, sides of an inequality, counts. Bit for bit: src/core/hex_text.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "src/core/rational.hpp"

namespace attncert::report {

std::string short_text(double value);      // six digits, but never "1" for what is not 1: "1 - 3.2e-09"
std::string ulp_text(double value);        // three digits: "0.5", "27.3", "1.02e+46"; "1,027"
std::string grouped(std::uint64_t count);  // "12,345,678"
std::string readable(
    const Rational& value);  // "-3/4"; "~0.30012 (411 bits)" where the fraction says nothing to a person

std::string side_text(const std::string& enclosure);  // "[0.3333.., 0.3334]" as "0.333333"; other texts as they are

}  // namespace attncert::report
