// Exact sums of integer multiples of doubles: 32-bit limbs over the whole range of the format, in units of 2^-1074, with
// 32 bits to spare above it. Kulisch's long accumulator; no allocation, which GMP would need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attncert {

class ExactSum {
 public:
  // Adds multiplier * value; value finite, |multiplier| < 2^31.
  void add(double value, std::int64_t multiplier = 1) noexcept;

  int sign() const noexcept;               // -1, 0 or 1
  long double magnitude() const noexcept;  // |sum|, within two roundings of long double

 private:
  static constexpr std::size_t kLimbs = 70;  // 2046 + 53 + 31 + 31 bits and a sign
  void carry() noexcept;

  std::array<std::int64_t, kLimbs> limbs_{};  // all but the last in [0, 2^32) after carry()
  std::uint64_t load_ = 0;                    // bound of |limb| / 2^32 since carry()
};

}  // namespace attncert
