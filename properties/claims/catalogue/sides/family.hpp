// Quantities of family members, evaluated exactly on run-length coded instances (never expanded: L goes to 2^20).
#pragma once

#include <cstddef>
#include <vector>

#include "src/core/rational.hpp"
#include "src/core/witness.hpp"

namespace attncert::sides {

// x_i = 1 and a_i = 1/L on a line, N = count.
ExactInstance equal_tokens(std::size_t length, std::size_t count);
ExactInstance equal_tokens(std::size_t length, std::size_t count, const Runs<Rational>& weights);  // with other weights

// Logits (first, rest, ..., rest).
ExactInstance one_against_the_rest(std::size_t length, const Rational& first, const Rational& rest);

// d-tilde for d = 1 with I the top N by weight, ties by the lowest index.
Rational one_dimensional_distance(const ExactInstance& member);

// The same over L, and its reciprocal (0 where the distance is 0).
Rational one_dimensional_distance_over_length(const ExactInstance& member);
Rational length_over_one_dimensional_distance(const ExactInstance& member);

// L a_1 with a = F / sum F.
Rational length_times_first_separable_weight(const ExactInstance& member);

// L a_1 with a = sparsemax(logits), T = 1.
Rational length_times_first_sparsemax_weight(const ExactInstance& member);

}  // namespace attncert::sides
