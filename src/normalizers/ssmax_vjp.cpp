// The derivative of scalable softmax, p = softmax(s log(n) z / T) with n present keys: (J^T g)_i = s log(n) / T p_i (g_i -
// sum_j p_j g_j). For s < 0 the smallest logit weighs most; s = 0 and n = 1 leave nothing to derive.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/ssmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/built_in.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void ssmax_vjp_rows(const Batch<T>& batch) {
  const long double s = static_cast<long double>(batch.parameters.scale);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    if (s == 0 || row.present == 1) return fill(row.gradient, row.length, T(0));
    const Rate rate = make_rate(s * std::log(static_cast<long double>(row.present)), batch.temperature);
    const vjp::Exponential<T> weight(rate, s > 0 ? row.largest : row.smallest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  });
}

void ssmax_vjp_f32(const Batch<float>& batch) { ssmax_vjp_rows(batch); }
void ssmax_vjp_f64(const Batch<double>& batch) { ssmax_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(ssmax_vjp_f32);
HWY_EXPORT(ssmax_vjp_f64);

template <class T>
attncert_status run_ssmax_vjp(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, 0, batch, Direction::derivative);
  if (status != ATTNCERT_OK) return status;
  if (!std::isfinite(batch.parameters.scale)) return ATTNCERT_BAD_PARAMETER;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(ssmax_vjp_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(ssmax_vjp_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn ssmax_vjp_f32_kernel =
    built_in("ssmax-vjp.f32", "ssmax-vjp", ATTNCERT_F32, run_ssmax_vjp<float>, nullptr, vjp_budget<float>());
const BuiltIn ssmax_vjp_f64_kernel =
    built_in("ssmax-vjp.f64", "ssmax-vjp", ATTNCERT_F64, run_ssmax_vjp<double>, nullptr, vjp_budget<double>(4.6));

}  // namespace attncert
#endif  // HWY_ONCE
