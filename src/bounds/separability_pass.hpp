// The vector parts of the separability curve: which f_i lie within r, and the sums over the radii xi_i.
#pragma once

#include <cstddef>

#include "src/bounds/context.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bounds {

inline void add(Count& count, Certified square, Certified limit) {  // square <= limit?
  if (square.value + square.error <= limit.value - limit.error) ++count.least;
  if (square.value - square.error <= limit.value + limit.error) ++count.most;
}

// e_i is within width_i = alpha_i (relative alpha_i + slope) + floor of exact.
template <class T>
struct Widths {
  T relative = 0, slope = 0, floor = 0;
};

// At N, for tokens that move inner products of sums of them by drift(token_error). Two roundings of at most alpha^2 + 2
// alpha P each for e, less or more its width.
inline double drift(double token_error) { return 2.001 * token_error; }
template <class T>
Widths<T> excess_widths(const RowState<T>& row, const GramFacts<T>& source, std::size_t N, double token_error) {
  constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53, up = 1 + 8 * u;
  const PassError error = pass_error(source, N);
  const double P = row.weighted_norms[N] * norms_above, relative = error.excess + 3 * u + drift(token_error);
  return {static_cast<T>(relative * up), static_cast<T>(2 * P * relative * up), static_cast<T>(error.floor * up)};
}

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
