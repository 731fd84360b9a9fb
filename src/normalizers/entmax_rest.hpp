// The digits of a general entmax that pairs of doubles do not have. Where the powers of the logits above r leave next to nothing
// of the sum 1, the weight at r is that rest, and an error of 2^-94 in the sum may be all of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attncert {

// alpha - 1 = above / denominator; b = denominator / above, a = 1 / (b T).
struct EntmaxLaw {
  std::uint64_t above, denominator;
  double temperature;
};

// 1 - sum over z_j > x of (a (z_j - x))^b, off by `error` at most; a sum below 2^60. A rest that is not 0 is told from 0 down to
// 2^-1140, and 2^-180 where more than 16 logits stand above x. A power takes some 20 us, so that a row of a thousand different logits takes 20 ms.
struct RestOfSum {
  long double value, error;
};
template <class T>
RestOfSum rest_of_sum(const EntmaxLaw& law, const T* logits, std::size_t count, T x) noexcept;

// n > 0 with sum over z_j >= lowest of (a (z_j - lowest + n))^b = 1, given the rest above `lowest`, rest > 0: relative error
// 2^-61 (1 + 1/b) and that of the rest. NaN or infinite where b is so large that long double does not hold what comes in between.
template <class T>
long double gap_of_rest(const EntmaxLaw& law, const T* logits, std::size_t count, T lowest, long double rest) noexcept;

extern template RestOfSum rest_of_sum<float>(const EntmaxLaw&, const float*, std::size_t, float) noexcept;
extern template RestOfSum rest_of_sum<double>(const EntmaxLaw&, const double*, std::size_t, double) noexcept;
extern template long double gap_of_rest<float>(const EntmaxLaw&, const float*, std::size_t, float,
                                               long double) noexcept;
extern template long double gap_of_rest<double>(const EntmaxLaw&, const double*, std::size_t, double,
                                                long double) noexcept;

}  // namespace attncert
