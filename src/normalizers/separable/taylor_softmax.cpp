// taylor-softmax of even order n: w_i = F(z_i / T) / sum_j F(z_j / T), F(z) = sum_{k <= n} z^k / k! > 0. Left of zero
// the terms cancel, up to 2^41 times at order 48, so n! F is a Horner scheme in pairs of doubles, z / T a pair too.
// F(-inf) is +inf: masked positions are cleared by the driver. Above order 48 pairs no longer suffice
// (docs/budgets.md).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/separable/taylor_softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/separable/separable-inl.h"
#include "src/normalizers/separable/taylor_order.hpp"
#include "src/normalizers/wide_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// v = z / (T s), s = 2^scaling; n! F(z / T) / s^n = sum_k c_k v^k, c_k = n! / k! s^(k-n). s = 1 while |z / T| < 2^16,
// where n! F < 2^800; else s > max |z / T| and the c_k stand 2^900 higher, so what underflows is far below any weight.
class TaylorSum {
 public:
  static constexpr wide::AtInfinity kAtInfinity = wide::AtInfinity::shares;

  template <class T>
  explicit TaylorSum(const Batch<T>& batch) : order_(batch.parameters.order) {
    temperature_exponent_ = std::ilogb(batch.temperature);
    temperature_ = wide::set(std::scalbn(batch.temperature, -temperature_exponent_));  // in [1, 2)
    fill_table(0, 0);
  }

  HWY_INLINE bool prepare(const wide::Census& row) {
    const double most = std::max(std::abs(row.largest), std::abs(row.smallest));
    const int exponent = most > 0 ? std::ilogb(most) + 1 : -2000;
    const bool large = exponent - temperature_exponent_ > 16;
    const int power = large ? -exponent : -temperature_exponent_;
    const int scaling = large ? exponent - temperature_exponent_ : 0;
    if (scaling != scaling_) fill_table(scaling, large ? 900 : 0);
    first_ = wide::set(std::ldexp(1.0, power / 2));  // up to 2^1074 in all
    second_ = wide::set(std::ldexp(1.0, power - power / 2));
    return true;
  }

  HWY_INLINE wide::Term operator()(wide::V z) const {
    const wide::V zero = hn::Zero(wide::D());
    const wide::V scaled = hn::Mul(hn::Mul(z, first_), second_);
    const wide::Pair v = wide::quotient(scaled, zero, temperature_);
    wide::Pair value{wide::set(high_[order_]), wide::set(low_[order_])};
    for (std::size_t k = order_; k-- > 0;) {
      value = wide::add(wide::multiply(value, v), {wide::set(high_[k]), wide::set(low_[k])});
    }
    return wide::term(value);
  }

  double divisor(const DoubleSum& sum) const { return sum.high + sum.low; }

 private:
  // c_k as pairs: c_{k-1} = k c_k / s.
  void fill_table(int scaling, int lift) {
    scaling_ = scaling;
    double high = 1, low = 0;
    for (std::size_t k = order_;; --k) {
      const int power = lift - scaling * static_cast<int>(order_ - k);
      high_[k] = std::ldexp(high, power);
      low_[k] = std::ldexp(low, power);
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
  double high_[kLargestTaylorOrder + 1], low_[kLargestTaylorOrder + 1];
};

void taylor_softmax_f32(const Batch<float>& batch) { wide::separable_rows<TaylorSum>(batch); }
void taylor_softmax_f64(const Batch<double>& batch) { wide::separable_rows<TaylorSum>(batch); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, taylor-softmax.
ATTNCERT_KERNEL(taylor_softmax, "taylor-softmax", WithOrder<WideEntry>, (Budget{0.501, 0.501}), (Budget{2.9, 2.9}))
#endif  // HWY_ONCE
