// The derivative of taylor-softmax of even order n: (J^T g)_i = a_i F_(n-1)(z_i) / F_n(z_i) (g_i - sum_j a_j g_j) / T
// with z / T for z and a = F_n / sum F_n; for F_n' = F_(n-1), a polynomial of odd order with one root, beside which it
// is computed to its last digits (taylor_slope.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/taylor_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/single_taylor-inl.h"
#include "src/normalizers/derivatives/taylor_slope.hpp"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_mean.hpp"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

void taylor_softmax_vjp_f32(const Batch<float>& batch) {
  const Rate rate = make_rate(1, batch.temperature);
  SingleTaylor taylor(batch.parameters.order, batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<float>& row) HWY_ATTR {
    taylor.prepare(row);
    vjp::write_normalized(
        row, taylor.rate_of_slopes(rate), 0, [&](auto x) HWY_ATTR { return taylor.weight(x); },
        [&](auto x) HWY_ATTR { return taylor.slope(x); });
  });
}

void taylor_softmax_vjp_f64(const Batch<double>& batch) {
  using T = double;
  constexpr T absent = -std::numeric_limits<T>::infinity();
  const long double rate = make_rate(1, batch.temperature).head;
  TaylorSlope taylor(batch.parameters.order, batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) {
    taylor.prepare(static_cast<double>(row.largest), static_cast<double>(row.smallest));
    UpstreamMean mean;
    for (std::size_t i = 0; i < row.length; ++i) {
      if (row.logits[i] == absent) continue;
      mean.add(taylor(static_cast<double>(row.logits[i])).weight, static_cast<long double>(row.upstream[i]));
    }
    mean.close();
    for (std::size_t i = 0; i < row.length; ++i) {
      T gradient = 0;
      if (row.logits[i] != absent) {
        const long double slope = taylor(static_cast<double>(row.logits[i])).slope / mean.total();
        gradient = static_cast<T>(slope * mean.centred(static_cast<long double>(row.upstream[i])) * rate);
      }
      row.gradient[i] = gradient;
    }
  });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(taylor_softmax_vjp, "taylor-softmax-vjp", WithOrder<PlainEntry>, vjp_budget<float>(),
                vjp_budget<double>())
#endif  // HWY_ONCE
