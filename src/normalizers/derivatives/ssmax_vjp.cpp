// The derivative of scalable softmax, p = softmax(s log(n) z / T) with n present keys: (J^T g)_i = s log(n) / T p_i
// (g_i - sum_j p_j g_j). For s < 0 the smallest logit weighs most; s = 0 and n = 1 leave nothing to derive.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/ssmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>
#include <utility>

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void ssmax_vjp(const Batch<T>& batch) {
  const long double s = static_cast<long double>(batch.parameters.scale);
  std::size_t present = 0;  // of the row before, and what it has of its own
  Rate rate{};
  vjp::Near<T> near(1);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (s == 0 || row.present == 1) return fill(row.gradient, row.length, T(0));
    if (std::exchange(present, row.present) != row.present) {
      rate = make_rate(s * std::log(static_cast<long double>(row.present)), batch.temperature);
      near = vjp::Near<T>(static_cast<double>(1 / rate.head));
    }
    if (s > 0 && near.softmax(row)) return;
    const vjp::Exponential<T> weight(rate, s > 0 ? row.largest : row.smallest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  });
}
ATTNCERT_FORMS(ssmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(ssmax_vjp, "ssmax-vjp", WithScale<PlainEntry>, vjp_budget<float>(kNearVjp), vjp_budget<double>(4.6))
#endif  // HWY_ONCE
