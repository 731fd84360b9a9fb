// softmax1(z / T)_i = exp(z_i / T) / (1 + sum_j exp(z_j / T)): softmax of the row with one more logit, 0, whose weight is not
// written (E. Miller, "Attention is off by one", 2023). The largest of the row and 0 sets the exponent, so nothing overflows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax1.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/softmax_rows-inl.h"
#include "src/normalizers/softmax_sizes.hpp"

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

template <class T>
attncert_status run_softmax1(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, softmax_scratch<T>(arguments), batch);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(softmax1_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(softmax1_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budget and bars: docs/budgets.md.
const BuiltIn softmax1_f32_kernel = built_in("softmax1.f32", "softmax1", ATTNCERT_F32, run_softmax1<float>,
                                             softmax_scratch<float>, {6.9, 8.5, 0, 0, 4, 6});
const BuiltIn softmax1_f64_kernel = built_in("softmax1.f64", "softmax1", ATTNCERT_F64, run_softmax1<double>,
                                             softmax_scratch<double>, {6.9, 8.5, 0, 0, 4, 6});

}  // namespace attncert
#endif  // HWY_ONCE
