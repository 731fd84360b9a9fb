// softmax(z / T)_i = exp(z_i / T) / sum_j exp(z_j / T), as e_i / sum of exp-inl.h. Three passes: largest logit;
// exponentials and their compensated sum; times the reciprocal of the sum, held as two terms.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax.cpp"
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

void softmax_f32(const Batch<float>& batch) {
  softmax_batch(hn::ScalableTag<float>(), batch, SharedFamily<float, false>{batch.scale});
}
void softmax_f64(const Batch<double>& batch) {
  softmax_batch(hn::ScalableTag<double>(), batch, SharedFamily<double, false>{batch.scale});
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_f64);

template <class T>
attncert_status run_softmax(const attncert_arguments* arguments) {
  Batch<T> batch;
  const attncert_status status =
      read_arguments(arguments, FormatLimits<T>::temperature_limit, softmax_scratch<T>(arguments), batch);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(softmax_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(softmax_f64)(batch);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budget and bars: docs/budgets.md.
const BuiltIn softmax_f32_kernel = built_in("softmax.f32", "softmax", ATTNCERT_F32, run_softmax<float>,
                                            softmax_scratch<float>, {6.9, 8.5, 0, 0, 4, 6});
const BuiltIn softmax_f64_kernel = built_in("softmax.f64", "softmax", ATTNCERT_F64, run_softmax<double>,
                                            softmax_scratch<double>, {6.9, 8.5, 0, 0, 4, 6});

}  // namespace attncert
#endif  // HWY_ONCE
