// relu-normalized: w_i = max(z_i, 0) / sum_j max(z_j, 0). T cancels, so it is not used. A power of two brings the
// largest logit into [1, 2): the sum neither overflows nor is subnormal. No positive logit: zeros.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/separable/relu_normalized.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/separable/separable-inl.h"
#include "src/normalizers/wide_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

class PositivePart {
 public:
  static constexpr wide::AtInfinity kAtInfinity = wide::AtInfinity::shares;

  template <class T>
  explicit PositivePart(const Batch<T>&) {}

  HWY_INLINE bool prepare(const wide::Census& row) {
    if (!(row.largest > 0)) return false;
    const int exponent = -std::ilogb(row.largest);  // up to 1074: in two factors
    first_ = wide::set(std::ldexp(1.0, exponent / 2));
    second_ = wide::set(std::ldexp(1.0, exponent - exponent / 2));
    return true;
  }

  HWY_INLINE wide::Term operator()(wide::V z) const {
    const wide::V scaled = hn::Mul(hn::Mul(z, first_), second_), zero = hn::Zero(wide::D());
    return wide::term({hn::IfThenElseZero(hn::Gt(z, zero), scaled), zero});
  }

  double divisor(const DoubleSum& sum) const { return sum.high + sum.low; }

 private:
  wide::V first_ = wide::set(1), second_ = wide::set(1);
};

void relu_normalized_f32(const Batch<float>& batch) { wide::separable_rows<PositivePart>(batch); }
void relu_normalized_f64(const Batch<double>& batch) { wide::separable_rows<PositivePart>(batch); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, relu-normalized.
ATTNCERT_KERNEL(relu_normalized, "relu-normalized", WideEntry, (Budget{0.501, 0.501}), (Budget{1.52, 1.52}))
#endif  // HWY_ONCE
