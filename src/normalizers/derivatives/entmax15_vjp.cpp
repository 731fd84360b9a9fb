// The derivative of 1.5-entmax: with s = sqrt(p), (J^T g)_i = s_i (g_i - sum_j s_j g_j / sum_j s_j) / T. s_i is known
// without a root: ((z_i - r) + n) / (2 T), r the smallest logit of the support and n its distance from the threshold.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/entmax15_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/sparse/entmax_gap-inl.h"
#include "src/normalizers/sparse/sparse_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void entmax15_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  using Scalar = typename N::Scalar;
  const hn::ScalableTag<T> d;
  const Units unit = units(batch.scale);
  const SquarePower raise(unit.temperature);
  const double reach = 2 * batch.scale.given * (1 + 0x1p-50);  // as entmax_rows has it
  const vjp::Times<T> times(make_rate(1, batch.temperature));
  const auto factor = N::set(1 / (2 * static_cast<Scalar>(unit.temperature)));
  const auto scale = N::set(static_cast<Scalar>(unit.down) * static_cast<Scalar>(unit.up));
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const Candidates<T> candidates = find_candidates(d, row.logits, row.length, reach, static_cast<T*>(batch.scratch));
    const Support<T> support = find_support(raise, batch.scale, candidates);
    const Gap gap = find_gap(raise, batch.scale, candidates, support);
    const auto lowest = N::set(support.lowest);
    const auto distance = N::set(gap.exact > 0 ? static_cast<Scalar>(gap.exact) * static_cast<Scalar>(unit.down) *
                                                     static_cast<Scalar>(unit.up)
                                               : static_cast<Scalar>(gap.high) + static_cast<Scalar>(gap.low));
    const auto root = [&](auto x) HWY_ATTR { return ((x - lowest) * scale + distance) * factor; };
    typename N::Sum weights, products;
    const auto add = [&](auto x, auto g, auto inside, std::size_t, std::size_t) HWY_ATTR {
      const auto s = N::where(inside, root(x));
      weights.add(s);
      products.add(s * g);
    };
    vjp::walk_support(row, support.lowest, add, vjp::NoneLeft());
    const auto mean = N::set(products.total() / weights.total());
    vjp::write_support(row, support.lowest, [&](auto x, auto g) HWY_ATTR { return times(root(x) * (g - mean)); });
  });
}
ATTNCERT_FORMS(entmax15_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(entmax15_vjp, "entmax-1.5-vjp", SparseEntry, vjp_budget<float>(0.045), vjp_budget<double>(0.045))
#endif  // HWY_ONCE
