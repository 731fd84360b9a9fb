// ShortPipe (softmax_short-inl.h) of rows in the half formats.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half/softmax_half_short.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/exponential/softmax_short_body-inl.h"
#include "src/normalizers/half/softmax_half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
template class ShortPipe<HalfStorage<F16>>;
template class ShortPipe<HalfStorage<Bf16>>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();
