// The derivative of self-adjusted softmax V0, w_i = u_i p_i with u = z / T and p = softmax(u): (J^T g)_i = p_i ((1 + u_i) g_i -
// sum_j u_j p_j g_j) / T. u is kept below 2^700 in f32: what is beyond needs T < 2^-572, where a gradient is 0 or infinite.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/sa_softmax_v0_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/entry.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void sa_softmax_v0_vjp_rows(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Times<T> times(rate);
  const auto most = N::set(sizeof(T) == 4 ? 0x1p700L : 0x1p5000L),
             least = N::set(sizeof(T) == 4 ? -0x1p700L : -0x1p5000L);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const vjp::Exponential<T> weight(rate, row.largest);
    const auto scaled = [&](auto x) HWY_ATTR { return N::larger(N::smaller(times(x), most), least); };
    typename N::Sum weights, products;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      weights.add(w);
      products.add(N::where(present, w * scaled(x) * g));
    });
    const auto sum = weights.total();
    const auto inverse = N::set(1 / sum), centre = N::set(products.total() / sum);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      const auto inner = g + (scaled(x) * g - centre);
      N::store(N::where(present, times(weight(x) * inverse * inner)), row.gradient + i, count);
    });
  });
}

void sa_softmax_v0_vjp_f32(const Batch<float>& batch) { sa_softmax_v0_vjp_rows(batch); }
void sa_softmax_v0_vjp_f64(const Batch<double>& batch) { sa_softmax_v0_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(sa_softmax_v0_vjp_f32);
HWY_EXPORT(sa_softmax_v0_vjp_f64);

struct SaSoftmaxV0Vjp : PlainEntry {
  static constexpr const char* normalizer = "sa-softmax-v0-vjp";
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(sa_softmax_v0_vjp_f32)(batch); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(sa_softmax_v0_vjp_f64)(batch); }
};

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn sa_softmax_v0_vjp_f32_kernel = entry<SaSoftmaxV0Vjp, float>(vjp_budget<float>());
const BuiltIn sa_softmax_v0_vjp_f64_kernel = entry<SaSoftmaxV0Vjp, double>(vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
