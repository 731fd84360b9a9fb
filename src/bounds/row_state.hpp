// One row of weights made ready for a pass in order of rank: scaled by a power of two to a largest |w| in [1/2, 1),
// sorted, with the sums over prefixes that bounds need, and its columns laid out for the vector unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "src/bounds/certified.hpp"
#include "src/bounds/gram.hpp"
#include "src/bounds/order.hpp"
#include "src/bounds/row.hpp"

namespace attncert::bounds {

inline constexpr std::size_t block_ranks = 8;  // how many ranks a pass takes at a time

// Per token in the order of the tokens, padded with weight 0 to whole vectors; the padding counts as selected from the
// start.
template <class T>
struct Columns {
  using Rank = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  std::size_t padded = 0;
  hwy::AlignedFreeUniquePtr<T[]> twice;         // -2 w_i
  hwy::AlignedFreeUniquePtr<T[]> alpha;         // |w_i| ||x_i||, rounded up
  hwy::AlignedFreeUniquePtr<T[]> squared_norm;  // ||x_i||^2
  hwy::AlignedFreeUniquePtr<T[]> farthest;      // max over the selected j of ||x_i - x_j||^2
  hwy::AlignedFreeUniquePtr<double[]> square;   // w_i^2 ||x_i||^2
  hwy::AlignedFreeUniquePtr<double[]> product;  // x_i . s
  hwy::AlignedFreeUniquePtr<Rank[]> rank;
};

template <class T>
struct RowState {
  bool valid = false;
  std::size_t room = 0;  // columns that the buffers hold
  std::size_t length = 0;
  int weight_exponent = 0;      // w = 2^weight_exponent times the scaled weight
  std::vector<double> w, norm;  // scaled, in the order of the tokens
  Order order;
  Columns<T> columns;
  hwy::AlignedFreeUniquePtr<T[]> sorted;  // w in order of rank, zeros beyond
  hwy::AlignedFreeUniquePtr<T[]> excess;  // of a block of ranks, row by row
  // By N: over the N selected ones, and over the L - N others.
  std::vector<double> mass, weighted_norms, largest_norm;                 // sum w, P = sum |w_i| ||x_i||, max ||x_i||
  std::vector<double> rest_mass, rest_norms, rest_squares, rest_largest;  // sum w, sum alpha, sum alpha^2, max alpha
  double sum = 0, absolute_sum = 0;                                       // of w, of |w|
  double relative = 0;  // every one of these sums is within `relative` of exact, relative to the sum of absolute values

  // `valid` is false when weights break the promise of their meaning (points.weights) or are more than there are
  // tokens.
  void prepare(std::span<const T> weights, Weights meaning, std::span<const double> squared_norms);
};

extern template struct RowState<float>;
extern template struct RowState<double>;

// The N that are asked for: all from 0 to L when `points` names none. False: not ascending, or beyond L.
bool chosen_points(const Points& points, std::size_t length, std::vector<std::size_t>& N);

}  // namespace attncert::bounds
