// The derivative of log-softmax: with p = softmax(z / T), (J^T g)_i = (g_i - p_i sum_j g_j) / T. The sum may cancel, so
// it is compensated; nothing else does worse than its terms.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/log_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void log_softmax_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Near<T> near(batch.temperature);
  const vjp::Times<T> times(rate);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (near.log_softmax(row)) return;
    const vjp::Exponential<T> weight(rate, row.largest);
    typename N::Sum weights, upstream;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      weights.add(N::where(present, weight(x)));
      upstream.add(g);
    });
    const auto share = N::set(upstream.total() / weights.total());
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      N::store(N::where(present, times(g - weight(x) * share)), row.gradient + i, count);
    });
  });
}
ATTNCERT_FORMS(log_softmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(log_softmax_vjp, "log-softmax-vjp", PlainEntry, vjp_budget<float>(kNearVjp), vjp_budget<double>())
#endif  // HWY_ONCE
