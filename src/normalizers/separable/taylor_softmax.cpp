// taylor-softmax of even order n: w_i = F(z_i / T) / sum_j F(z_j / T), F(z) = sum_{k <= n} z^k / k! > 0. Left of zero
// the terms cancel, so n! F is a Horner scheme in pairs of doubles (taylor_sum-inl.h).
// F(-inf) is +inf: masked positions are cleared by the driver. Above order 48 pairs no longer suffice
// (docs/budgets.md).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/separable/taylor_softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/separable/separable-inl.h"
#include "src/normalizers/separable/taylor_order.hpp"
#include "src/normalizers/separable/taylor_sum-inl.h"
#include "src/normalizers/wide_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

class RowTaylor : public TaylorSum {
 public:
  static constexpr wide::AtInfinity kAtInfinity = wide::AtInfinity::shares;

  template <class T>
  explicit RowTaylor(const Batch<T>& batch) : TaylorSum(batch.parameters.order, batch.temperature) {}
  HWY_INLINE bool prepare(const wide::Census& row) {
    TaylorSum::prepare(row.largest, row.smallest);
    return true;
  }
  HWY_INLINE wide::Term operator()(wide::V z) const { return wide::term(value(z)); }
  double divisor(const DoubleSum& sum) const { return sum.high + sum.low; }
};

void taylor_softmax_f32(const Batch<float>& batch) { wide::separable_rows<RowTaylor>(batch); }
void taylor_softmax_f64(const Batch<double>& batch) { wide::separable_rows<RowTaylor>(batch); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, taylor-softmax.
ATTNCERT_KERNEL(taylor_softmax, "taylor-softmax", WithOrder<WideEntry>, (Budget{0.501, 0.501}), (Budget{2.9, 2.9}))
#endif  // HWY_ONCE
