// Attention weights that a claim quantifies: rational, nonnegative, sum exactly 1 (docs/specification.md#instances).
#pragma once

#include <cstddef>
#include <vector>

#include "src/core/rational.hpp"
#include "src/core/tape.hpp"

namespace attncert {

std::vector<Rational> generate_weights(Choices& choices, std::size_t length);

bool on_simplex(const std::vector<Rational>& weights);  // every one >= 0, sum exactly 1

// w_i / sum w for nonnegative w with a positive sum.
std::vector<Rational> normalized(std::vector<Rational> parts);

}  // namespace attncert
