// softmax1(z / T)_i = exp(z_i / T) / (1 + sum_j exp(z_j / T)): softmax of the row with one more logit, 0, whose weight is not
// written (E. Miller, "Attention is off by one", 2023). The largest of the row and 0 sets the exponent, so nothing overflows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/softmax1.cpp"
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

void softmax1_f32(const Batch<float>& batch) {
  softmax_batch(hn::ScalableTag<float>(), batch, SharedFamily<float, true>{batch.scale});
}
void softmax1_f64(const Batch<double>& batch) {
  softmax_batch(hn::ScalableTag<double>(), batch, SharedFamily<double, true>{batch.scale});
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax1_f32);
HWY_EXPORT(softmax1_f64);

struct Softmax1 : PlainEntry {
  static constexpr const char* normalizer = "softmax1";
  template <class T>
  static constexpr ScratchNeeded* scratch = softmax_scratch<T>;
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(softmax1_f32)(batch); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(softmax1_f64)(batch); }
};

}  // namespace

// Budget and bars: docs/budgets.md.
const BuiltIn softmax1_f32_kernel = entry<Softmax1, float>({.unit = 6.9, .other = 8.5, .bar_unit = 4, .bar_other = 6});
const BuiltIn softmax1_f64_kernel = entry<Softmax1, double>({.unit = 6.9, .other = 8.5, .bar_unit = 4, .bar_other = 6});

}  // namespace attncert
#endif  // HWY_ONCE
