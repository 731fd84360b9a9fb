// The derivative of sparsemax: (J^T g)_i = (g_i - mean of g over the support) / T on the support, 0 elsewhere. The
// support is exact: it is found as the forward kernel finds it.
#include "src/normalizers/derivatives/sparse_vjps.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/sparsemax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/row_supports-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/sparse/sparse_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void sparsemax_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const vjp::Times<T> times(make_rate(1, batch.temperature));
  const LinearPower raise(units(batch.scale).temperature);
  RowSupports<LinearPower, T> supports(raise, batch);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const T lowest = supports.of(row).lowest;
    const auto one = N::set(1);
    typename N::Sum count, upstream;
    const auto add = [&](auto, auto g, auto inside, std::size_t, std::size_t) HWY_ATTR {
      count.add(N::where(inside, one));
      upstream.add(g);
    };
    vjp::walk_support(row, lowest, add, vjp::NoneLeft());
    const auto mean = N::set(upstream.total() / count.total());
    vjp::write_support(row, lowest, [&](auto, auto g) HWY_ATTR { return times(g - mean); });
  });
}
ATTNCERT_FORMS(sparsemax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(sparsemax_vjp)

namespace attncert {

void run_sparsemax_vjp(const Batch<float>& batch) { dispatch_sparsemax_vjp<float>(batch); }
void run_sparsemax_vjp(const Batch<double>& batch) { dispatch_sparsemax_vjp<double>(batch); }

}  // namespace attncert

// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL_RUN(sparsemax_vjp, "sparsemax-vjp", SparseEntry, run_sparsemax_vjp(batch), vjp_budget<float>(),
                    vjp_budget<double>())
#endif  // HWY_ONCE
