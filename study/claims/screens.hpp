// Screens: one claim each, decided from certified numbers alone. A screen says held, violated, equality or discarded
// only where that is certain of the claim's own instance, and open elsewhere: Interval is asked then (row_claims.cpp).
//
// Claims about captured rows without a screen, which `attncert certify` judges by Interval on its own plan:
//   distance-lower, distance-split: ||xbar - (L-N+1) s|| and ||x_i - s/A|| are not among the curves;
//   separability-sandwich: the single f_i are not; its equalities at N <= 2 are exact;
//   expected-squared-distance, expected-distance-sandwich, theorem1-expectation-main-term: rows of at most 8
//     keys, all index sets;
//   entmax-lipschitz-length, entmax-top-weight-floor: of 1.5-entmax and entmax at other weights than softmax's;
//   softmax-rounding-error: of an algorithm run in exact arithmetic.
#pragma once

#include <span>
#include <string_view>

#include "properties/claims/certify/judge.hpp"
#include "study/claims/logit_sides.hpp"
#include "study/claims/selection_sides.hpp"

namespace attncert {

struct Outcome {
  Decision what = Decision::undecided;  // open
  std::string_view hypothesis = {};     // discarded: the text of the one that certainly fails
};

struct SelectionScreen {
  std::string_view claim;
  Outcome (*ask)(const SelectionSides& sides);
  bool second_look = false;  // where it is open: CloserSides
};
struct LogitScreen {
  std::string_view claim;
  Outcome (*ask)(const LogitSides& sides);
};

std::span<const SelectionScreen> selection_screens();
std::span<const LogitScreen> logit_screens();

}  // namespace attncert
