// ShortPipe (softmax_short-inl.h) of rows in the half formats.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half/softmax_half_short.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/exponential/softmax_short_body-inl.h"
#include "src/normalizers/half/softmax_half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define ATTNCERT_SHORT_PIPE(Format) template class ShortPipe<HalfStorage<Format>>;
ATTNCERT_HALF_FORMATS(ATTNCERT_SHORT_PIPE)
#undef ATTNCERT_SHORT_PIPE
#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
