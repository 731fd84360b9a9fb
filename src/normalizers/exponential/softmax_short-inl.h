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
#include "src/normalizers/exponential/short_sums-inl.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

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

// Largest logits are found four rows at a time.
constexpr std::size_t in_fours(std::size_t count) { return (count + 3) / 4 * 4; }

template <class Storage>
struct ShortRowsOf {
  const typename Storage::Cell* x[kShortRows];  // the last row stands in for what is missing of four; scales likewise
  typename Storage::Cell* y[kShortRows];
  std::size_t count;
  std::size_t length;
  const typename Storage::Cell* ahead;  // a row to be fetched beside each, or null
  std::size_t ahead_stride;
  bool all_present;                        // rows with a logit of -inf do not fit
  const Scale<float>* scales[kShortRows];  // each row's own, where the pipe asks for it
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
  HWY_ALIGN float subtract[kShortRows];  // the largest logit where it is out of reach, else 0
  HWY_ALIGN float zero[kShortRows];      // exp(0)
  bool fit;                              // every largest logit is finite
  bool near;                             // no row must subtract
};

// A scale for four rows: one for all, or from row r on that of each.
template <bool kOwn, class D>
HWY_INLINE hn::Vec<D> short_constant(D d, float of_all, const float* of_each, std::size_t r) {
  return kOwn ? hn::LoadDup128(d, of_each + r) : hn::Set(d, of_all);
}

template <std::size_t kVectors, bool kUnit, bool kZero, bool kOwn, class D, class Storage>
HWY_INLINE void short_shifts(D d, const Scale<float>& scale, const ShortRowsOf<Storage>& rows, ShortShifts& shifts) {
  using Limits = FormatLimits<float>;
  HWY_ALIGN float units[kShortRows], rates[kShortRows];
  for (std::size_t r = 0; kOwn && r < in_fours(rows.count); ++r) {
    units[r] = rows.scales[r]->near_temperature;
    rates[r] = rows.scales[r]->near_rate;
  }
  const auto reach = hn::Set(d, static_cast<float>(Limits::reach)),
             depth = hn::Set(d, static_cast<float>(Limits::depth));
  const auto round_bit = hn::Set(d, 0x1.8p23f), zero = hn::Zero(d);
  const auto base = hn::Set(d, 0x1.8p23f + static_cast<float>(Limits::largest + Limits::headroom));
  const hn::Full128<float> four;
  auto fit = hn::Eq(base, base), near = fit;
  for (std::size_t r = 0; r < rows.count; r += 4) {
    const auto unit = short_constant<kOwn>(d, kUnit ? 1.0f : scale.near_temperature, units, r);
    const auto rate = short_constant<kOwn>(d, kUnit ? scale.rate : scale.near_rate, rates, r);
    hn::Vec<D> each[4];
    for (std::size_t k = 0; k < 4; ++k) each[k] = short_largest<kVectors, Storage>(d, rows.x[r + k], rows.length);
    auto largest = four_largest(d, each[0], each[1], each[2], each[3]);
    fit = hn::And(fit, hn::Le(hn::Abs(largest), hn::Set(d, std::numeric_limits<float>::max())));
    hn::Store(first_four(largest), four, shifts.largest + r);
    if (kZero) largest = hn::Max(largest, zero);
    const auto within = hn::Le(hn::Abs(largest), hn::Mul(reach, unit));
    near = hn::And(near, within);
    hn::Store(first_four(hn::IfThenElse(within, zero, largest)), four, shifts.subtract + r);
    const auto peak = hn::IfThenElseZero(within, largest);
    const auto n = hn::Sub(hn::MulAdd(peak, rate, round_bit), round_bit);
    const auto magic = hn::Sub(base, n), floor = hn::Sub(peak, hn::Mul(depth, unit));
    hn::Store(first_four(magic), four, shifts.magic + r);
    hn::Store(first_four(floor), four, shifts.floor + r);
    if (kZero) {  // below the floor its weight is less than 2^-180
      const hn::RebindToUnsigned<D> bits;
      const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, magic)));
      const auto counts = hn::And(within, hn::Le(floor, zero));
      hn::Store(first_four(hn::IfThenElseZero(counts, power)), four, shifts.zero + r);
    }
  }
  shifts.fit = hn::AllTrue(d, fit);
  shifts.near = hn::AllTrue(d, near);
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
template <std::size_t kVectors, class Storage, class D>
HWY_INLINE bool some_absent(D d, const ShortRowsOf<Storage>& rows) {
  const auto absent = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto in_last = hn::FirstN(d, rows.length - (kVectors - 1) * hn::Lanes(d));
  auto found = hn::FirstN(d, 0), found_last = found;
  for (std::size_t r = 0; r < rows.count; ++r) {
    for (std::size_t j = 0; j < kVectors; ++j) {
      const auto is = hn::Eq(short_load<kVectors, Storage>(d, rows.x[r], j, rows.length), absent);
      auto& in = j + 1 < kVectors ? found : found_last;
      in = hn::Or(in, is);
    }
  }
  return !hn::AllFalse(d, hn::Or(found, hn::And(found_last, in_last)));
}

// Rows of kVectors vectors in blocks. kOwn: each has a scale of its own. kPast: past the caches, rows are aligned and whole
// vectors long; while the exponentials of one block are computed, the weights of the block before are stored and one to come is
// fetched, row by row.
template <class D, std::size_t kVectors, bool kUnit, bool kZero, bool kOwn, bool kPast, class Storage>
class ShortPipe {
  using Cell = typename Storage::Cell;
  using Pending = ShortPending<Storage>;
  using Wide = hn::Rebind<double, hn::Half<D>>;

 public:
  HWY_INLINE ShortPipe(const Scale<float>& scale, std::size_t length) : scale_(scale), length_(length) {}

  // False, and nothing of these rows done, unless every largest logit is finite (and none is -inf, where all are to be present).
  HWY_NOINLINE bool take(const ShortRowsOf<Storage>& rows, ShortShifts& shifts) {
    const D d;
    short_shifts<kVectors, kUnit, kZero, kOwn>(d, scale_, rows, shifts);
    if (HWY_UNLIKELY(!shifts.fit)) return false;
    Pending& now = blocks_[which_];
    HWY_ALIGN double sums[kShortRows * HWY_MAX_BYTES / sizeof(double)];
    now.some_deep = HWY_LIKELY(shifts.near) ? exponentials<false>(rows, shifts, now.e, sums)
                                            : exponentials<true>(rows, shifts, now.e, sums);
    // -inf lies at the floor, which is deep.
    if (HWY_UNLIKELY(now.some_deep) && rows.all_present && some_absent<kVectors>(d, rows)) {
      blocks_[1 - which_].count = 0;  // stored
      return false;
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

  // Those of all rows, and the sum of each in lanes of double; whether one is deep. The block before is stored beside.
  template <bool kSubtract>
  HWY_INLINE bool exponentials(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts, float* e, double* sums) {
    const D d;
    const Pending& before = blocks_[1 - which_];
    const Scale<float> scale = scale_;  // a copy, which no store of floats can change: it stays in registers
    Shallow<D> shallow(d);
    for (std::size_t r = 0; r < rows.count; ++r) {
      if (kPast && rows.ahead != nullptr) fetch(rows.ahead + r * rows.ahead_stride);
      const auto sum = exponentiate<kSubtract>(kOwn ? *rows.scales[r] : scale, shifts, rows.x[r], r, e, shallow);
      hn::Store(sum, Wide(), sums + r * hn::Lanes(Wide()));
      if (kPast && r < before.count) store(before, r);
    }
    for (std::size_t r = rows.count; r % 8 != 0; ++r) {
      std::copy_n(sums + (r - 1) * hn::Lanes(Wide()), hn::Lanes(Wide()), sums + r * hn::Lanes(Wide()));
    }
    for (std::size_t r = rows.count; kPast && r < before.count; ++r) store(before, r);
    return shallow.deep();
  }

  // Those of row r, to its place in e; their sum in lanes of double.
  template <bool kSubtract>
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
    for (std::size_t j = 0; kSubtract && j < kVectors; ++j) v[j] = hn::Sub(v[j], hn::Set(d, shifts.subtract[r]));
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
template <bool kZero, bool kPast, bool kOwn, class Storage = SingleStorage, class D, class With>
HWY_INLINE void with_short_pipe(D, const Scale<float>& scale, std::size_t length, const With& with) {
  const auto of = [&](auto vectors) HWY_ATTR {
    if constexpr (!kOwn) {
      if (scale.unit) {
        ShortPipe<D, vectors(), true, kZero, false, kPast, Storage> pipe(scale, length);
        return with(pipe);
      }
    }
    ShortPipe<D, vectors(), false, kZero, kOwn, kPast, Storage> pipe(scale, length);
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
