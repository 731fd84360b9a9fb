// The derivative of softmax1, softmax with one more logit that is 0 and gets no place in the output: with its p, (J^T g)_i =
// p_i (g_i - sum_j p_j g_j) / T. The exponentials stand relative to the largest of all logits, that 0 among them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/softmax1_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/entry.hpp"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"

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

struct Softmax1Vjp : PlainEntry {
  static constexpr const char* normalizer = "softmax1-vjp";
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(softmax1_vjp_f32)(batch); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(softmax1_vjp_f64)(batch); }
};

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn softmax1_vjp_f32_kernel = entry<Softmax1Vjp, float>(vjp_budget<float>());
const BuiltIn softmax1_vjp_f64_kernel = entry<Softmax1Vjp, double>(vjp_budget<double>());

}  // namespace attncert
#endif  // HWY_ONCE
