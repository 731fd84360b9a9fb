// Quantities of family members, evaluated exactly on run-length coded instances (never expanded: L goes to 2^20).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/core/rational.hpp"
#include "src/core/witness.hpp"

namespace attncert::sides {

// Hypotheses of weights with I the top N, in the checker's words, and more.
std::vector<std::string> given_top_weights(const std::vector<std::string>& more);

// d-tilde for d = 1 with I the top N by weight, ties by the lowest index.
Rational one_dimensional_distance(const ExactInstance& member);

// The same over L, and its reciprocal (0 where the distance is 0).
Rational one_dimensional_distance_over_length(const ExactInstance& member);
Rational length_over_one_dimensional_distance(const ExactInstance& member);

// L a_1 with a = F / sum F; less 1; and its reciprocal.
Rational length_times_first_separable_weight(const ExactInstance& member);
Rational length_times_first_separable_weight_less_one(const ExactInstance& member);
Rational inverse_of_length_times_first_separable_weight(const ExactInstance& member);

// The first with F = 1 + l^2, the last with F = 1/(1 + l^2).
Rational length_times_first_weight_of_one_plus_square(const ExactInstance& member);
Rational inverse_of_length_times_first_weight_of_inverse_square(const ExactInstance& member);

// L a_1 with a = sparsemax(logits), T = 1.
Rational length_times_first_sparsemax_weight(const ExactInstance& member);

// sparsemax of the logits (1, 0, .., 0) at L = n >= 2: a_1 = 1 and tau = 0, so that L a_1 = n.
FormFamily one_token_sparsemax(const std::string& name, const std::vector<std::string>& more = {});

}  // namespace attncert::sides
