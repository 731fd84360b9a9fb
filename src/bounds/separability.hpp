// Theorem 2's quantities for every N of a row at once (arXiv 2508.17821; docs/claims.md): with I the N largest weights
// (ties: the lower index), s = sum over I of a_i x_i, f_i = ||a_i x_i - s||_2,
//   r = min over i not in I of f_i,   N_s = #{i in I: f_i <= r},
//   xi_i^2  = M^2 sum_{j in I, j != i} a_j^2 + (M^2 - delta^2/2) sum_{j, k in I; j != i, j != k [, k != i]} a_j a_k,
//             at least 0,
//   eta_i^2 = the same with the largest distance Delta in place of the smallest, delta.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/bounds/certified.hpp"
#include "src/bounds/gram.hpp"
#include "src/bounds/row.hpp"

namespace attncert::bounds {

// Whether k = i is allowed in the double sum: the formula says so as it is printed, the proof needs k != i.
enum class Reading : std::uint8_t { distinct, literal };

struct Count {
  std::size_t least = 0, most = 0;  // equal but where rounding (or an exact tie) leaves it open
};

struct SeparabilityCurves {  // one entry a point (Points::at); those that divide by N are `unknown` at N = 0
  std::vector<std::size_t> N;
  Curve r;                              // +infinity, error 0, at N = L
  std::vector<Count> separable;         // N_s
  std::array<Curve, 2> printed_lower;   // 1 - (1/(rN)) sum xi_i, by Reading; `unknown` where r may be 0; 1 at N = L
  std::array<Curve, 2> printed_upper;   // (1/N) sum exp(-(r - xi_i)^2 / (16 M^2)), by Reading; 0 at N = L
  Curve corrected_lower;                // 1 - (1/N) sum min(1, xi_i / r), distinct
  std::vector<Count> surely, possibly;  // #{xi_i <= r} <= N_s <= #{eta_i <= r}, distinct: the sandwich
  Certified radius, closest, farthest;  // M, delta, Delta over the row's tokens
  std::size_t ties = 0;                 // N in 1..L-1 at which equal weights leave the set open
  double lost_digits = 0;               // as in DistanceCurves
  std::size_t by_vectors = 0;           // points at which single distances were done over from the vectors
  double token_error = 0;               // as asked for
};

// token_error: of each token against the one meant, ||x - exact|| <= token_error ||x||, at most 2^-10; counts and
// errors cover it. So rounded unit vectors stand for exact ones.
template <class T>
void separability_curves(std::span<const T> weights, const Gram<T>& gram, const Points& points, SeparabilityCurves& out,
                         double token_error = 0);
// Without a matrix, in tiles; the closest and the farthest pair take a pass of their own.
template <class T>
void separability_curves(std::span<const T> weights, Tokens<T> tokens, const Points& points, SeparabilityCurves& out,
                         double token_error = 0);

// xi_i and eta_i of one N, nothing where N > L or the weights break their promise, for i in I in descending order of
// weight (the order of `order`, filled with the indices).
struct Radii {
  std::vector<std::size_t> order;
  std::array<Curve, 2> xi;  // by Reading
  Curve eta;                // distinct
};
template <class T>
void radii(std::span<const T> weights, const Gram<T>& gram, std::size_t N, Weights meaning, Radii& out);

}  // namespace attncert::bounds
