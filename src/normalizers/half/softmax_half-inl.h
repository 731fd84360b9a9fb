// Rows of softmax read and written in a half format, without a widened copy: the largest half by integers; exponentials
// of the widened halves and their sum, step by step those of the f32 kernel (softmax_pass-inl.h), so that a weight is
// the f32 kernel's, rounded; times the reciprocal, narrowed while the next row's exponentials are computed.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_HALF_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_short-inl.h"
#include "src/normalizers/half/half_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

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

// Four vectors of weights: times(e), narrowed. bf16 rounds by adding half a unit wherever no weight lies in the middle
// between two halves, where the even one is nearer; of 65536 words one does.
template <class Format, bool kPastCaches, class By>
HWY_INLINE void store_four(const float* e, std::uint16_t* y, const By& times) {
  const Singles d;
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (std::is_same_v<Format, Bf16>) {
    const Words u;
    const hn::Repartition<std::uint16_t, Singles> pairs;
    hn::Vec<Words> w[4];
    for (std::size_t k = 0; k < 4; ++k) {
      w[k] = hn::Add(hn::BitCast(u, times(hn::LoadU(d, e + k * lanes))), hn::Set(u, 0x8000));
    }
    const auto least = hn::Min(hn::Min(hn::BitCast(pairs, w[0]), hn::BitCast(pairs, w[1])),
                               hn::Min(hn::BitCast(pairs, w[2]), hn::BitCast(pairs, w[3])));
    // A lower half of the middle is 0 now, and an upper one of what is below 2^-133 may be.
    if (HWY_LIKELY(hn::AllFalse(pairs, hn::Eq(least, hn::Zero(pairs))))) {
      Format::template store_upper<kPastCaches>(w[0], w[1], y);
      Format::template store_upper<kPastCaches>(w[2], w[3], y + 2 * lanes);
      return;
    }
  }
  for (std::size_t j = 0; j < 4 * lanes; j += 2 * lanes) {
    Format::template store<kPastCaches>(times(hn::LoadU(d, e + j)), times(hn::LoadU(d, e + j + lanes)), y + j);
  }
}

// y = times(e), narrowed, from `from` to `length`.
template <class Format, class By>
HWY_INLINE void multiply_narrow(const float* e, std::uint16_t* y, std::size_t from, std::size_t length,
                                const By& times) {
  const Singles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = from;
  for (; i + 4 * lanes <= length; i += 4 * lanes) store_four<Format, false>(e + i, y + i, times);
  for (; i < length; i += lanes) {
    const std::size_t count = std::min(lanes, length - i);
    const auto v = count == lanes ? hn::LoadU(d, e + i) : load_tail(d, e + i, count);
    store_first(Halves(), Format::narrowed(times(v)), y + i, count);
  }
}

// The whole row.
template <class Format, class By>
HWY_INLINE void multiply_narrow_all(const float* e, std::uint16_t* y, std::size_t length, const By& times,
                                    bool past_caches) {
  if (!past_caches) return multiply_narrow<Format>(e, y, 0, length, times);
  const std::size_t lanes = hn::Lanes(Singles());
  std::size_t i = std::min(halves_before_alignment(y), length);
  multiply_narrow<Format>(e, y, 0, i, times);
  for (; i + 4 * lanes <= length; i += 4 * lanes) store_four<Format, true>(e + i, y + i, times);
  multiply_narrow<Format>(e, y, i, length, times);
}

// Short rows of halves, for ShortPipe.
template <class Format>
struct HalfStorage {
  using Cell = std::uint16_t;
  static constexpr bool kOwnScales = false;
  template <class D>
  static HWY_INLINE VSingle load(D, const std::uint16_t* x) {
    return Format::load(x);
  }
  template <class D>
  static HWY_INLINE VSingle load_first(D d, const std::uint16_t* x, std::size_t count) {
    return load_tail(d, HalfLogits<Format>{x}, count);
  }
  template <std::size_t kVectors, bool kPast, class D, class By>
  static HWY_INLINE void store(D d, const By& times, const float* e, std::uint16_t* y, std::size_t length) {
    const std::size_t lanes = hn::Lanes(d);
    if (kVectors == 4 && HWY_LIKELY(kPast || length == 4 * lanes)) return store_four<Format, kPast>(e, y, times);
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

// Stores the weights of one row, piece by piece, while the exponentials of the next one are computed and the one after
// is fetched: as Drain of softmax_drain-inl.h, narrowing.
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
    const std::size_t lanes = hn::Lanes(Singles()), from = done_;
    if (kPastCaches) {
      for (std::size_t j = i; j < i + 4 * lanes; j += kLine / sizeof *next_) hwy::Prefetch(next_ + j);
    }
    if (from + 4 * lanes > length_) return;
    const By times = times_;  // what is stored below might alias the members
    store_four<Format, kPastCaches>(e_ + from, y_ + from, times);
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

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
