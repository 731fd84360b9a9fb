// Exact sums of integer multiples of doubles, and of products of two doubles: 32-bit limbs over the whole range of the
// format, with 32 bits to spare above it. Kulisch's long accumulator; no allocation, which GMP would need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attncert {

// In units of 2^-kUnit.
template <std::size_t kLimbs, int kUnit>
class LongAccumulator {
 public:
  // Adds multiplier * value; value finite, |multiplier| < 2^31.
  void add(double value, std::int64_t multiplier = 1) noexcept;
  // Adds multiplier * a * b, where the unit reaches down to 2^-2148.
  void add_product(double a, double b, std::int64_t multiplier = 1) noexcept;

  int sign() const noexcept;               // -1, 0 or 1
  long double magnitude() const noexcept;  // |sum|, within two roundings of long double

 private:
  void deposit(int position, std::uint64_t value, std::int64_t multiplier) noexcept;
  void carry() noexcept;

  std::array<std::int64_t, kLimbs> limbs_{};  // all but the last in [0, 2^32) after carry()
  std::uint64_t load_ = 0;                    // bound of |limb| / 2^32 since carry()
};

using ExactSum = LongAccumulator<70, 1074>;        // 2046 + 53 + 31 + 31 bits and a sign
using ExactProducts = LongAccumulator<136, 2148>;  // twice the range, as many bits to spare

extern template class LongAccumulator<70, 1074>;
extern template class LongAccumulator<136, 2148>;

}  // namespace attncert
