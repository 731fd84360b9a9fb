// ShortPipe of f32 rows (softmax_short-inl.h).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/softmax_short.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/exponential/softmax_short_body-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
template class ShortPipe<SingleStorage>;
#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
