#include "src/normalizers/half_convert.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half_convert.cpp"
#include <cstring>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/normalizers/half_format-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

using D = Singles;

template <class Format>
HWY_INLINE void widen_all(const std::uint16_t* x, float* y, std::size_t count) {
  const D d;
  const Halves halves;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) {
      hn::StoreU(Format::widened(hn::LoadU(halves, x + j)), d, y + j);
    }
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(Format::widened(hn::LoadU(halves, x + i)), d, y + i);
  if (i == count) return;
  HWY_ALIGN std::uint16_t from[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN float to[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(from, x + i, (count - i) * sizeof *x);
  hn::Store(Format::widened(hn::Load(halves, from)), d, to);
  std::memcpy(y + i, to, (count - i) * sizeof *y);
}

template <class Format>
HWY_INLINE void narrow_all(const float* x, std::uint16_t* y, std::size_t count) {
  const D d;
  const Halves halves;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) {
      hn::StoreU(Format::narrowed(hn::LoadU(d, x + j)), halves, y + j);
    }
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(Format::narrowed(hn::LoadU(d, x + i)), halves, y + i);
  if (i == count) return;
  HWY_ALIGN float from[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN std::uint16_t to[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(from, x + i, (count - i) * sizeof *x);
  hn::Store(Format::narrowed(hn::Load(d, from)), halves, to);
  std::memcpy(y + i, to, (count - i) * sizeof *y);
}

void widen_f16(const std::uint16_t* x, float* y, std::size_t count) { widen_all<F16>(x, y, count); }
void widen_bf16(const std::uint16_t* x, float* y, std::size_t count) { widen_all<Bf16>(x, y, count); }
void narrow_f16(const float* x, std::uint16_t* y, std::size_t count) { narrow_all<F16>(x, y, count); }
void narrow_bf16(const float* x, std::uint16_t* y, std::size_t count) { narrow_all<Bf16>(x, y, count); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(widen_f16);
HWY_EXPORT(widen_bf16);
HWY_EXPORT(narrow_f16);
HWY_EXPORT(narrow_bf16);

}  // namespace

void widen(attncert_dtype half, const std::uint16_t* x, float* y, std::size_t count) noexcept {
  if (half == ATTNCERT_F16) {
    HWY_DYNAMIC_DISPATCH(widen_f16)(x, y, count);
  } else {
    HWY_DYNAMIC_DISPATCH(widen_bf16)(x, y, count);
  }
}

void narrow(attncert_dtype half, const float* x, std::uint16_t* y, std::size_t count) noexcept {
  if (half == ATTNCERT_F16) {
    HWY_DYNAMIC_DISPATCH(narrow_f16)(x, y, count);
  } else {
    HWY_DYNAMIC_DISPATCH(narrow_bf16)(x, y, count);
  }
}

}  // namespace attncert
#endif  // HWY_ONCE
