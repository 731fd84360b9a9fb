// |d-tilde - (L-N) ||s||| <= sum over i not in I of a_i ||x_i|| (claims.md section 2, (iii)): the triangle inequality
// for every unselected token. d-tilde is (L-N) ||s|| up to at most one token norm.
#include "properties/claims/claim.hpp"
#include "properties/claims/sides/selection.hpp"
#include "properties/generators/instances.hpp"

namespace attncert {
namespace {

Rational outside(const Instance& instance) {
  return Rational(static_cast<unsigned long>(instance.length - instance.count));
}

// Where ||s|| > 0 the difference is summed as f_i - ||s|| = (f_i^2 - ||s||^2) / (f_i + ||s||): sharp heads leave the
// unselected tokens weights far below the rounding of d-tilde itself.
Interval lhs(const Instance& instance, Precision precision) {
  const auto& geometry = instance.selection(precision);
  if (less(Interval(0.0, precision), geometry.norm_s) != Truth::yes)
    return abs(geometry.distance - Interval(outside(instance), precision) * geometry.norm_s);
  Interval difference(0.0, precision);
  for (const std::size_t i : instance.unselected())
    difference += geometry.excess[i] / (geometry.f[i] + geometry.norm_s);
  return abs(difference);
}

Interval rhs(const Instance& instance, Precision precision) { return instance.selection(precision).unselected_mass; }

Rational squared_context_norm(const Instance& instance) {
  Rational square = 0;
  for (const Rational& s : instance.context()) square += s * s;
  return square;
}

// One of +-(d-tilde - (L-N)||s||) equals the right side.
bool attained(const Instance& instance) {
  for (const int sign : {1, -1}) {
    SurdSum difference;
    for (const std::size_t i : instance.unselected()) {
      difference.add(sign, exact_squared_distance_to_context(instance, i));
      difference.add(-instance.weights[i], instance.tokens->squared_norm(i));
    }
    difference.add(-sign * outside(instance), squared_context_norm(instance));
    if (difference.is_zero()) return true;
  }
  return false;
}

}  // namespace

Claim distance_two_sided() {
  return {.statement = {.id = "distance-two-sided",
                        .source = "corrected Theorem 1, (iii)",
                        .section = "2",
                        .text = "d-tilde equals (L-N) ||s|| up to the weighted norms of the unselected tokens.",
                        .left = "|d-tilde - (L-N) ||s|| |",
                        .right = "sum over i not in I of a_i ||x_i||",
                        .hypotheses = sides::selection_hypotheses(),
                        .lhs = lhs,
                        .rhs = rhs,
                        .attained = attained,
                        .generate = free_selection,
                        .real = RealRows::selections,
                        .domain = "any tokens, L <= 24, d <= 4; captured rows"},
          .expected = Expected::supported};
}

}  // namespace attncert
