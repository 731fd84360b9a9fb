// The vector parts of the separability curve: which f_i lie within r, and the sums over the radii xi_i.
#pragma once

#include <cstddef>

#include "src/bounds/row_state.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bounds {

// e_i is within width_i = alpha_i (relative alpha_i + slope) + floor of exact.
template <class T>
struct Widths {
  T relative = 0, slope = 0, floor = 0;
};

template <class T>
struct ExcessRange {
  T least = 0, most = 0;
};
// Where min e_i over the unselected tokens (rank >= N) lies.
template <class T>
ExcessRange<T> range_of_rest(const T* excess, const Columns<T>& columns, std::size_t N, Widths<T> widths);
// How many selected tokens are surely (least), or possibly (most), at or below a number in that range.
template <class T>
Count selected_within(const T* excess, const Columns<T>& columns, std::size_t N, Widths<T> widths,
                      ExcessRange<T> range);

// xi^2 = half (q - a^2) + rest (A - a) B of weights a, B = A - a (distinct) or A (literal): both coefficients positive.
template <class T>
struct RadiusFormula {
  T half_separation = 0, rest = 0;                           // delta^2 / 2, M^2 - delta^2 / 2
  T eta_half_separation = 0, eta_rest = 0;                   // with Delta, the second of any sign
  T mass = 0, squares = 0;                                   // A, q
  T r = 0, inverse_r = 0, rate = 0;                          // rate: exp(-rate (r - xi)^2), the exponent at most 1/8
  T xi_least = 0, xi_most = 0, eta_least = 0, eta_most = 0;  // thresholds on squares: surely and possibly within r
};
struct RadiusSums {
  double roots[2] = {}, exponentials[2] = {};  // by Reading
  double clipped = 0;                          // sum of min(1, xi / r), distinct
  Count surely, possibly;
};
// Over the ranks from 1 to count - 1: the first weight, which may be nearly all of A, is left to the caller.
template <class T>
RadiusSums radius_sums(const T* weights, std::size_t count, const RadiusFormula<T>& formula);
// The error of a square, in units of the roundoff of T: the coefficients 1, A - a 3, q - a^2 4, their products and the
// sum.
inline constexpr double radius_roundings = 11;

}  // namespace attncert::bounds
