// Rows of softmax read and written in a half format, without a widened copy: the largest half by integers; exponentials
// of the widened halves and their sum, step by step those of the f32 kernel (softmax_pass-inl.h), so that a weight is the
// f32 kernel's, rounded; times the reciprocal, narrowed while the next row's exponentials are computed.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/normalizers/half_format-inl.h"
#include "src/normalizers/softmax_pass-inl.h"
#include "src/normalizers/softmax_short-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Logits in a half format, for `exponentials`.
template <class Format>
struct HalfLogits {
  const std::uint16_t* x;
  HWY_INLINE HalfLogits operator+(std::size_t i) const { return {x + i}; }
};

template <class Format>
HWY_INLINE VSingle load(Singles, HalfLogits<Format> from) {
  return Format::widened(hn::LoadU(Halves(), from.x));
}

template <class Format>
HWY_INLINE VSingle load_tail(Singles, HalfLogits<Format> from, std::size_t count) {
  return Format::widened(load_first(Halves(), from.x, count, Format::kMinusInfinity));
}

// Short rows of halves, for ShortPipe.
template <class Format>
struct HalfStorage {
  using Cell = std::uint16_t;
  template <class D>
  static HWY_INLINE VSingle load(D, const std::uint16_t* x) {
    return Format::widened(hn::LoadU(Halves(), x));
  }
  template <class D>
  static HWY_INLINE VSingle load_first(D d, const std::uint16_t* x, std::size_t count) {
    return load_tail(d, HalfLogits<Format>{x}, count);
  }
  template <std::size_t kVectors, bool kPast, class D, class By>
  static HWY_INLINE void store(D d, const By& times, const float* e, std::uint16_t* y, std::size_t length) {
    const std::size_t lanes = hn::Lanes(d);
    const bool whole = kPast || length == kVectors * lanes;
    const std::size_t pairs = HWY_LIKELY(whole) ? kVectors / 2 : (kVectors - 1) / 2;
    for (std::size_t j = 0; j < 2 * pairs; j += 2) {
      Format::template store<kPast>(times(hn::Load(d, e + j * lanes)), times(hn::Load(d, e + (j + 1) * lanes)),
                                    y + j * lanes);
    }
    for (std::size_t j = 2 * pairs; j < kVectors; ++j) {
      const auto weights = Format::narrowed(times(hn::Load(d, e + j * lanes)));
      store_first(Halves(), weights, y + j * lanes, std::min(length - j * lanes, lanes));
    }
  }
};

// The largest or the least of the halves read as signed integers; length is at least `lanes`.
template <bool kLargest>
HWY_INLINE std::int16_t extreme_integer(const std::uint16_t* x, std::size_t length) {
  const hn::Repartition<std::int16_t, Singles> d;
  const auto* from = reinterpret_cast<const std::int16_t*>(x);
  const std::size_t lanes = hn::Lanes(d);
  const auto better = [](auto a, auto b) HWY_ATTR { return kLargest ? hn::Max(a, b) : hn::Min(a, b); };
  auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + length - lanes), c = a, e = b;
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    a = better(a, hn::LoadU(d, from + i));
    b = better(b, hn::LoadU(d, from + i + lanes));
    c = better(c, hn::LoadU(d, from + i + 2 * lanes));
    e = better(e, hn::LoadU(d, from + i + 3 * lanes));
  }
  for (; i + lanes <= length; i += lanes) a = better(a, hn::LoadU(d, from + i));
  const auto all = better(better(a, b), better(c, e));
  const hn::Half<decltype(d)> half;
  const hn::Rebind<std::int32_t, decltype(half)> wide;
  const auto each = hn::PromoteTo(wide, better(hn::LowerHalf(half, all), hn::UpperHalf(half, all)));
  return static_cast<std::int16_t>(hn::GetLane(kLargest ? hn::MaxOfLanes(wide, each) : hn::MinOfLanes(wide, each)));
}

// Halves are ordered as integers where the sign is plus, the other way round where it is minus. Of a row with NaN any
// value, as row_largest.
template <class Format>
HWY_INLINE float largest_half(const std::uint16_t* x, std::size_t length) {
  std::int16_t largest = extreme_integer<true>(x, length);
  if (HWY_UNLIKELY(largest < 0)) largest = extreme_integer<false>(x, length);
  return hn::GetLane(Format::widened(hn::Set(Halves(), static_cast<std::uint16_t>(largest))));
}

// y = times(e), narrowed, from `from` to `length`.
template <class Format, class By>
HWY_INLINE void multiply_narrow(const float* e, std::uint16_t* y, std::size_t from, std::size_t length,
                                const By& times) {
  const Singles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = from;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    Format::template store<false>(times(hn::LoadU(d, e + i)), times(hn::LoadU(d, e + i + lanes)), y + i);
  }
  for (; i < length; i += lanes) {
    const std::size_t count = std::min(lanes, length - i);
    const auto v = count == lanes ? hn::LoadU(d, e + i) : load_tail(d, e + i, count);
    store_first(Halves(), Format::narrowed(times(v)), y + i, count);
  }
}

// Stores the weights of one row, piece by piece, while the exponentials of the next one are computed and the one after
// is fetched: as Drain of softmax_rows-inl.h, narrowing.
template <class Format, bool kPastCaches, class By>
class HalfDrain {
 public:
  HWY_INLINE HalfDrain(const float* e, std::uint16_t* y, const By& times, const std::uint16_t* next, std::size_t length)
      : times_(times), e_(e), y_(y), next_(next), length_(length) {
    if (!kPastCaches) return;
    done_ = std::min(halves_before_alignment(y), length);
    multiply_narrow<Format>(e_, y_, 0, done_, times_);
  }
  HWY_INLINE void operator()(std::size_t i) {
    const Singles d;
    const std::size_t lanes = hn::Lanes(d), from = done_;
    if (kPastCaches) {
      for (std::size_t j = i; j < i + 4 * lanes; j += kLine / sizeof *next_) hwy::Prefetch(next_ + j);
    }
    if (from + 4 * lanes > length_) return;
    const float* const e = e_ + from;  // what is stored below might alias the members
    std::uint16_t* const y = y_ + from;
    const By times = times_;
    for (std::size_t j = 0; j < 4 * lanes; j += 2 * lanes) {
      Format::template store<kPastCaches>(times(hn::LoadU(d, e + j)), times(hn::LoadU(d, e + j + lanes)), y + j);
    }
    done_ = from + 4 * lanes;
  }
  HWY_INLINE void finish() { multiply_narrow<Format>(e_, y_, done_, length_, times_); }

 private:
  By times_;
  const float* e_;
  std::uint16_t* y_;
  const std::uint16_t* next_;
  std::size_t length_, done_ = 0;
};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
