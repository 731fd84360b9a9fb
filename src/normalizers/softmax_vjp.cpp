// The derivative of softmax: with p = softmax(z / T), (J^T g)_i = p_i (g_i - sum_j p_j g_j) / T. Two walks over the row;
// the exponentials are computed in each rather than kept.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/built_in.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void softmax_vjp_rows(const Batch<T>& batch) {
  const Rate rate = make_rate(1, batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const vjp::Exponential<T> weight(rate, row.largest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  });
}

void softmax_vjp_f32(const Batch<float>& batch) { softmax_vjp_rows(batch); }
void softmax_vjp_f64(const Batch<double>& batch) { softmax_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_vjp_f32);
HWY_EXPORT(softmax_vjp_f64);

template <class T>
attncert_status run_softmax_vjp(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, 0, batch, Direction::derivative);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(softmax_vjp_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(softmax_vjp_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn softmax_vjp_f32_kernel =
    built_in("softmax-vjp.f32", "softmax-vjp", ATTNCERT_F32, run_softmax_vjp<float>, nullptr, vjp_budget<float>());
const BuiltIn softmax_vjp_f64_kernel =
    built_in("softmax-vjp.f64", "softmax-vjp", ATTNCERT_F64, run_softmax_vjp<double>, nullptr, vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
