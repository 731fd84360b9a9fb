// Rational: exact numbers (GMP's mpq_class) and the one text form they have in files: "p/q" or "p", lowest terms.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

using Rational = mpq_class;

Rational ratio(long numerator, unsigned long denominator);  // in lowest terms; denominator > 0

// The exact value of a finite float. Asserts that it is finite.
Rational exact(double value);

std::string to_text(const Rational& value);

// Reads "p" or "p/q" (decimal digits, optional leading '-', q > 0, at most 100,000 characters).
// Anything else is an Error. The result is in lowest terms even when the text is not.
Result<Rational> rational_from_text(std::string_view text);

// Bits of numerator plus bits of denominator: the measure of how readable a number is. bits(0) = 1.
std::size_t bits(const Rational& value);

// A double near the value (truncated toward zero by GMP: for display and for screening, never for a verdict).
double approximate(const Rational& value);

}  // namespace attncert
