// The derivative of taylor-softmax of even order n: (J^T g)_i = a_i F_(n-1)(z_i) / F_n(z_i) (g_i - sum_j a_j g_j) / T with z / T
// for z and a = F_n / sum F_n; for F_n' = F_(n-1), a polynomial of odd order with one root, beside which it is computed to
// its last digits (taylor_slope.hpp). In long double for both types.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/taylor_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/built_in.hpp"
#include "src/normalizers/taylor_slope.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_mean.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void taylor_softmax_vjp_rows(const Batch<T>& batch) {
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

void taylor_softmax_vjp_f32(const Batch<float>& batch) { taylor_softmax_vjp_rows(batch); }
void taylor_softmax_vjp_f64(const Batch<double>& batch) { taylor_softmax_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(taylor_softmax_vjp_f32);
HWY_EXPORT(taylor_softmax_vjp_f64);

template <class T>
attncert_status run_taylor_softmax_vjp(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, 0, batch, Direction::derivative);
  if (status != ATTNCERT_OK) return status;
  const std::uint32_t order = batch.parameters.order;
  if (order == 0 || order % 2 != 0 || order > kLargestTaylorOrder) return ATTNCERT_BAD_PARAMETER;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(taylor_softmax_vjp_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(taylor_softmax_vjp_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn taylor_softmax_vjp_f32_kernel = built_in("taylor-softmax-vjp.f32", "taylor-softmax-vjp", ATTNCERT_F32,
                                                       run_taylor_softmax_vjp<float>, nullptr, vjp_budget<float>());
const BuiltIn taylor_softmax_vjp_f64_kernel = built_in("taylor-softmax-vjp.f64", "taylor-softmax-vjp", ATTNCERT_F64,
                                                       run_taylor_softmax_vjp<double>, nullptr, vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
