// Self-adjusted softmax, p = softmax(z / T), four variants (Zheng et al., 2025; named V0 to V3 in that paper's
// ablation):
//   V0 z_i p_i / T    V1 (z_i - min) p_i / T    V2 (z_i - min) p_i / (max - min)
//   V3 (z_i - min(min, 0)) p_i / (max(max, 0) - min(min, 0))
// All are d_i e_i / (S Q): d a difference of logits in units of a power of two, rounded once, S the sum of the e, Q one
// number of the row as a pair. min and max over present logits only; a range of 0 gives zeros.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/sa_softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>

#include "src/normalizers/exponential/sa_far-inl.h"
#include "src/normalizers/separable/exp_pair-inl.h"
#include "src/normalizers/separable/separable-inl.h"
#include "src/normalizers/wide_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// How far max - base is from T, as a power of two.
HWY_INLINE int temperatures(const Scale<double>& scale, double base, double largest) {
  const double half = largest / 2 - base / 2;
  return half != 0 ? std::ilogb(half) + 1 - std::ilogb(scale.given) : -5000;
}

// (z - base) / T, base = 0 or the smallest logit. Up to 2^700 its product with an exponential cannot overflow. Beyond
// it (V0 only: V1 has sa_far-inl.h) p is a share or nothing: 2^-700 then stands in the distance and in what divides it.
HWY_INLINE wide::RangeDistance temperature_distance(const Scale<double>& scale, double base, double largest) {
  const bool far = temperatures(scale, base, largest) >= 700;
  if (!far) return {base * scale.down, scale.down, scale.up, scale.exact_temperature, 0, 0};
  const int power = std::ilogb(scale.down) + std::ilogb(scale.up) - 700;
  const double down = std::ldexp(1.0, std::min(power, 0)), up = std::ldexp(1.0, std::max(power, 0));
  return {base * down, down, up, scale.exact_temperature * 0x1p-700, 0, 0};
}

template <int kVariant>
class SelfAdjusted {
 public:
  static constexpr wide::AtInfinity kAtInfinity = wide::AtInfinity::undefined;

  template <class T>
  explicit SelfAdjusted(const Batch<T>& batch) : scale_(make_scale<double>(batch.temperature, 0)), exp_(scale_, 0) {}

  HWY_INLINE bool prepare(const wide::Census& row) {
    const double bottom = kVariant == 0 ? 0 : kVariant == 3 ? std::min(row.smallest, 0.0) : row.smallest;
    const double top = kVariant == 3 ? std::max(row.largest, 0.0) : row.largest;
    if (kVariant != 0 && top == bottom) return false;
    const wide::RangeDistance distance =
        kVariant < 2 ? temperature_distance(scale_, bottom, top) : wide::range_distance(bottom, top);
    exp_ = wide::RowPairExp(scale_, row.largest);
    base_ = wide::set(distance.base);
    down_ = wide::set(distance.down);
    up_ = wide::set(distance.up);
    high_ = distance.high;
    low_ = distance.low;
    return true;
  }

  HWY_INLINE wide::Term operator()(wide::V z) const {
    const wide::Pair e = exp_(z);
    const wide::V d = hn::Mul(hn::Sub(hn::Mul(z, down_), base_), up_);
    const auto something = hn::Gt(e.high, hn::Zero(wide::D()));  // where e is 0, d may be infinite
    return {hn::IfThenElseZero(something, hn::Mul(d, e.high)), e.high, e.low};
  }

  bool far(const wide::Census& row) const {
    return kVariant == 1 && temperatures(scale_, row.smallest, row.largest) > 60;
  }
  template <class T>
  HWY_INLINE void write_far_row(const wide::Census& row, const T* x, T* y, std::size_t length) const {
    wide::far_row(scale_, row, x, y, length);
  }

  // S Q, rounded once.
  double divisor(const DoubleSum& sum) const {
    const double product = sum.high * high_;
    return product + (std::fma(sum.high, high_, -product) + (sum.high * low_ + sum.low * high_));
  }

 private:
  Scale<double> scale_;
  wide::RowPairExp exp_;
  wide::V base_ = wide::set(0), down_ = wide::set(1), up_ = wide::set(1);
  double high_ = 1, low_ = 0;
};

template <class T>
void sa_softmax(const Batch<T>& batch, int variant) {
  switch (variant) {
    case 0:
      return wide::separable_rows<SelfAdjusted<0>>(batch);
    case 1:
      return wide::separable_rows<SelfAdjusted<1>>(batch);
    case 2:
      return wide::separable_rows<SelfAdjusted<2>>(batch);
    default:
      return wide::separable_rows<SelfAdjusted<3>>(batch);
  }
}
ATTNCERT_FORMS(sa_softmax)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(sa_softmax)

// Budgets: docs/budgets.md, sa-softmax.
ATTNCERT_KERNEL_RUN(sa_softmax_v0, "sa-softmax-v0", WideEntry, dispatch_sa_softmax<T>(batch, 0), (Budget{0.501, 0.501}),
                    (Budget{4.4, 4.4}))
ATTNCERT_KERNEL_RUN(sa_softmax_v1, "sa-softmax-v1", WideEntry, dispatch_sa_softmax<T>(batch, 1), (Budget{0.501, 0.501}),
                    (Budget{5.4, 5.4}))
ATTNCERT_KERNEL_RUN(sa_softmax_v2, "sa-softmax-v2", WideEntry, dispatch_sa_softmax<T>(batch, 2), (Budget{0.501, 0.501}),
                    (Budget{5.4, 5.4}))
ATTNCERT_KERNEL_RUN(sa_softmax_v3, "sa-softmax-v3", WideEntry, dispatch_sa_softmax<T>(batch, 3), (Budget{0.501, 0.501}),
                    (Budget{5.4, 5.4}))
#endif  // HWY_ONCE
