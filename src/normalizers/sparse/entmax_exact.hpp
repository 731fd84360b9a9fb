// The exact side of sparsemax and 1.5-entmax, for the rare rows that floating point cannot decide. With b = 1 or 2, z_i
// is in the support iff sum over z_j > z_i of (z_j - z_i)^b < (b T)^b; the gap of the support {x >= r} is r - tau, the
// n > 0 with sum over the support of (z_j - r + n)^b = (b T)^b.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/normalizers/sparse/exact_sum.hpp"

namespace attncert {

enum class SparseFamily : int { sparsemax = 0, entmax15 = 1, entmax = 2 };

// How often the filter could not decide, since the program started.
struct SupportCounts {
  std::uint64_t rows = 0;
  std::uint64_t exact_supports = 0;  // rows whose support needed exact (entmax: double-double) arithmetic
  std::uint64_t exact_gaps = 0;      // rows whose gap needed it (entmax: fixed point)
  std::uint64_t undecided = 0;       // entmax only: rows whose support or gap no digits told
};
SupportCounts support_counts(SparseFamily family) noexcept;
void add_counts(SparseFamily family, const SupportCounts& more) noexcept;

// The smallest logit of the support. Given: those >= inside belong to it, those <= outside do not. -inf is allowed
// among the logits. length < 2^31.
template <class T>
T exact_lowest(SparseFamily family, const T* logits, std::size_t length, double temperature, T outside,
               T inside) noexcept;
extern template float exact_lowest<float>(SparseFamily, const float*, std::size_t, double, float, float) noexcept;
extern template double exact_lowest<double>(SparseFamily, const double*, std::size_t, double, double, double) noexcept;

// The gap of a row with support {x >= lowest}, within a few roundings of long double.
template <class T>
long double exact_gap(SparseFamily family, const T* logits, std::size_t length, double temperature, T lowest) noexcept;
extern template long double exact_gap<float>(SparseFamily, const float*, std::size_t, double, float) noexcept;
extern template long double exact_gap<double>(SparseFamily, const double*, std::size_t, double, double) noexcept;

}  // namespace attncert
