#include "src/normalizers/derivatives/taylor_slope.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace attncert {
namespace {

// Integers modulo 2^3328, signed: n! sum |z|^k T^(n-1-k) / k! at n = 48 is below 2^(203 + 47 * 62 + 2) for factors
// below 2^62.
class LongInteger {
 public:
  explicit LongInteger(std::uint32_t value) noexcept { limbs_[0] = value; }

  void multiply(std::uint32_t factor) noexcept {
    std::uint64_t carry = 0;
    for (std::uint32_t& limb : limbs_) {
      carry += std::uint64_t{limb} * factor;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  void multiply_long(std::uint64_t factor) noexcept {
    LongInteger upper = *this;
    upper.multiply(static_cast<std::uint32_t>(factor >> 32));
    multiply(static_cast<std::uint32_t>(factor));
    for (std::size_t i = limbs_.size(); i-- > 1;) upper.limbs_[i] = upper.limbs_[i - 1];
    upper.limbs_[0] = 0;
    add(upper);
  }
  void add(const LongInteger& other) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      carry += std::uint64_t{limbs_[i]} + other.limbs_[i];
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  void negate() noexcept {
    for (std::uint32_t& limb : limbs_) limb = ~limb;
    add(LongInteger(1));
  }
  bool negative() const noexcept { return limbs_.back() >> 31 != 0; }
  // The value, not negative, within 2^-63: the roundings below the first three limbs that count are nothing.
  long double value() const noexcept {
    long double sum = 0;
    for (std::size_t i = limbs_.size(); i-- > 0;)
      sum += std::ldexp(static_cast<long double>(limbs_[i]), static_cast<int>(32 * i));
    return sum;
  }

 private:
  std::array<std::uint32_t, 104> limbs_{};
};

// v = integer 2^exponent, the integer below 2^53.
struct Whole {
  std::uint64_t integer;
  int exponent;
};
Whole whole(double v) noexcept {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

}  // namespace

// Horner's scheme in the integers: H_j = -Z H_(j-1) + n! / (n-1-j)! t^j, with z / T = -Z / t.
long double exact_taylor_slope(std::size_t order, double z, double temperature) noexcept {
  const Whole a = whole(-z), b = whole(temperature);
  const int shift = a.exponent - b.exponent;  // |shift| <= 7, as the quotient is within 2^+-6
  const std::uint64_t upper = a.integer << std::max(shift, 0), lower = b.integer << std::max(-shift, 0);
  LongInteger sum(static_cast<std::uint32_t>(order)), power = sum;
  LongPair divisor{1, 0};
  for (std::size_t k = order - 1; k > 0; --k) {
    power.multiply(static_cast<std::uint32_t>(k));
    power.multiply_long(lower);
    sum.multiply_long(upper);
    sum.negate();
    sum.add(power);
    divisor = multiply(divisor, {static_cast<long double>(lower), 0});
  }
  const bool negative = sum.negative();
  if (negative) sum.negate();
  const long double value = sum.value() / divisor.high;
  return negative ? -value : value;
}

TaylorSlope::TaylorSlope(std::uint32_t order, double temperature) noexcept : order_(order), temperature_(temperature) {
  fill_table();
}

// s = 1 while |z / T| < 2^16, where n! F < 2^800; else s > max |z / T|, and what underflows is far below any gradient.
void TaylorSlope::prepare(double largest, double smallest) noexcept {
  const long double most = std::max(std::abs(largest), std::abs(smallest)) / static_cast<long double>(temperature_);
  const int scaling = most < 0x1p16L ? 0 : std::ilogb(most) + 1;
  if (scaling == scaling_) return;
  scaling_ = scaling;
  shrink_ = std::ldexp(1.0L, -scaling);
  fill_table();
}

void TaylorSlope::fill_table() noexcept {
  LongPair value{1, 0};
  for (std::size_t k = order_;; --k) {
    const int power = -scaling_ * static_cast<int>(order_ - k);
    coefficients_[k] = {std::ldexp(value.high, power), std::ldexp(value.low, power)};
    if (k == 0) return;
    value = multiply(value, {static_cast<long double>(k), 0});
  }
}

// Pairs are off by 18 n u^2 of the sum of the terms' sizes (docs/budgets.md), below 2^-118: at 2^-50 of that sum 2^-68.
TaylorSlope::Value TaylorSlope::operator()(double z) const noexcept {
  const LongPair x = quotient(z, temperature_);
  const LongPair v{x.high * shrink_, x.low * shrink_};
  LongPair slope = coefficients_[order_ - 1], power = v;
  long double size = slope.high;
  for (std::size_t k = order_ - 1; k-- > 0;) {
    slope = add(multiply(slope, v), coefficients_[k]);
    power = multiply(power, v);
    size = size * std::abs(v.high) + coefficients_[k].high;
  }
  const LongPair weight = add(slope, power);
  const bool near_root = x.high < -0x1p-6L && x.high > -64;  // the roots of all orders lie there
  if (!near_root || std::abs(slope.high) >= 0x1p-50L * size) return {weight.high, slope.high};
  return {weight.high, std::ldexp(exact_taylor_slope(order_, z, temperature_), -scaling_ * static_cast<int>(order_))};
}

}  // namespace attncert
