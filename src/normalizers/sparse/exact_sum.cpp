#include "src/normalizers/sparse/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace attncert {
namespace {

constexpr std::uint64_t kLow = 0xffffffffu;

// |value| = mantissa 2^exponent with a mantissa below 2^53 and an exponent of at least -1074.
struct Parts {
  std::uint64_t mantissa;
  int exponent;
};

Parts parts(double value) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [1/2, 1)
  std::uint64_t mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  if (exponent < -1074) {  // a subnormal: its low bits are zeros
    mantissa >>= -1074 - exponent;
    exponent = -1074;
  }
  return {mantissa, exponent};
}

}  // namespace

template <std::size_t kLimbs, int kUnit>
void LongAccumulator<kLimbs, kUnit>::deposit(int position, std::uint64_t value, std::int64_t multiplier) noexcept {
  const std::uint64_t weight = static_cast<std::uint64_t>(std::llabs(multiplier));
  if (load_ + weight >= (std::uint64_t{1} << 30)) carry();
  load_ += weight + 1;
  const auto limb = static_cast<std::size_t>(position / 32);
  const int shift = position % 32;
  const std::int64_t sign = multiplier < 0 ? -1 : 1;
  const std::uint64_t low = (value & kLow) << shift, high = (value >> 32) << shift;
  const std::uint64_t middle = (low >> 32) + (high & kLow);
  const std::uint64_t pieces[3] = {low & kLow, middle & kLow, (middle >> 32) + (high >> 32)};
  for (std::size_t i = 0; i < 3; ++i) limbs_[limb + i] += sign * static_cast<std::int64_t>(pieces[i] * weight);
}

template <std::size_t kLimbs, int kUnit>
void LongAccumulator<kLimbs, kUnit>::add(double value, std::int64_t multiplier) noexcept {
  if (value == 0 || multiplier == 0) return;
  const Parts part = parts(value);
  deposit(part.exponent + kUnit, part.mantissa, value < 0 ? -multiplier : multiplier);
}

template <std::size_t kLimbs, int kUnit>
void LongAccumulator<kLimbs, kUnit>::add_product(double a, double b, std::int64_t multiplier) noexcept {
  if (a == 0 || b == 0 || multiplier == 0) return;
  const Parts left = parts(a), right = parts(b);
  const int position = left.exponent + right.exponent + kUnit;
  const std::int64_t times = (a < 0) != (b < 0) ? -multiplier : multiplier;
  const std::uint64_t a0 = left.mantissa & kLow, a1 = left.mantissa >> 32;
  const std::uint64_t b0 = right.mantissa & kLow, b1 = right.mantissa >> 32;
  deposit(position, a0 * b0, times);
  deposit(position + 32, a0 * b1 + a1 * b0, times);  // 2^32 2^21 twice: below 2^54
  deposit(position + 64, a1 * b1, times);
}

template <std::size_t kLimbs, int kUnit>
void LongAccumulator<kLimbs, kUnit>::carry() noexcept {
  for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
    const std::int64_t over = limbs_[i] >> 32;
    limbs_[i] -= over * (std::int64_t{1} << 32);
    limbs_[i + 1] += over;
  }
  load_ = 1;
}

template <std::size_t kLimbs, int kUnit>
int LongAccumulator<kLimbs, kUnit>::sign() const noexcept {
  LongAccumulator settled = *this;
  settled.carry();
  if (settled.limbs_.back() < 0) return -1;
  return std::any_of(settled.limbs_.begin(), settled.limbs_.end(), [](std::int64_t limb) { return limb != 0; });
}

template <std::size_t kLimbs, int kUnit>
long double LongAccumulator<kLimbs, kUnit>::magnitude() const noexcept {
  LongAccumulator settled = *this;
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
    total += std::ldexp(static_cast<long double>(settled.limbs_[i]), static_cast<int>(32 * i) - kUnit);
  }
  return total;
}

template class LongAccumulator<70, 1074>;
template class LongAccumulator<136, 2148>;

}  // namespace attncert
