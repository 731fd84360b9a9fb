// A second look at one selection, from the vectors, O(L d), where the curves leave a claim open.
//
// beyond: |d-tilde - (L-N) ||s|| |. In saturated heads the difference itself cancels completely; it is computed as the
// sum over the unselected of
//   f_i - ||s|| = (f_i^2 - ||s||^2) / (f_i + ||s||),   f_i^2 - ||s||^2 = a_i (a_i ||x_i||^2 - 2 x_i . s);
// minus_context: ||(sum over the unselected of a_i x_i) - s||, which no curve has.
#pragma once

#include <cstddef>
#include <span>

#include "src/bounds/certified.hpp"
#include "src/core/attention.hpp"

namespace attncert {

// Sides of the instance that selection_sides.hpp speaks of: unit vectors are exact there.
struct CloserSides {
  bounds::Certified beyond, minus_context;
};
CloserSides closer_sides(std::span<const float> weights, const CapturedTokens& tokens, TokenScale scale, std::size_t N);

}  // namespace attncert
