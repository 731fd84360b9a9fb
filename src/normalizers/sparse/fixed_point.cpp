#include "src/normalizers/sparse/fixed_point.hpp"

#include <cmath>

namespace attncert {

template <int kBits>
FixedPoint<kBits>& FixedPoint<kBits>::operator+=(const FixedPoint<kBits>& other) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    carry += std::uint64_t{limbs_[i]} + other.limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  return *this;
}

template <int kBits>
FixedPoint<kBits> FixedPoint<kBits>::negated() const noexcept {
  FixedPoint<kBits> result;
  std::uint64_t carry = 1;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    carry += static_cast<std::uint32_t>(~limbs_[i]);
    result.limbs_[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  return result;
}

template <int kBits>
void FixedPoint<kBits>::add(long double value) noexcept {
  FixedPoint<kBits> magnitude;
  long double rest = std::ldexp(std::abs(value), -32);
  for (std::size_t i = kFraction + 2; i-- > 0 && rest > 0;) {
    magnitude.limbs_[i] = static_cast<std::uint32_t>(rest);
    rest = std::ldexp(rest - static_cast<long double>(magnitude.limbs_[i]), 32);
  }
  *this += value < 0 ? magnitude.negated() : magnitude;
}

template <int kBits>
std::size_t FixedPoint<kBits>::used() const noexcept {
  std::size_t count = kLimbs;
  while (count > 0 && limbs_[count - 1] == 0) --count;
  return count;
}

template <int kBits>
FixedPoint<kBits> FixedPoint<kBits>::times(const FixedPoint<kBits>& other) const noexcept {
  std::array<std::uint32_t, 2 * kLimbs> product{};
  const std::size_t here = used(), there = other.used();
  for (std::size_t i = 0; i < here; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < there; ++j) {
      carry += product[i + j] + std::uint64_t{limbs_[i]} * other.limbs_[j];
      product[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    product[i + there] = static_cast<std::uint32_t>(carry);
  }
  FixedPoint<kBits> result;
  for (std::size_t i = 0; i < kLimbs; ++i) result.limbs_[i] = product[i + kFraction];
  return result;
}

// Bit by bit, for a remainder of 64 bits leaves no room for a limb.
template <int kBits>
FixedPoint<kBits> FixedPoint<kBits>::over(std::uint64_t divisor) const noexcept {
  FixedPoint<kBits> result;
  std::uint64_t rest = 0;
  for (std::size_t bit = 32 * kLimbs; bit-- > 0;) {
    const bool beyond = rest >> 63 != 0;
    rest = rest << 1 | (limbs_[bit / 32] >> bit % 32 & 1);
    if (!beyond && rest < divisor) continue;
    rest -= divisor;
    result.limbs_[bit / 32] |= std::uint32_t{1} << bit % 32;
  }
  return result;
}

template <int kBits>
FixedPoint<kBits> FixedPoint<kBits>::halved() const noexcept {
  FixedPoint<kBits> result;
  for (std::size_t i = 0; i < kLimbs; ++i)
    result.limbs_[i] = limbs_[i] >> 1 | (i + 1 < kLimbs ? limbs_[i + 1] << 31 : 0);
  return result;
}

template <int kBits>
std::int64_t FixedPoint<kBits>::floor() const noexcept {
  return static_cast<std::int64_t>(std::uint64_t{limbs_[kFraction + 1]} << 32 | limbs_[kFraction]);
}

template <int kBits>
FixedPoint<kBits> FixedPoint<kBits>::fraction() const noexcept {
  FixedPoint<kBits> result;
  for (std::size_t i = 0; i < kFraction; ++i) result.limbs_[i] = limbs_[i];
  return result;
}

template <int kBits>
long double FixedPoint<kBits>::rounded() const noexcept {
  long double sum = 0;  // from below: each addition rounds a part of 2^-32 of what comes after it
  for (std::size_t i = 0; i < kLimbs; ++i)
    sum += std::ldexp(static_cast<long double>(limbs_[i]), 32 * (static_cast<int>(i) - static_cast<int>(kFraction)));
  return sum;
}

template <int kBits>
LongPair FixedPoint<kBits>::pair() const noexcept {
  const auto signed_value = [](const FixedPoint<kBits>& v) {
    return v.negative() ? -v.negated().rounded() : v.rounded();
  };
  const long double high = signed_value(*this);
  if (std::abs(high) >= 0x1p62L) return {high, 0};
  FixedPoint<kBits> rest = *this;
  rest.add(-high);
  return fast_sum(high, signed_value(rest));
}

namespace {

// 2 atanh(1/3): term k is 2 / ((2 k + 1) 3^(2 k + 1)).
template <int kBits>
FixedPoint<kBits> natural_log_of_two() noexcept {
  FixedPoint<kBits> sum, power = FixedPoint<kBits>(2).over(3);
  for (std::uint64_t k = 0; k < kBits / 3; ++k) {  // 9^(kBits / 3) > 2^kBits
    sum += power.over(2 * k + 1);
    power = power.over(9);
  }
  return sum;
}

}  // namespace

// The bits of log2(m), m in [1, 2): m^2 >= 2 says the first one, and so on with m^2 or m^2 / 2. An error of the k-th
// square counts 2^-k: two units of 2^-kBits in all, and the last bit.
template <int kBits>
FixedPoint<kBits> log2_of(std::initializer_list<long double> terms) noexcept {
  long double sum = 0;
  for (const long double term : terms) sum += term;
  int exponent = std::ilogb(sum);
  FixedPoint<kBits> m;
  for (const long double term : terms) m.add(std::ldexp(term, -exponent));
  if (m.floor() < 1) {  // the sum was rounded up to a power of two
    m += m;
    --exponent;
  } else if (m.floor() > 1) {  // or down past one
    m = m.halved();
    ++exponent;
  }
  FixedPoint<kBits> result;
  result.add(exponent);
  if (m.fraction().zero()) return result;
  for (int k = 1; k <= kBits; ++k) {
    m = m.times(m);
    if (m.floor() < 2) continue;
    m = m.halved();
    result.add(std::ldexp(1.0L, -k));
  }
  return result;
}

// e^x by its series, x = ln(2) frac(y) < 0.7; its 54 (256 bits), 185, 313 terms are rounded down each, as were the
// kBits / 3 of ln(2) (short by 370 units of 2^-kBits for 2304 bits).
template <int kBits>
FixedPoint<kBits> exp2_of(const FixedPoint<kBits>& y) noexcept {
  static const FixedPoint<kBits> log_of_two = natural_log_of_two<kBits>();
  const FixedPoint<kBits> x = y.fraction().times(log_of_two);
  FixedPoint<kBits> sum(1), term(1);
  for (std::uint64_t n = 1; !term.zero(); ++n) {
    term = term.times(x).over(n);
    sum += term;
  }
  std::int64_t exponent = y.floor();
  if (exponent < -kBits) return {};
  for (; exponent < 0; ++exponent) sum = sum.halved();
  for (; exponent > 0; --exponent) sum += sum;
  return sum;
}

template class FixedPoint<256>;
template class FixedPoint<1216>;
template class FixedPoint<2304>;
template FixedPoint<256> log2_of<256>(std::initializer_list<long double>) noexcept;
template FixedPoint<1216> log2_of<1216>(std::initializer_list<long double>) noexcept;
template FixedPoint<2304> log2_of<2304>(std::initializer_list<long double>) noexcept;
template FixedPoint<256> exp2_of<256>(const FixedPoint<256>&) noexcept;
template FixedPoint<1216> exp2_of<1216>(const FixedPoint<1216>&) noexcept;
template FixedPoint<2304> exp2_of<2304>(const FixedPoint<2304>&) noexcept;

}  // namespace attncert
