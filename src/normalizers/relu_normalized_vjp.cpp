// The derivative of max(z, 0) / S, S = sum_j max(z_j, 0): (J^T g)_i = (g_i - sum_j a_j g_j) / S where z_i > 0, 0 elsewhere. T
// cancels in the weights and in the derivative with respect to z.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/relu_normalized_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/built_in.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void relu_normalized_vjp_rows(const Batch<T>& batch) {
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

void relu_normalized_vjp_f32(const Batch<float>& batch) { relu_normalized_vjp_rows(batch); }
void relu_normalized_vjp_f64(const Batch<double>& batch) { relu_normalized_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(relu_normalized_vjp_f32);
HWY_EXPORT(relu_normalized_vjp_f64);

template <class T>
attncert_status run_relu_normalized_vjp(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, 0, batch, Direction::derivative);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(relu_normalized_vjp_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(relu_normalized_vjp_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn relu_normalized_vjp_f32_kernel = built_in("relu-normalized-vjp.f32", "relu-normalized-vjp", ATTNCERT_F32,
                                                        run_relu_normalized_vjp<float>, nullptr, vjp_budget<float>());
const BuiltIn relu_normalized_vjp_f64_kernel = built_in("relu-normalized-vjp.f64", "relu-normalized-vjp", ATTNCERT_F64,
                                                        run_relu_normalized_vjp<double>, nullptr, vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
