// The derivative of 1.5-entmax: with s = sqrt(p), (J^T g)_i = s_i (g_i - sum_j s_j g_j / sum_j s_j) / T. s_i is known
// without a root: ((z_i - r) + n) / (2 T), r the smallest logit of the support and n its distance from the threshold.
#include "src/normalizers/derivatives/sparse_vjps.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/entmax15_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/row_supports-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/sparse/sparse_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void entmax15_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  using Scalar = typename N::Scalar;
  const Units unit = units(batch.scale);
  const SquarePower raise(unit.temperature);
  RowSupports<SquarePower, T> supports(raise, batch);
  const vjp::Times<T> times(make_rate(1, batch.temperature));
  const auto factor = N::set(1 / (2 * static_cast<Scalar>(unit.temperature)));
  const auto scale = N::set(static_cast<Scalar>(unit.down) * static_cast<Scalar>(unit.up));
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const RowSupport<T> support = supports.of(row);
    const Gap& gap = support.gap;
    const auto lowest = N::set(support.lowest);
    const auto distance = N::set(gap.exact > 0 ? static_cast<Scalar>(gap.exact) * static_cast<Scalar>(unit.down) *
                                                     static_cast<Scalar>(unit.up)
                                               : static_cast<Scalar>(gap.high) + static_cast<Scalar>(gap.low));
    vjp::write_by_slopes(row, support.lowest, times,
                         [&](auto x) HWY_ATTR { return ((x - lowest) * scale + distance) * factor; });
  });
}
ATTNCERT_FORMS(entmax15_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(entmax15_vjp)

namespace attncert {

void run_entmax15_vjp(const Batch<float>& batch) { dispatch_entmax15_vjp<float>(batch); }
void run_entmax15_vjp(const Batch<double>& batch) { dispatch_entmax15_vjp<double>(batch); }

}  // namespace attncert

// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL_RUN(entmax15_vjp, "entmax-1.5-vjp", SparseEntry, run_entmax15_vjp(batch), vjp_budget<float>(0.045),
                    vjp_budget<double>(0.045))
#endif  // HWY_ONCE
