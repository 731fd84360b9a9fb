// Sums whose rounding grows slowly with their length: blocks of 512 terms, eight running sums in each, so that no term takes
// part in more than blocked_additions(n) additions. A sum of nonnegative terms then errs by at most that many u of itself
// (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2), u = 2^-53, to first order.
#pragma once

#include <algorithm>
#include <cstddef>

namespace attncert::bounds {

inline constexpr std::size_t sum_block = 512;

// The first addition of a lane is to 0 and exact; 3 additions join the lanes, one joins each block to the total.
inline std::size_t blocked_additions(std::size_t n) {
  return std::min(n, sum_block) / 8 + 3 + (n + sum_block - 1) / sum_block;
}

template <class Term>
double blocked_sum(std::size_t n, Term term) {
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += sum_block) {
    const std::size_t end = std::min(n, begin + sum_block);
    double lane[8] = {};
    std::size_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (std::size_t k = 0; k < 8; ++k) lane[k] += term(i + k);
    for (std::size_t k = 0; i < end; ++i, ++k) lane[k] += term(i);
    total += ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  return total;
}

}  // namespace attncert::bounds
