// n! F for the Taylor polynomial F of exp of even order n at z / T: a Horner scheme in pairs of doubles, z / T a pair
// too. Left of zero its terms cancel, up to 2^41 times at order 48.
#if defined(ATTNCERT_NORMALIZERS_TAYLOR_SUM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_TAYLOR_SUM_INL_H
#undef ATTNCERT_NORMALIZERS_TAYLOR_SUM_INL_H
#else
#define ATTNCERT_NORMALIZERS_TAYLOR_SUM_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "hwy/highway.h"
#include "src/normalizers/separable/taylor_order.hpp"
#include "src/normalizers/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// v = z / (T s), s = 2^scaling; n! F(z / T) / s^n = sum_k c_k v^k, c_k = n! / k! s^(k-n). s = 1 while |z / T| < 2^16,
// where n! F < 2^800; else s > max |z / T| and the c_k stand 2^700 higher: the largest then is above 2^600, so what
// underflows, 2^-1622 of it, is far below any weight and any gradient (times 1 / (T s) <= 2^150 and |g| < 2^128).
class TaylorSum {
 public:
  TaylorSum(std::size_t order, double temperature) : order_(order) {
    temperature_exponent_ = std::ilogb(temperature);
    temperature_ = wide::set(std::scalbn(temperature, -temperature_exponent_));  // in [1, 2)
    fill_table();
  }

  // Of the row's present logits.
  HWY_INLINE void prepare(double largest, double smallest) {
    const double most = std::max(std::abs(largest), std::abs(smallest));
    const int exponent = most > 0 ? std::ilogb(most) + 1 : -2000;
    const bool large = exponent - temperature_exponent_ > 16;
    const int power = large ? -exponent : -temperature_exponent_;
    const int scaling = large ? exponent - temperature_exponent_ : 0;
    if (std::exchange(scaling_, scaling) != scaling) fill_table();
    first_ = wide::set(std::ldexp(1.0, power / 2));  // up to 2^1074 in all
    second_ = wide::set(std::ldexp(1.0, power - power / 2));
  }

  // n! F, up to the power of two that a row shares.
  HWY_INLINE wide::Pair value(wide::V z) const {
    const wide::Pair v = argument(z);
    wide::Pair value = coefficient(order_);
    for (std::size_t k = order_; k-- > 0;) value = wide::add(wide::multiply(value, v), coefficient(k));
    return value;
  }

  // With n! F_(n-1), the derivative, times 2^slope_exponent(), and the sum of the sizes of the derivative's terms, by
  // which its error is measured.
  struct Slope {
    wide::V value, slope, sizes;
  };
  HWY_INLINE Slope slope(wide::V z) const {
    const wide::Pair v = argument(z);
    const wide::V size = hn::Abs(v.high);
    wide::Pair slope = slope_coefficient(order_ - 1), power = wide::multiply(coefficient(order_), v);
    wide::V sizes = slope.high;
    for (std::size_t k = order_ - 1; k-- > 0;) {
      slope = wide::add(wide::multiply(slope, v), slope_coefficient(k));
      power = wide::multiply(power, v);
      sizes = hn::MulAdd(sizes, size, wide::set(slope_high_[k]));
    }
    const wide::Pair rest{hn::Mul(slope.high, shrink_), hn::Mul(slope.low, shrink_)};
    return {wide::add(rest, power).high, slope.high, sizes};
  }

  int scaling() const { return scaling_; }  // log2 s
  int slope_exponent() const { return lift() - scaling_ * (static_cast<int>(order_) - 1); }

 private:
  int lift() const { return scaling_ == 0 ? 0 : 700; }
  HWY_INLINE wide::Pair argument(wide::V z) const {
    return wide::quotient(hn::Mul(hn::Mul(z, first_), second_), hn::Zero(wide::D()), temperature_);
  }
  HWY_INLINE wide::Pair coefficient(std::size_t k) const { return {wide::set(high_[k]), wide::set(low_[k])}; }
  HWY_INLINE wide::Pair slope_coefficient(std::size_t k) const {
    return {wide::set(slope_high_[k]), wide::set(slope_low_[k])};
  }

  // c_k as pairs: c_{k-1} = k c_k / s.
  void fill_table() {
    shrink_ = wide::set(std::ldexp(1.0, -scaling_));
    double high = 1, low = 0;
    for (std::size_t k = order_;; --k) {
      const int power = lift() - scaling_ * static_cast<int>(order_ - k);
      high_[k] = std::ldexp(high, power);
      low_[k] = std::ldexp(low, power);
      slope_high_[k] = std::ldexp(high, power + scaling_);
      slope_low_[k] = std::ldexp(low, power + scaling_);
      if (k == 0) return;
      const double factor = static_cast<double>(k), product = high * factor;
      const double rest = std::fma(high, factor, -product) + low * factor;
      high = product + rest;
      low = rest - (high - product);
    }
  }

  std::size_t order_;
  int temperature_exponent_ = 0, scaling_ = 0;
  wide::V temperature_ = wide::set(1), first_ = wide::set(1), second_ = wide::set(1);
  wide::V shrink_ = wide::set(1);  // 1 / s
  double high_[kLargestTaylorOrder + 1], low_[kLargestTaylorOrder + 1];
  double slope_high_[kLargestTaylorOrder + 1], slope_low_[kLargestTaylorOrder + 1];  // s c_k
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
