// Rows of exact numbers: their sums, as interval.hpp has them of enclosures, and what else is said of rows as a whole.
#pragma once

#include <span>
#include <vector>

#include "src/core/rational.hpp"

namespace attncert {

Rational sum(std::span<const Rational> items);
Rational sum_of_squares(std::span<const Rational> items);
Rational squared_distance(std::span<const Rational> a, std::span<const Rational> b);         // sum (a-b)^2
Rational range(std::span<const Rational> items);                                             // largest - smallest
std::vector<Rational> difference(std::span<const Rational> a, std::span<const Rational> b);  // entry by entry
std::vector<Rational> scaled(const Rational& factor, std::span<const Rational> items);

}  // namespace attncert
