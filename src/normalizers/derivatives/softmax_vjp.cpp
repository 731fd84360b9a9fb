// The derivative of softmax: with p = softmax(z / T), (J^T g)_i = p_i (g_i - sum_j p_j g_j) / T. Two walks over the
// row; the exponentials are computed in each rather than kept.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void softmax_vjp(const Batch<T>& batch) {
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Near<T> near(batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (near.softmax(row)) return;
    const vjp::Exponential<T> weight(rate, row.largest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  });
}
ATTNCERT_FORMS(softmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(softmax_vjp, "softmax-vjp", PlainEntry, vjp_budget<float>(kNearVjp), vjp_budget<double>())
#endif  // HWY_ONCE
