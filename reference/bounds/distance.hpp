// Theorem 1's quantities at one N (arXiv 2508.17821; docs/claims.md, claims theorem1-*, distance-*,
// expected-squared-distance), enclosed by their definitions, in O(L d) and O(N (L - N)) for the diameter.
#pragma once

#include <cstddef>
#include <optional>

#include "reference/bounds/weighted_tokens.hpp"

namespace attncert::reference {

struct DistanceTruth {
  Interval distance, context, selected_mass, unselected;
  Interval diameter, largest_selected;
  Interval printed, corrected;
  Interval second_moment;
  std::optional<Interval> printed_expectation;  // L >= 2
  // Sums of the magnitudes of the row's terms, for judging whether an error is small: of weights, of weighted norms,
  // and of what the quantities above are made of. Doubles, not certain.
  double weight_magnitude = 0, mean_magnitude = 0, largest_norm = 0, distance_magnitude = 0;
  double printed_magnitude = 0, corrected_magnitude = 0, moment_magnitude = 0, expectation_magnitude = 0;
};

DistanceTruth distance_truth(const WeightedRow& row, std::size_t N);

}  // namespace attncert::reference
