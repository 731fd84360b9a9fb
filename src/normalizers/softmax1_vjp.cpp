// The derivative of softmax1, softmax with one more logit that is 0 and gets no place in the output: with its p, (J^T g)_i =
// p_i (g_i - sum_j p_j g_j) / T. The exponentials stand relative to the largest of all logits, that 0 among them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax1_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/built_in.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void softmax1_vjp_rows(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const Rate rate = make_rate(1, batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const vjp::Exponential<T> weight(rate, std::max(row.largest, T(0)));
    vjp::write_normalized(row, rate, N::scalar(weight(N::set(0))), weight, weight);
  });
}

void softmax1_vjp_f32(const Batch<float>& batch) { softmax1_vjp_rows(batch); }
void softmax1_vjp_f64(const Batch<double>& batch) { softmax1_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax1_vjp_f32);
HWY_EXPORT(softmax1_vjp_f64);

template <class T>
attncert_status run_softmax1_vjp(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, 0, batch, Direction::derivative);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(softmax1_vjp_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(softmax1_vjp_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn softmax1_vjp_f32_kernel =
    built_in("softmax1-vjp.f32", "softmax1-vjp", ATTNCERT_F32, run_softmax1_vjp<float>, nullptr, vjp_budget<float>());
const BuiltIn softmax1_vjp_f64_kernel =
    built_in("softmax1-vjp.f64", "softmax1-vjp", ATTNCERT_F64, run_softmax1_vjp<double>, nullptr, vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
