// The exact side of sparsemax, for the rare rows and weights that floating point cannot decide: S is the support,
// k its size, A = sum_S z - T; z_i belongs to S iff k z_i > A, and its weight is (k z_i - A) / (k T).
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/normalizers/exact_sum.hpp"

namespace attncert {

// How often the filter could not decide, since the program started.
struct SparsemaxCounts {
  std::uint64_t rows = 0;            // rows with a finite largest logit
  std::uint64_t exact_supports = 0;  // rows whose support needed exact arithmetic
  std::uint64_t exact_weights = 0;   // positive weights that needed it
};
SparsemaxCounts sparsemax_counts() noexcept;
void count_sparsemax_rows(std::uint64_t rows) noexcept;

// The smallest logit of the support of `length` logits, given that the support lies in {x >= lowest}. -inf is allowed
// among the logits. length < 2^31.
template <class T>
T exact_lowest(const T* logits, std::size_t length, double temperature, T lowest) noexcept;
extern template float exact_lowest<float>(const float*, std::size_t, double, float) noexcept;
extern template double exact_lowest<double>(const double*, std::size_t, double, double) noexcept;

// Weights of one row with a known support {x >= lowest}, correct to one rounding of long double. The sum over the
// logits is made at the first use.
class ExactWeights {
 public:
  template <class T>
  long double of(T logit, const T* logits, std::size_t length, double temperature, T lowest) noexcept;

 private:
  bool ready_ = false;
  std::int64_t support_ = 0;
  ExactSum excess_;  // A
};
extern template long double ExactWeights::of<float>(float, const float*, std::size_t, double, float) noexcept;
extern template long double ExactWeights::of<double>(double, const double*, std::size_t, double, double) noexcept;

}  // namespace attncert
