// Rows of at most four vectors, sixteen at a time: the reductions of four rows share one transposition, and none waits for
// another's. A row gets the same bits in any company. A Storage says how logits and weights lie in memory: f32 here, the
// half formats in softmax_half-inl.h; the arithmetic between is one.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "src/normalizers/softmax_pass-inl.h"
#include "src/normalizers/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Four rows' largest logits: largest of all lanes of a, of b, of c, of e, in lanes 0 to 3.
template <class D>
HWY_INLINE hn::Vec<D> four_largest(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto ab = hn::BitCast(pairs, hn::Max(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  const auto ce = hn::BitCast(pairs, hn::Max(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e)));
  auto all =
      hn::Max(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)));
  if (sizeof(hn::Vec<D>) >= 32) all = hn::Max(all, hn::ReverseBlocks(d, all));
  if (sizeof(hn::Vec<D>) == 64) all = hn::Max(all, hn::ConcatLowerUpper(d, all, all));
  return all;
}

HWY_INLINE hn::Vec<hn::Full128<float>> first_four(hn::Vec<hn::ScalableTag<float>> v) {
#if HWY_TARGET == HWY_AVX3
  const hn::Half<hn::ScalableTag<float>> half;
  return hn::LowerHalf(hn::Half<decltype(half)>(), hn::LowerHalf(half, v));
#elif HWY_TARGET == HWY_AVX2
  return hn::LowerHalf(hn::Half<hn::ScalableTag<float>>(), v);
#else
  return v;
#endif
}

// The sum of all lanes in double: two roundings of f32 lie behind v (a sum of four), none is added here.
template <class D>
HWY_INLINE auto promoted_halves(D, hn::Vec<D> v) {
  const hn::Half<D> half;
  const hn::Rebind<double, decltype(half)> wide;
  return hn::Add(hn::PromoteTo(wide, hn::LowerHalf(half, v)), hn::PromoteTo(wide, hn::UpperHalf(half, v)));
}

// The sums of all lanes of v[0] to v[3]: AVX3 has them in lanes 0, 1, 4 and 5, and again two lanes on; AVX2 in lanes 0 to 3;
// the others, of v[0] and v[1] and of v[2] and v[3].
template <class W>
HWY_INLINE hn::Vec<W> pair_sums(W w, hn::Vec<W> a, hn::Vec<W> b) {
  return hn::Add(hn::InterleaveLower(w, a, b), hn::InterleaveUpper(w, a, b));
}
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
template <class W>
HWY_INLINE hn::Vec<W> four_sums(W w, const hn::Vec<W>* v) {
  const auto ab = pair_sums(w, v[0], v[1]), ce = pair_sums(w, v[2], v[3]);
  const auto sums = hn::Add(hn::ConcatLowerLower(w, ce, ab), hn::ConcatUpperUpper(w, ce, ab));
#if HWY_TARGET == HWY_AVX3
  return hn::Add(sums, hn::SwapAdjacentBlocks(sums));
#else
  return sums;
#endif
}
#endif

// Where the reciprocal of row r stands.
HWY_INLINE std::size_t short_place(std::size_t r) {
  return HWY_TARGET == HWY_AVX3 ? (r & ~std::size_t{6}) | (r & 2) << 1 | (r & 4) >> 1 : r;  // 0 1 4 5 2 3 6 7
}

template <class W>
HWY_INLINE void store_reciprocals(W w, hn::Vec<W> sums, float* head, float* tail) {
  const hn::Rebind<float, W> narrow;
  const auto inverse = hn::Div(hn::Set(w, 1.0), sums);
  const auto rounded = hn::DemoteTo(narrow, inverse);
  hn::StoreU(rounded, narrow, head);
  hn::StoreU(hn::DemoteTo(narrow, hn::Sub(inverse, hn::PromoteTo(w, rounded))), narrow, tail);
}

// 1 / (sum of all lanes of v[r]) of eight rows, as head and tail at short_place(r).
template <class W>
HWY_INLINE void eight_reciprocals(W w, const hn::Vec<W>* v, float* head, float* tail) {
#if HWY_TARGET == HWY_AVX3
  store_reciprocals(w, hn::OddEvenBlocks(four_sums(w, v + 4), four_sums(w, v)), head, tail);
#elif HWY_TARGET == HWY_AVX2
  for (std::size_t r = 0; r < 8; r += 4) store_reciprocals(w, four_sums(w, v + r), head + r, tail + r);
#else
  for (std::size_t r = 0; r < 8; r += 2) store_reciprocals(w, pair_sums(w, v[r], v[r + 1]), head + r, tail + r);
#endif
}

constexpr std::size_t kShortRows = 16;  // a multiple of 8; each step for all of them: none waits for its reductions

// Rows of f32: Cell, and how vectors of it are read and the weights of a row written.
struct SingleStorage {
  using Cell = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const float* x) {
    return hn::LoadU(d, x);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> load_first(D d, const float* x, std::size_t count) {
    return load_tail(d, x, count);
  }
  // y = times(e) for a row of kVectors vectors, the last of which may be beyond its end. kPast: past the caches.
  template <std::size_t kVectors, bool kPast, class D, class By>
  static HWY_INLINE void store(D d, const By& times, const float* e, float* y, std::size_t length) {
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t j = 0; j < kVectors; ++j) {
      const auto weights = times(hn::Load(d, e + j * lanes));
      if (kPast) {
        hn::Stream(weights, d, y + j * lanes);
      } else if (HWY_LIKELY(j + 1 < kVectors || (j + 1) * lanes == length)) {
        hn::StoreU(weights, d, y + j * lanes);
      } else {
        store_tail(d, weights, y + j * lanes, std::min(length - j * lanes, lanes));
      }
    }
  }
};

template <class Storage>
struct ShortRowsOf {
  const typename Storage::Cell* x[kShortRows];
  typename Storage::Cell* y[kShortRows];
  std::size_t count;  // a multiple of 8
  std::size_t length;
  const typename Storage::Cell* ahead;  // a row to be fetched beside each, or null
  std::size_t ahead_stride;
  bool all_present;  // rows with a logit of -inf do not fit
};
using ShortRows = ShortRowsOf<SingleStorage>;

// A block whose exponentials wait for their product.
template <class Storage>
struct ShortPending {
  HWY_ALIGN float e[kShortRows * HWY_MAX_BYTES];  // four vectors a row
  HWY_ALIGN float head[kShortRows], tail[kShortRows];
  typename Storage::Cell* y[kShortRows];
  std::size_t count = 0;
  bool some_deep = false;
};

template <std::size_t kVectors, class Storage, class D>
HWY_INLINE hn::Vec<D> short_load(D d, const typename Storage::Cell* x, std::size_t j, std::size_t length) {
  const std::size_t lanes = hn::Lanes(d), i = j * lanes;
  if (HWY_LIKELY(j + 1 < kVectors || i + lanes == length)) return Storage::load(d, x + i);
  return Storage::load_first(d, x + i, std::min(length - i, lanes));  // the least is for the compiler's eyes
}

// The sum of the vectors of one row, two roundings at most.
template <std::size_t kVectors, class D>
HWY_INLINE hn::Vec<D> short_sum(const hn::Vec<D>* e) {
  if constexpr (kVectors == 1) return e[0];
  if constexpr (kVectors == 2) return hn::Add(e[0], e[1]);
  if constexpr (kVectors == 3) return hn::Add(hn::Add(e[0], e[1]), e[2]);
  if constexpr (kVectors == 4) return hn::Add(hn::Add(e[0], e[1]), hn::Add(e[2], e[3]));
}

// Lane by lane the largest of a row.
template <std::size_t kVectors, class Storage, class D>
HWY_INLINE hn::Vec<D> short_largest(D d, const typename Storage::Cell* x, std::size_t length) {
  auto largest = short_load<kVectors, Storage>(d, x, 0, length);
  for (std::size_t j = 1; j < kVectors; ++j) largest = hn::Max(largest, short_load<kVectors, Storage>(d, x, j, length));
  return largest;
}

// What the exponentials of a row need, and its reciprocal.
struct ShortShifts {
  HWY_ALIGN float largest[kShortRows], magic[kShortRows], floor[kShortRows];
  HWY_ALIGN float zero[kShortRows];  // exp(0)
  bool fit;                          // no row must subtract
};

template <std::size_t kVectors, bool kUnit, bool kZero, class D, class Storage>
HWY_INLINE void short_shifts(D d, const Scale<float>& scale, const ShortRowsOf<Storage>& rows, ShortShifts& shifts) {
  using Limits = FormatLimits<float>;
  const float unit = kUnit ? 1.0f : scale.near_temperature;
  const auto reach = hn::Set(d, static_cast<float>(Limits::reach) * unit);
  const auto depth = hn::Set(d, static_cast<float>(Limits::depth) * unit);
  const auto round_bit = hn::Set(d, 0x1.8p23f), rate = hn::Set(d, kUnit ? scale.rate : scale.near_rate);
  const auto base = hn::Set(d, 0x1.8p23f + static_cast<float>(Limits::largest + Limits::headroom));
  const hn::Full128<float> four;
  auto fit = hn::Eq(base, base);
  for (std::size_t r = 0; r < rows.count; r += 4) {
    hn::Vec<D> each[4];
    for (std::size_t k = 0; k < 4; ++k) each[k] = short_largest<kVectors, Storage>(d, rows.x[r + k], rows.length);
    auto largest = four_largest(d, each[0], each[1], each[2], each[3]);
    fit = hn::And(fit, hn::Le(hn::Abs(largest), reach));
    hn::Store(first_four(largest), four, shifts.largest + r);
    if (kZero) largest = hn::Max(largest, hn::Zero(d));
    const auto n = hn::Sub(hn::MulAdd(largest, rate, round_bit), round_bit);
    const auto magic = hn::Sub(base, n), floor = hn::Sub(largest, depth);
    hn::Store(first_four(magic), four, shifts.magic + r);
    hn::Store(first_four(floor), four, shifts.floor + r);
    if (kZero) {  // below the floor its weight is less than 2^-180
      const hn::RebindToUnsigned<D> bits;
      const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, magic)));
      hn::Store(first_four(hn::IfThenElseZero(hn::Le(floor, hn::Zero(d)), power)), four, shifts.zero + r);
    }
  }
  shifts.fit = hn::AllTrue(d, fit);
}

template <std::size_t kVectors, class D>
HWY_INLINE void see_row(Shallow<D>& shallow, const hn::Vec<D> (&e)[kVectors], std::size_t in_last) {
  for (std::size_t j = 0; j + 1 < kVectors; ++j) shallow.see(e[j]);
  shallow.see(e[kVectors - 1], in_last);
}

template <std::size_t kVectors, class D>
HWY_INLINE bool short_deep(D d, const float* e, std::size_t in_last) {
  Shallow<D> shallow(d);
  hn::Vec<D> v[kVectors];
  for (std::size_t j = 0; j < kVectors; ++j) v[j] = hn::Load(d, e + j * hn::Lanes(d));
  see_row<kVectors>(shallow, v, in_last);
  return shallow.deep();
}

// Whether a logit is -inf. A least one would not tell beside a NaN.
template <class Storage = SingleStorage, class D>
HWY_INLINE bool some_absent(D d, const typename Storage::Cell* x, std::size_t length) {
  const auto absent = hn::Set(d, -std::numeric_limits<float>::infinity());
  const std::size_t lanes = hn::Lanes(d);
  auto found = hn::FirstN(d, 0);
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes) found = hn::Or(found, hn::Eq(Storage::load(d, x + i), absent));
  if (i < length)
    found =
        hn::Or(found, hn::And(hn::FirstN(d, length - i), hn::Eq(Storage::load_first(d, x + i, length - i), absent)));
  return !hn::AllFalse(d, found);
}

// Rows of kVectors vectors in blocks. kPast: past the caches, rows are aligned and whole vectors long; while the exponentials
// of one block are computed, the weights of the block before are stored and one to come is fetched, row by row.
template <class D, std::size_t kVectors, bool kUnit, bool kZero, bool kPast, class Storage>
class ShortPipe {
  using Cell = typename Storage::Cell;
  using Pending = ShortPending<Storage>;
  using Wide = hn::Rebind<double, hn::Half<D>>;

 public:
  HWY_INLINE ShortPipe(const Scale<float>& scale, std::size_t length) : scale_(scale), length_(length) {}

  // False, and nothing of these rows done, unless no row must subtract (nor has -inf, where all are to be present).
  HWY_NOINLINE bool take(const ShortRowsOf<Storage>& rows, ShortShifts& shifts) {
    const D d;
    const Scale<float> scale = scale_;  // a copy, which no store of floats can change: it stays in registers
    short_shifts<kVectors, kUnit, kZero>(d, scale, rows, shifts);
    if (HWY_UNLIKELY(!shifts.fit)) return false;
    Pending& now = blocks_[which_];
    const Pending& before = blocks_[1 - which_];
    HWY_ALIGN double sums[kShortRows * HWY_MAX_BYTES / sizeof(double)];
    Shallow<D> shallow(d);
    for (std::size_t r = 0; r < rows.count; ++r) {
      if (kPast && rows.ahead != nullptr) fetch(rows.ahead + r * rows.ahead_stride);
      const auto sum = exponentiate(scale, shifts, rows.x[r], r, now.e, shallow);
      hn::Store(sum, Wide(), sums + r * hn::Lanes(Wide()));
      if (kPast && r < before.count) store(before, r);
    }
    for (std::size_t r = rows.count; kPast && r < before.count; ++r) store(before, r);
    now.some_deep = shallow.deep();
    if (HWY_UNLIKELY(now.some_deep) && rows.all_present) {  // -inf lies at the floor, which is deep
      bool absent = false;
      for (std::size_t r = 0; r < rows.count; ++r) absent |= some_absent<Storage>(d, rows.x[r], length_);
      if (absent) {
        blocks_[1 - which_].count = 0;  // stored
        return false;
      }
    }
    reciprocals(sums, rows.count, now);
    std::copy_n(rows.y, kShortRows, now.y);
    now.count = rows.count;
    if (kPast) {
      which_ = 1 - which_;
    } else {
      for (std::size_t r = 0; r < now.count; ++r) store(now, r);
    }
    return true;
  }

  HWY_INLINE void finish() {
    Pending& before = blocks_[1 - which_];
    for (std::size_t r = 0; kPast && r < before.count; ++r) store(before, r);
    before.count = 0;
  }

 private:
  HWY_INLINE void fetch(const Cell* next) const {
    for (std::size_t j = 0; j < length_; j += kLine / sizeof(Cell)) hwy::Prefetch(next + j);
  }

  // Those of row r, to its place in e; their sum in lanes of double.
  HWY_INLINE hn::Vec<Wide> exponentiate(const Scale<float>& scale, const ShortShifts& shifts, const Cell* x,
                                        std::size_t r, float* e, Shallow<D>& shallow) const {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    RowShift<float> shift{};
    shift.magic = shifts.magic[r];
    shift.floor = shift.near_floor = shifts.floor[r];
    const RowExp<D, kUnit, !kUnit> exp(d, scale, shift);
    hn::Vec<D> v[kVectors];
    for (std::size_t j = 0; j < kVectors; ++j) v[j] = short_load<kVectors, Storage>(d, x, j, length_);
    exp.all(v);
    for (std::size_t j = 0; j < kVectors; ++j) hn::Store(v[j], d, e + (r * kVectors + j) * lanes);
    see_row<kVectors>(shallow, v, length_ - (kVectors - 1) * lanes);
    auto sum = promoted_halves(d, short_sum<kVectors, D>(v));
    if (kZero) sum = hn::Add(sum, first_lane(Wide(), static_cast<double>(shifts.zero[r])));
    return sum;
  }

  static HWY_INLINE void reciprocals(const double* sums, std::size_t count, Pending& now) {
    const Wide wide;
    for (std::size_t g = 0; g < count; g += 8) {
      hn::Vec<Wide> eight[8];
      for (std::size_t r = 0; r < 8; ++r) eight[r] = hn::Load(wide, sums + (g + r) * hn::Lanes(wide));
      eight_reciprocals(wide, eight, now.head + g, now.tail + g);
    }
  }

  template <class W>
  static HWY_INLINE hn::Vec<W> first_lane(W w, double value) {
    return hn::IfThenElseZero(hn::FirstN(w, 1), hn::Set(w, value));
  }

  HWY_INLINE void store(const Pending& block, std::size_t r) const {
    const D d;
    const std::size_t lanes = hn::Lanes(d), place = short_place(r);
    const float* e = block.e + r * kVectors * lanes;
    const bool deep = HWY_UNLIKELY(block.some_deep) && short_deep<kVectors>(d, e, length_ - (kVectors - 1) * lanes);
    with_times(d, {block.head[place], block.tail[place]}, deep, [&](const auto& times) HWY_ATTR {
      Storage::template store<kVectors, kPast>(d, times, e, block.y[r], length_);
    });
  }

  const Scale<float>& scale_;
  std::size_t length_;
  Pending blocks_[2];
  std::size_t which_ = 0;
};

// with(pipe) for the pipe that serves rows of this length.
template <bool kZero, bool kPast, class Storage = SingleStorage, class D, class With>
HWY_INLINE void with_short_pipe(D, const Scale<float>& scale, std::size_t length, const With& with) {
  const auto of = [&](auto vectors) HWY_ATTR {
    if (scale.unit) {
      ShortPipe<D, vectors(), true, kZero, kPast, Storage> pipe(scale, length);
      return with(pipe);
    }
    ShortPipe<D, vectors(), false, kZero, kPast, Storage> pipe(scale, length);
    with(pipe);
  };
  switch ((length + hn::Lanes(D()) - 1) / hn::Lanes(D())) {
    case 1:
      return of(std::integral_constant<std::size_t, 1>());
    case 2:
      return of(std::integral_constant<std::size_t, 2>());
    case 3:
      return of(std::integral_constant<std::size_t, 3>());
    default:
      return of(std::integral_constant<std::size_t, 4>());
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
