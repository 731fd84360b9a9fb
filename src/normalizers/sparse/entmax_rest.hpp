// The digits of a general entmax that pairs of doubles do not have. Where the powers of the logits above r leave next
// to nothing of the sum 1, the weight at r is that rest, and an error of 2^-94 in the sum may be all of it.
#pragma once

#include <cstddef>

#include "src/normalizers/long_pair.hpp"
#include "src/normalizers/sparse/entmax_powers.hpp"

namespace attncert {

inline constexpr int few_bits = 256;  // of the fixed point that is asked first

// 1 - sum over z_j > x of (a (z_j - x))^b, off by `error` at most, as are those powers and the ones of the logits at x
// wherever they are taken again. The sum is to be below 2^60.
struct RestOfSum {
  LongPair value;
  long double error;
  int bits;  // behind the point, of the fixed point that told it
};

// In 256 bits, and where that leaves less than value = demand error in more: 1216 where no more than 16 different
// logits stand above x, 2304 where no more than 4, so that a rest is told down to some 2^-170, 2^-1130, 2^-2220. A
// power takes some 20 us, 3 ms, 15 ms.
template <class T>
RestOfSum rest_of_sum(const EntmaxLaw& law, const T* logits, std::size_t count, T x, double demand) noexcept;

// n > 0 with sum over z_j >= lowest of (a (z_j - lowest + n))^b = 1, given the rest above `lowest`, rest > 0: off by
// 2^-99 of it (2^-92 at b = 2^18) and what rest.error makes of it: rest.error / (min(b, 1) rest). NaN where b is so
// large that long double does not hold what comes in between.
template <class T>
LongPair gap_of_rest(const EntmaxLaw& law, const T* logits, std::size_t count, T lowest,
                     const RestOfSum& rest) noexcept;

extern template RestOfSum rest_of_sum<float>(const EntmaxLaw&, const float*, std::size_t, float, double) noexcept;
extern template RestOfSum rest_of_sum<double>(const EntmaxLaw&, const double*, std::size_t, double, double) noexcept;
extern template LongPair gap_of_rest<float>(const EntmaxLaw&, const float*, std::size_t, float,
                                            const RestOfSum&) noexcept;
extern template LongPair gap_of_rest<double>(const EntmaxLaw&, const double*, std::size_t, double,
                                             const RestOfSum&) noexcept;

}  // namespace attncert
