// The derivative of max(z, 0) / S, S = sum_j max(z_j, 0): (J^T g)_i = (g_i - sum_j a_j g_j) / S where z_i > 0, 0
// elsewhere. T cancels in the weights and in the derivative with respect to z.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/relu_normalized_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void relu_normalized_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const auto zero = N::set(0), one = N::set(1);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (!(row.largest > 0)) return fill(row.gradient, row.length, T(0));
    typename N::Sum weights, products;
    vjp::walk(row, [&](auto x, auto g, auto, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(N::above(x, zero), x);
      weights.add(w);
      products.add(w * g);
    });
    const auto sum = weights.total();
    const Rate rate{1 / static_cast<long double>(sum), 0};
    vjp::write_centred(row, products.total() / sum, rate,
                       [&](auto x) HWY_ATTR { return N::where(N::above(x, zero), one); });
  });
}
ATTNCERT_FORMS(relu_normalized_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(relu_normalized_vjp, "relu-normalized-vjp", PlainEntry, vjp_budget<float>(), vjp_budget<double>())
#endif  // HWY_ONCE
