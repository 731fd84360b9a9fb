// softmax(z / T)_i = exp(z_i / T) / sum_j exp(z_j / T), as e_i / sum of exp-inl.h. Three passes: largest logit;
// exponentials and their compensated sum; times the reciprocal of the sum, held as two terms.
#include "src/normalizers/exponential/softmax.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax_rows-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

void softmax_f32(const Batch<float>& batch, bool zero) {
  softmax_batch(hn::ScalableTag<float>(), batch, SharedFamily<float>{batch.scale, zero});
}
void softmax_f64(const Batch<double>& batch, bool zero) {
  softmax_batch(hn::ScalableTag<double>(), batch, SharedFamily<double>{batch.scale, zero});
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_f64);

struct Softmax : PlainEntry {
  static constexpr const char* normalizer = "softmax";
  template <class T>
  static constexpr ScratchNeeded* scratch = softmax_scratch<T>;
  static void run(const Batch<float>& batch) { run_softmax(batch, false); }
  static void run(const Batch<double>& batch) { run_softmax(batch, false); }
};

}  // namespace

void run_softmax(const Batch<float>& batch, bool zero) { HWY_DYNAMIC_DISPATCH(softmax_f32)(batch, zero); }
void run_softmax(const Batch<double>& batch, bool zero) { HWY_DYNAMIC_DISPATCH(softmax_f64)(batch, zero); }

// Budget and bars: docs/budgets.md.
const BuiltIn softmax_f32_kernel = entry<Softmax, float>({.unit = 6.9, .other = 8.5, .bar_unit = 4, .bar_other = 6});
const BuiltIn softmax_f64_kernel = entry<Softmax, double>({.unit = 6.9, .other = 8.5, .bar_unit = 4, .bar_other = 6});

}  // namespace attncert
#endif  // HWY_ONCE
