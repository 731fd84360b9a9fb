#include "src/normalizers/exact_sum.hpp"

#include <cmath>
#include <cstdlib>

namespace attncert {

void ExactSum::add(double value, std::int64_t multiplier) noexcept {
  if (value == 0 || multiplier == 0) return;
  const std::uint64_t weight = static_cast<std::uint64_t>(std::llabs(multiplier));
  if (load_ + weight >= (std::uint64_t{1} << 30)) carry();
  load_ += weight + 1;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [1/2, 1)
  std::uint64_t mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int position = exponent - 53 + 1074;  // bit of the lowest bit of the mantissa
  if (position < 0) {                   // a subnormal: its low bits are zeros
    mantissa >>= -position;
    position = 0;
  }
  const auto limb = static_cast<std::size_t>(position / 32);
  const int shift = position % 32;
  const std::int64_t sign = (value < 0) != (multiplier < 0) ? -1 : 1;
  const std::uint64_t low = (mantissa & 0xffffffffu) << shift, high = (mantissa >> 32) << shift;
  const std::uint64_t pieces[3] = {low & 0xffffffffu, (low >> 32) + (high & 0xffffffffu), high >> 32};
  for (std::size_t i = 0; i < 3; ++i) limbs_[limb + i] += sign * static_cast<std::int64_t>(pieces[i] * weight);
}

void ExactSum::carry() noexcept {
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    const std::int64_t over = limbs_[i] >> 32;
    limbs_[i] -= over * (std::int64_t{1} << 32);
    limbs_[i + 1] += over;
  }
  load_ = 1;
}

int ExactSum::sign() const noexcept {
  ExactSum settled = *this;
  settled.carry();
  if (settled.limbs_.back() < 0) return -1;
  for (const std::int64_t limb : settled.limbs_) {
    if (limb != 0) return 1;
  }
  return 0;
}

long double ExactSum::magnitude() const noexcept {
  ExactSum settled = *this;
  settled.carry();
  if (settled.limbs_.back() < 0) {
    for (std::int64_t& limb : settled.limbs_) limb = -limb;
    settled.carry();
  }
  std::size_t top = kLimbs;
  while (top > 0 && settled.limbs_[top - 1] == 0) --top;
  long double total = 0;
  const std::size_t lowest = top > 4 ? top - 4 : 0;  // 97 bits at least, where there are so many
  for (std::size_t i = lowest; i < top; ++i) {
    total += std::ldexp(static_cast<long double>(settled.limbs_[i]), static_cast<int>(32 * i) - 1074);
  }
  return total;
}

}  // namespace attncert
