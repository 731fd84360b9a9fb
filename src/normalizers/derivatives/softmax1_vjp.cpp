// The derivative of softmax1, softmax with one more logit that is 0 and gets no place in the output: with its p, (J^T
// g)_i = p_i (g_i - sum_j p_j g_j) / T. The exponentials stand relative to the largest of all logits, that 0 among
// them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/softmax1_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void softmax1_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Near<T> near(batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (near.softmax(row, true)) return;
    const vjp::Exponential<T> weight(rate, std::max(row.largest, T(0)));
    vjp::write_normalized(row, rate, N::scalar(weight(N::set(0))), weight, weight);
  });
}
ATTNCERT_FORMS(softmax1_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(softmax1_vjp, "softmax1-vjp", PlainEntry, vjp_budget<float>(kNearVjp), vjp_budget<double>())
#endif  // HWY_ONCE
