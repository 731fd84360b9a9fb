// The derivative of log-softmax: with p = softmax(z / T), (J^T g)_i = (g_i - p_i sum_j g_j) / T. The sum may cancel, so it
// is compensated; nothing else does worse than its terms.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/log_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/entry.hpp"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void log_softmax_vjp_rows(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Times<T> times(rate);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
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

void log_softmax_vjp_f32(const Batch<float>& batch) { log_softmax_vjp_rows(batch); }
void log_softmax_vjp_f64(const Batch<double>& batch) { log_softmax_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(log_softmax_vjp_f32);
HWY_EXPORT(log_softmax_vjp_f64);

struct LogSoftmaxVjp : PlainEntry {
  static constexpr const char* normalizer = "log-softmax-vjp";
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(log_softmax_vjp_f32)(batch); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(log_softmax_vjp_f64)(batch); }
};

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn log_softmax_vjp_f32_kernel = entry<LogSoftmaxVjp, float>(vjp_budget<float>());
const BuiltIn log_softmax_vjp_f64_kernel = entry<LogSoftmaxVjp, double>(vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
