// Fixed point with kBits behind the point and 128 before it, log2 and 2^y in it: for the few rows whose weights hang on
// more digits than a pair of doubles has. Plain and slow (a logarithm takes some 10 us with 256 bits, some ms with
// 1216, four times as much with 2304); no allocation, which GMP would need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "src/normalizers/long_pair.hpp"

namespace attncert {

template <int kBits>
class FixedPoint {
 public:
  FixedPoint() = default;
  explicit FixedPoint(std::uint64_t integer) noexcept : limbs_{} {
    limbs_[kFraction] = static_cast<std::uint32_t>(integer);
    limbs_[kFraction + 1] = static_cast<std::uint32_t>(integer >> 32);
  }

  FixedPoint& operator+=(const FixedPoint& other) noexcept;  // two's complement: wraps at 2^127
  FixedPoint negated() const noexcept;
  bool zero() const noexcept { return used() == 0; }
  bool negative() const noexcept { return limbs_.back() >> 31 != 0; }
  void add(long double value) noexcept;  // |value| < 2^63; what lies below 2^-kBits is dropped

  // The operands are nonnegative, results are rounded down; a product is below 2^128.
  FixedPoint times(const FixedPoint& other) const noexcept;
  FixedPoint over(std::uint64_t divisor) const noexcept;  // divisor > 0
  FixedPoint halved() const noexcept;

  std::int64_t floor() const noexcept;   // of a number within 2^63
  FixedPoint fraction() const noexcept;  // the rest, in [0, 1)
  long double rounded() const noexcept;  // of a nonnegative number: relative error 2^-63 at most
  LongPair pair() const noexcept;        // of any number: relative error 2^-124 at most, 2^-63 beyond 2^62

 private:
  static constexpr std::size_t kFraction = kBits / 32, kLimbs = kFraction + 4;
  std::size_t used() const noexcept;           // limbs up to the highest that is not 0
  std::array<std::uint32_t, kLimbs> limbs_{};  // the least significant first
};

// log2 of a positive sum none of whose terms is more than 2^60 times it; off by 2^(4 - kBits).
template <int kBits>
FixedPoint<kBits> log2_of(std::initializer_list<long double> terms) noexcept;
// 2^y for y < 63, off by 2^(10 - kBits) of itself and 2^-kBits.
template <int kBits>
FixedPoint<kBits> exp2_of(const FixedPoint<kBits>& y) noexcept;

}  // namespace attncert
