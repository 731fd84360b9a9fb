#include "src/normalizers/half/half_convert.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half/half_convert.cpp"
#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/normalizers/half/half_format-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class Format>
HWY_INLINE void widen_all(const std::uint16_t* x, float* y, std::size_t count, const std::uint16_t* next) {
  constexpr std::size_t line = 64 / sizeof *x;
  const Singles d;
  const Halves halves;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    if (next != nullptr) {
      for (std::size_t j = i; j < i + 4 * lanes; j += line) hwy::Prefetch(next + j);
    }
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

// Vector by vector, whatever they hold.
template <class Format>
HWY_INLINE void narrow_any(const float* x, std::uint16_t* y, std::size_t count) {
  const Singles d;
  const Halves halves;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(Format::narrowed(hn::LoadU(d, x + i)), halves, y + i);
  if (i == count) return;
  HWY_ALIGN float from[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN std::uint16_t to[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(from, x + i, (count - i) * sizeof *x);
  hn::Store(Format::narrowed(hn::Load(d, from)), halves, to);
  std::memcpy(y + i, to, (count - i) * sizeof *y);
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

template <class Format>
HWY_INLINE void narrow_all(const float* x, std::uint16_t* y, std::size_t count, bool) {
  narrow_any<Format>(x, y, count);
}

#else

// Numbers go by four vectors; a NaN among them makes their sum one (so do two infinities, for nothing).
template <class Format, bool kPastCaches>
HWY_INLINE void narrow_fours(const float* x, std::uint16_t* y, std::size_t count) {
  const Singles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  if (kPastCaches) {
    i = std::min(count, halves_before_alignment(y));
    narrow_any<Format>(x, y, i);
  }
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + lanes);
    const auto c = hn::LoadU(d, x + i + 2 * lanes), e = hn::LoadU(d, x + i + 3 * lanes);
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(hn::Add(hn::Add(a, b), hn::Add(c, e)))))) {
      narrow_any<Format>(x + i, y + i, 4 * lanes);
      continue;
    }
    Format::template store<kPastCaches>(a, b, y + i);
    Format::template store<kPastCaches>(c, e, y + i + 2 * lanes);
  }
  narrow_any<Format>(x + i, y + i, count - i);
}

template <class Format>
HWY_INLINE void narrow_all(const float* x, std::uint16_t* y, std::size_t count, bool past_caches) {
  if (past_caches) return narrow_fours<Format, true>(x, y, count);
  narrow_fours<Format, false>(x, y, count);
}

#endif

void widen_halves(attncert_dtype half, const std::uint16_t* x, float* y, std::size_t count, const std::uint16_t* next) {
  with_half_format(half, [=](auto format) HWY_ATTR { widen_all<decltype(format)>(x, y, count, next); });
}
void narrow_singles(attncert_dtype half, const float* x, std::uint16_t* y, std::size_t count, bool past_caches) {
  with_half_format(half, [=](auto format) HWY_ATTR { narrow_all<decltype(format)>(x, y, count, past_caches); });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(widen_halves);
HWY_EXPORT(narrow_singles);

}  // namespace

void widen(attncert_dtype half, const std::uint16_t* x, float* y, std::size_t count,
           const std::uint16_t* next) noexcept {
  HWY_DYNAMIC_DISPATCH(widen_halves)(half, x, y, count, next);
}

void narrow(attncert_dtype half, const float* x, std::uint16_t* y, std::size_t count, bool past_caches) noexcept {
  HWY_DYNAMIC_DISPATCH(narrow_singles)(half, x, y, count, past_caches);
}

void end_of_stores_past_caches() noexcept { hwy::FlushStream(); }

}  // namespace attncert
#endif  // HWY_ONCE
