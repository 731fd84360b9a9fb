// What the claims hold d-tilde against, from a row's sums, for many N at once: ball arithmetic (ball.hpp) on vectors of
// points. One by one it would take as long as the pass itself does on rows of a few hundred tokens.
#pragma once

#include <cstddef>

#include "src/bounds/ball.hpp"
#include "src/bounds/distance.hpp"

namespace attncert::bounds {

inline constexpr std::size_t points_at_once = 64;

// Scaled, by point: N, sums of w over the selected and the others, sum of |w| ||x|| over the others, max ||x|| over the
// selected; out of the pass d-tilde, ||s|| and d_1.
struct DistanceTerms {
  alignas(64) double N[points_at_once], mass[points_at_once], rest_mass[points_at_once],
      rest_norms[points_at_once], largest[points_at_once];
  alignas(64) double distance[2][points_at_once], context[2][points_at_once],
      diameter[2][points_at_once];  // value, error
};

// The same for all points of a row.
struct DistanceConstants {
  bool divided = true;
  double length = 0;                                        // L >= 2
  double mass_error = 0, sum_of_norms = 0, norm_error = 0;  // of mass, absolute; of rest_norms and largest, relative
  double sum_floor = 0, norm_floor = 0;                     // of rest_norms and largest, absolute
  Certified unit, weighted;  // what scaled weights and weighted lengths are multiplied by
  PowerOfTwo scale{0};       // what lengths are multiplied by
  // In the units of the caller: sum ||a_i x_i||^2 and ||xbar||^2; the printed expectation is (L-N)/L
  // (constant + t (slope + t squares)) with t = N/(L-1); 1/L and 1/(L-1).
  Certified A, B, constant, slope, squares, one_of_all, one_of_others;
};

// By point: value and error of every curve of DistanceCurves.
struct DistanceFound {
  alignas(64) double distance[2][points_at_once], context[2][points_at_once], selected_mass[2][points_at_once],
      unselected[2][points_at_once], diameter[2][points_at_once],
      largest_selected[2][points_at_once], printed[2][points_at_once], corrected[2][points_at_once],
      second_moment[2][points_at_once], printed_expectation[2][points_at_once];
};

void distance_formulas(const DistanceTerms& terms, const DistanceConstants& constants, DistanceFound& found);

}  // namespace attncert::bounds
