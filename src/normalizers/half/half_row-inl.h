// A row in a half format where a kernel expects one of floats: logits widened as they are loaded, weights narrowed as
// they are stored. The verbs are those of cells-inl.h and row-inl.h.
#if defined(ATTNCERT_NORMALIZERS_HALF_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_HALF_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_HALF_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_HALF_ROW_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/normalizers/cells-inl.h"
#include "src/normalizers/half/half_format-inl.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

template <class Format>
struct HalfLogits {
  const std::uint16_t* x;
  HWY_INLINE HalfLogits operator+(std::size_t i) const { return {x + i}; }
};

template <class Format>
HWY_INLINE const std::uint16_t* cells(HalfLogits<Format> from) {
  return from.x;
}

template <class Format>
HWY_INLINE VSingle load(Singles, HalfLogits<Format> from) {
  return Format::load(from.x);
}

template <class Format>
HWY_INLINE VSingle load_tail(Singles, HalfLogits<Format> from, std::size_t count) {
  return Format::widened(load_first(Halves(), from.x, count, Format::kMinusInfinity));
}

// Weights, which are numbers; only `fill` knows NaN.
template <class Format>
struct HalfWeights {
  std::uint16_t* y;
  HWY_INLINE HalfWeights operator+(std::size_t i) const { return {y + i}; }
};

template <class Format>
HWY_INLINE std::uint16_t* cells(HalfWeights<Format> to) {
  return to.y;
}

// As `put` and `put_pair` of cells-inl.h, but that a single vector of less than 16 bytes goes through the caches: a
// streamed store would write 16.
template <bool kStream, class Format>
HWY_INLINE void put(Singles, VSingle v, HalfWeights<Format> to) {
  constexpr bool stream = kStream && sizeof(VSingle) > 16;
  const auto weights = Format::narrowed(v);
  stream ? hn::Stream(weights, Halves(), to.y) : hn::StoreU(weights, Halves(), to.y);
}

template <bool kStream, class Format>
HWY_INLINE void put_pair(Singles, VSingle v, VSingle w, HalfWeights<Format> to) {
  Format::template store<kStream>(v, w, to.y);
}

template <class Format>
HWY_INLINE void store_tail(Singles, VSingle v, HalfWeights<Format> to, std::size_t count) {
  store_first(Halves(), Format::narrowed(v), to.y, count);
}

template <class Format>
HWY_INLINE void fill_nan(HalfWeights<Format> to, std::size_t length) {
  std::fill_n(to.y, length, Format::kNan);
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
