// The derivative of sigma(u), u = z / T + b: (J^T g)_i = sigma'(u_i) g_i / T with sigma' = e / (1 + e)^2, e = exp(-|u|): no
// difference of near-equals. z / T and b may cancel, so u = (z + b T) / T is made of an exact product and exact sums.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/sigmoid_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/entry.hpp"
#include "src/normalizers/derivatives/vjp_bias-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void sigmoid_vjp_rows(const Batch<T>& batch) {
  using N = vjp::Numbers<T>;
  const vjp::Times<T> times(make_rate(1, batch.temperature));
  const vjp::BiasedDecay<T> decay(batch.temperature, batch.parameters.bias);
  const auto one = N::set(1);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      // Root by root: exp(-|u|) alone leaves the range of double where 1 / T may still bring the result back.
      const auto root = decay.root(x), bottom = one + root * root;
      N::store(N::where(present, times(root * g) * root / (bottom * bottom)), row.gradient + i, count);
    });
  });
}

void sigmoid_vjp_f32(const Batch<float>& batch) { sigmoid_vjp_rows(batch); }
void sigmoid_vjp_f64(const Batch<double>& batch) { sigmoid_vjp_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(sigmoid_vjp_f32);
HWY_EXPORT(sigmoid_vjp_f64);

struct SigmoidVjp : PlainEntry {
  static constexpr const char* normalizer = "sigmoid-vjp";
  static bool accepts(const attncert_parameters& p) { return std::isfinite(p.bias); }
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(sigmoid_vjp_f32)(batch); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(sigmoid_vjp_f64)(batch); }
};

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn sigmoid_vjp_f32_kernel = entry<SigmoidVjp, float>(vjp_budget<float>());
const BuiltIn sigmoid_vjp_f64_kernel = entry<SigmoidVjp, double>(vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
