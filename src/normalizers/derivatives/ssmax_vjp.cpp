// The derivative of scalable softmax, p = softmax(s log(n) z / T) with n present keys: (J^T g)_i = s log(n) / T p_i
// (g_i - sum_j p_j g_j). For s < 0 the smallest logit weighs most; s = 0 and n = 1 leave nothing to derive.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/ssmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// What rows of one count of present logits share.
template <class T>
struct OfCount {
  OfCount(std::size_t count, long double s, double temperature)
      : present(count),
        rate(make_rate(s * std::log(static_cast<long double>(count)), temperature)),
        near(static_cast<double>(1 / rate.head)) {}
  std::size_t present;
  Rate rate;
  vjp::Near<T> near;
};

template <class T>
void ssmax_vjp(const Batch<T>& batch) {
  const long double s = static_cast<long double>(batch.parameters.scale);
  std::optional<OfCount<T>> held[64];  // as ssmax.cpp holds scales: masked rows have few counts, in any order
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (s == 0 || row.present == 1) return fill(row.gradient, row.length, T(0));
    std::optional<OfCount<T>>& own = held[row.present % std::size(held)];
    if (!own || own->present != row.present) own.emplace(row.present, s, batch.temperature);
    if (s > 0 && own->near.softmax(row)) return;
    const vjp::Exponential<T> weight(own->rate, s > 0 ? row.largest : row.smallest);
    vjp::write_normalized(row, own->rate, 0, weight, weight);
  });
}
ATTNCERT_FORMS(ssmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(ssmax_vjp, "ssmax-vjp", WithScale<PlainEntry>, vjp_budget<float>(kNearVjp), vjp_budget<double>(4.6))
#endif  // HWY_ONCE
