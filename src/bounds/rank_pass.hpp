// The pass over the rows of a Gram matrix in order of rank, eight ranks at a time. With c_i = x_i . s after N ranks,
//   f_i^2 = ||a_i x_i - s||^2 = S + e_i,   e_i = a_i^2 ||x_i||^2 - 2 a_i c_i,   S = ||s||^2,
// so that one multiply-add per token and rank keeps c, and another gives e. Within a block the change of c is summed in
// T and then added to c in f64: the error of c does not grow with N (docs/bounds.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/bounds/row_state.hpp"

namespace attncert::bounds {

template <class T>
struct Block {
  std::array<const T*, block_ranks>
      rows;  // Gram rows of the ranks; those beyond the last rank repeat one, with weight 0
  std::array<T, block_ranks> weights, squared_norms;
  std::array<std::uint32_t, block_ranks> tokens;
};

// What is asked after one rank of a block, and the answer: sums over the unselected tokens, those of rank >= N.
template <class T>
struct RestSums {
  bool wanted = false;
  std::size_t N = 0;
  T S = 0, least = 0;
  const T* next =
      nullptr;       // a row that the pass will read soon, or null: fetched meanwhile, since sums leave the memory idle
  double roots = 0;  // sum of sqrt(max(S + e_i, least))
  double inverses = 0;  // at least the sum of their reciprocals
  double reach = 0;     // max farthest_i; 0 for none
};

// Brings c and `farthest` of the columns past the block, and answers after each of its ranks.
template <class T>
void advance(const Block<T>& block, Columns<T>& columns, std::array<RestSums<T>, block_ranks>& after);

// The same without `farthest`, and with e itself: excess[b * padded + i] after the first b + 1 ranks, unless it is
// null.
template <class T>
void advance(const Block<T>& block, Columns<T>& columns, T* excess);

// The error of `roots` against the exact sum over exact S + e_i: half a rounding of S + e_i, two of the root, three of
// sums of four in T, then L additions in f64.
template <class T>
constexpr double root_sum_error(std::size_t length) {
  return 6 * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53) + static_cast<double>(length) * 0x1p-53;
}

}  // namespace attncert::bounds
