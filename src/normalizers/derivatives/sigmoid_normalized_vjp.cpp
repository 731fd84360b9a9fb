// The derivative of a = sigma(z / T) / sum_j sigma(z_j / T): (J^T g)_i = (1 - sigma_i) a_i (g_i - sum_j a_j g_j) / T,
// with 1 - sigma(x) = sigma(-x), never a difference. sigma(x) = exp(min(x, 0)) / (1 + exp(-|x|)), its numerator
// relative to the largest one, so that rows far below 0 keep their shares.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/sigmoid_normalized_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void sigmoid_normalized_vjp(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const Rate rate = make_rate(1, batch.temperature);
  const auto zero = N::set(0), one = N::set(1);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const vjp::Exponential<T> rising(rate, std::min(row.largest, T(0))), falling(rate, 0);
    const auto weight = [&](auto x)
                            HWY_ATTR { return rising(N::smaller(x, zero)) / (one + falling(zero - N::size(x))); };
    const auto slope = [&](auto x) HWY_ATTR {
      const auto decay = one + falling(zero - N::size(x));
      return rising(N::smaller(x, zero)) * falling(zero - N::larger(x, zero)) / (decay * decay);
    };
    vjp::write_normalized(row, rate, 0, weight, slope);
  });
}
ATTNCERT_FORMS(sigmoid_normalized_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(sigmoid_normalized_vjp, "sigmoid-normalized-vjp", PlainEntry, vjp_budget<float>(), vjp_budget<double>())
#endif  // HWY_ONCE
