// The derivative of top-k softmax is that of softmax on the k logits it chose (ties to the lowest index), 0 elsewhere.
// The others become -inf in a copy of the row. Where the chosen are few, they and their upstreams become a row of their
// own.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/top_k_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstddef>

#include "src/normalizers/derivatives/chosen_row-inl.h"
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
  T* const upstream = chosen + batch.length;
  const auto derive = [&](const vjp::Row<T>& row) HWY_ATTR {
    if (near.softmax(row)) return;
    const vjp::Exponential<T> weight(rate, row.largest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  };
  vjp::each_row(batch, [&](vjp::Row<T> row) HWY_ATTR {
    if (batch.parameters.k >= row.present) return derive(row);
    const auto k = static_cast<std::size_t>(batch.parameters.k);
    choose_largest(row.logits, row.length, k, kept, chosen);  // none is NaN
    if (k <= row.length / 8) {
      const vjp::Row<T> alone = chosen_alone(row, chosen, kept, upstream);
      derive(alone);
      return spread(chosen, alone.gradient, row.gradient, row.length);
    }
    row.logits = chosen;
    row.present = k;
    derive(row);
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
  static std::size_t choosing_scratch(const attncert_arguments* arguments) {
    return (candidates(arguments->length) + 2 * arguments->length) * sizeof(T);
  }
  template <class T>
  static constexpr ScratchNeeded* scratch = choosing_scratch<T>;
  static bool accepts(const attncert_parameters& p) { return p.k > 0; }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(top_k_softmax_vjp, "top-k-softmax-vjp", ChoosingEntry, vjp_budget<float>(kNearVjp),
                vjp_budget<double>())
#endif  // HWY_ONCE
