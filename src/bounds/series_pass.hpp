// The pass for blocks in which no unselected e_i is beyond S/16, as in most of a long row: then
//   sqrt(S + e) = sqrt(S) (1 + g(e / S)),   g(x) = x/2 - x^2/8 + x^3/16 - 5 x^4/128 + 7 x^5/256 - ...,
// whose sum needs neither roots nor e in memory, and whose rounding errors are those of g, 1/32 of the root's.
#pragma once

#include <array>
#include <cstddef>

#include "src/bounds/rank_pass.hpp"

namespace attncert::bounds {

inline constexpr double series_limit = 1.0 / 16;  // of |e| / S

template <class T>
struct SeriesSums {
  std::array<T, block_ranks> inverse_S{};             // asked: 1 / S after each rank
  std::array<const T*, block_ranks> next{};           // rows to fetch meanwhile, or null
  std::array<double, block_ranks> series{}, reach{};  // sum of g over rank >= N; max farthest_i over them
};

// The block takes ranks [first, first + block_ranks), all of them real, and is not the row's last.
template <class T>
void advance(const Block<T>& block, Columns<T>& columns, std::size_t first, SeriesSums<T>& sums);

// The error of one g, |x| <= 1/16, in f32 and f64 alike with u of T: x by 2 roundings, the polynomial by 4, sums of 128
// in T and of 16 lanes by 4: each at most |g| < 0.033; the terms left out, 21/1024 x^6 / (1 - x).
template <class T>
constexpr double series_error() {
  return 0.033 * 138 * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53) + 1.31e-9;
}

}  // namespace attncert::bounds
