// Theorem 1's quantities for every N of a row at once (arXiv 2508.17821; docs/claims.md). I is the set of the N largest
// weights (ties: the lower index), A = sum of its weights, s = sum over I of a_i x_i:
//   d-tilde = sum over i not in I of ||a_i x_i - s||_2,
// with what the claims compare it with. All N cost one pass over the Gram matrix, O(L^2) a row, O(L) memory beside the
// tokens.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "src/bounds/certified.hpp"
#include "src/bounds/gram.hpp"
#include "src/bounds/row.hpp"

namespace attncert::bounds {

struct DistanceCurves {  // one entry a point (Points::at)
  std::vector<std::size_t> N;
  Curve distance;       // d-tilde
  Curve context;        // ||s||
  Curve selected_mass;  // A
  Curve unselected;     // sum over i not in I of |a_i| ||x_i||: distance-two-sided says |d-tilde - (L-N)||s||| <= this
  Curve diameter;       // d_1 = max over i not in I, j in I of ||x_i - x_j||; 0 where there is no such pair
  Curve largest_selected;    // max over j in I of ||x_j||; 0 at N = 0
  Curve printed, corrected;  // (1-A) d_1 + m^2 [A (L-N) - (1-A)], and with m in place of m^2; m = largest_selected
  // E sum over i not in I of ||a_i x_i - s||^2, I uniform among sets of N (expected-squared-distance)
  Curve second_moment;
  Curve printed_expectation;   // (L-N)/L sum_i ||(a_i + N/(L-1)) x_i - xbar||^2, as the paper prints it; L >= 2
  std::size_t ties = 0;        // N in 1..L-1 at which equal weights leave the set open
  std::size_t by_vectors = 0;  // points whose distance was done over from the vectors
  double lost_digits =
      0;  // decimal digits lost to cancellation at the worst point: log10((sum a_i ||x_i||)^2 / ||s||^2)
};

// weights: L <= gram.count(), finite. `out` keeps its memory from call to call. Weights that break the
// promises of Points::weights (a NaN, a zero sum) make every entry `unknown`.
template <class T>
void distance_curves(std::span<const T> weights, const Gram<T>& gram, const Points& points, DistanceCurves& out);

// From the vectors, without a Gram matrix: one row over L <= tokens.count tokens; tiles of inner products are computed
// as they are needed. O(L) memory beside the tokens and a copy of them in f64.
template <class T>
void distance_curves(std::span<const T> weights, Tokens<T> tokens, const Points& points, DistanceCurves& out);

struct RowsSeen {
  std::size_t rows = 0, with_ties = 0;  // how many rows had equal weights that leave a set open
};
// Many rows over the same tokens, the faster way: by a Gram matrix for two rows or more (its L^2 d then pays) where the
// matrix has no more than `most_entries`, else each from the vectors: measured on rows of all tokens. take(row, curves)
// is called for every row in turn.
inline constexpr std::size_t gram_entries = std::size_t{1} << 28;  // 1 GiB in f32: L = 16384
template <class T>
RowsSeen distance_curves(std::span<const std::span<const T>> rows, Tokens<T> tokens, const Points& points,
                         const std::function<void(std::size_t row, const DistanceCurves&)>& take,
                         std::size_t most_entries = gram_entries);

}  // namespace attncert::bounds
