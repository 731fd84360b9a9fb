// The derivative of sigma(u), u = z / T + b: (J^T g)_i = sigma'(u_i) g_i / T with sigma' = e / (1 + e)^2,
// e = exp(-|u|): no difference of near-equals. z / T and b may cancel, so u = (z + b T) / T is made of an exact product
// and exact sums.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/sigmoid_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/vjp_bias-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void sigmoid_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const vjp::Times<T> times(make_rate(1, batch.temperature));
  const vjp::BiasedDecay<T> decay(batch.temperature, batch.parameters.bias);
  const auto one = N::set(1);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      // Root by root: exp(-|u|) alone leaves the range of double where 1 / T may still bring the result back.
      const auto root = decay.root(x), bottom = one + root * root;
      N::store(N::where(present, times(root * g) * root / (bottom * bottom)), row.gradient + i, count);
    });
  });
}
ATTNCERT_FORMS(sigmoid_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(sigmoid_vjp, "sigmoid-vjp", WithBias<PlainEntry>, vjp_budget<float>(), vjp_budget<double>())
#endif  // HWY_ONCE
