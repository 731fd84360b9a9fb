// The derivative of top-k softmax is that of softmax on the k logits it chose (ties to the lowest index), 0 elsewhere.
// The others become -inf in a copy of the row, and are absent from then on.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/top_k_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/top_k.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void top_k_softmax_vjp(const Batch<T>& batch) {
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Near<T> near(batch.temperature);
  T *const kept = static_cast<T*>(batch.scratch), *const chosen = kept + candidates(batch.length);
  vjp::each_row(batch, [&](vjp::Row<T> row) HWY_ATTR {
    if (batch.parameters.k < row.present) {
      const auto k = static_cast<std::size_t>(batch.parameters.k);
      choose_largest(row.logits, row.length, k, kept, chosen);  // none is NaN
      row.logits = chosen;
    }
    if (near.softmax(row)) return;
    const vjp::Exponential<T> weight(rate, row.largest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  });
}
ATTNCERT_FORMS(top_k_softmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

struct ChoosingEntry : PlainEntry {
  template <class T>
  static std::size_t candidates_and_chosen(const attncert_arguments* arguments) {
    return (candidates(arguments->length) + arguments->length) * sizeof(T);
  }
  template <class T>
  static constexpr ScratchNeeded* scratch = candidates_and_chosen<T>;
  static bool accepts(const attncert_parameters& p) { return p.k > 0; }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(top_k_softmax_vjp, "top-k-softmax-vjp", ChoosingEntry, vjp_budget<float>(kNearVjp),
                vjp_budget<double>())
#endif  // HWY_ONCE
