// The derivative of max(z, 0) / S, S = sum_j max(z_j, 0): (J^T g)_i = (g_i - sum_j a_j g_j) / S where z_i > 0, 0 elsewhere. T
// cancels in the weights and in the derivative with respect to z.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/relu_normalized_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/entry.hpp"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"

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

struct ReluNormalizedVjp : PlainEntry {
  static constexpr const char* normalizer = "relu-normalized-vjp";
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(relu_normalized_vjp_f32)(batch); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(relu_normalized_vjp_f64)(batch); }
};

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn relu_normalized_vjp_f32_kernel = entry<ReluNormalizedVjp, float>(vjp_budget<float>());
const BuiltIn relu_normalized_vjp_f64_kernel = entry<ReluNormalizedVjp, double>(vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
