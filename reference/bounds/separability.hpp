// Theorem 2's quantities at one N (arXiv 2508.17821; docs/claims.md, claims theorem2-*, separability-*), enclosed by
// their definitions. Distances are compared by their squares, which are exact points at enough precision, so that ties
// decide.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "reference/bounds/selection.hpp"
#include "reference/bounds/weighted_tokens.hpp"

namespace attncert::reference {

struct CountRange {
  std::size_t certain = 0, possible = 0;
  std::size_t near =
      0;  // members whose distance is within a thousandth of the scale of the threshold: hard to tell for doubles
};

// A value of the extended reals, or 0/0, for which each of several readings is as good.
struct Extended {
  enum class Kind { number, plus_infinity, minus_infinity, open } kind = Kind::open;
  std::optional<Interval> number{};  // open: nothing, or the hull of the readings
};

struct SeparabilityTruth {
  Extended r;
  CountRange separable, surely, possibly;
  std::array<Extended, 2> printed_lower, printed_upper;  // distinct, literal
  Extended corrected_lower;
  std::array<std::vector<Interval>, 2> xi;  // in descending order of weight; distinct, literal
  std::vector<Interval> eta;                // distinct
  double magnitude = 0;                     // of a distance to s: sum of the magnitudes of its terms, at most
};
SeparabilityTruth separability_truth(const WeightedRow& row, std::size_t N);

struct TokenSpread {
  Interval radius, closest, farthest;  // M, delta, Delta; the last two are 0 for one token
};
TokenSpread token_spread(const WeightedRow& row);

}  // namespace attncert::reference
