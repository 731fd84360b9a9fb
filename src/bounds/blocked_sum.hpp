// Sums whose rounding grows with the root of their length: blocks of about sqrt(8 n) terms, eight running sums in each,
// so that no term takes part in more than blocked_additions(n) additions. A sum of nonnegative terms then errs by at
// most that many u of itself (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2), u = 2^-53, to first
// order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace attncert::bounds {

// Additions a lane makes in a block: as many as there are blocks, but enough to be worth joining the lanes.
inline std::size_t block_steps(std::size_t n, std::size_t lanes) {
  constexpr std::size_t fewest = 16;
  return std::max(fewest, static_cast<std::size_t>(std::sqrt(static_cast<double>(n / lanes))));
}

// The first addition of a lane is to 0 and exact; 3 additions join the lanes, one joins each block to the total.
inline std::size_t blocked_additions(std::size_t n) {
  const std::size_t steps = block_steps(n, 8), block = 8 * steps;
  return std::min(steps, n / 8 + 1) + 3 + (n + block - 1) / block;
}

template <class Term>
double blocked_sum(std::size_t n, Term term) {
  const std::size_t block = 8 * block_steps(n, 8);
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t end = std::min(n, begin + block);
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
