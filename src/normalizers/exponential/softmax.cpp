// softmax(z / T)_i = exp(z_i / T) / sum_j exp(z_j / T), as e_i / sum of exp-inl.h. Three passes: largest logit;
// exponentials and their compensated sum; times the reciprocal of the sum.
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
namespace attncert::HWY_NAMESPACE {

template <class T>
void softmax(const Batch<T>& batch, bool zero) {
  softmax_batch(hn::ScalableTag<T>(), batch, SharedFamily<T>{batch.scale, zero});
}
ATTNCERT_FORMS(softmax)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(softmax)

namespace attncert {

void run_softmax(const Batch<float>& batch, bool zero) { dispatch_softmax<float>(batch, zero); }
void run_softmax(const Batch<double>& batch, bool zero) { dispatch_softmax<double>(batch, zero); }

}  // namespace attncert

// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_KERNEL_RUN(softmax, "softmax", SoftmaxEntry, run_softmax(batch, false),
                    (Budget{.unit = 6.9, .other = 8.5, .tolerance_unit = 4, .tolerance_other = 6}),
                    (Budget{.unit = 6.9, .other = 8.5, .tolerance_unit = 4, .tolerance_other = 6}))
#endif  // HWY_ONCE
