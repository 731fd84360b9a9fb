// The body of ShortPipe (softmax_short-inl.h), for the units that instantiate it: one for each Storage. What is decided
// once a block or a batch (temperatures, a logit 0 beside the row, stores past the caches) is a branch; only the loops
// over the exponentials of a block are compiled for each of these.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_BODY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_BODY_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_BODY_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_BODY_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/exponential/short_sums-inl.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_short-inl.h"
#include "src/normalizers/exponential/softmax_short_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Whether a logit is -inf. The least logit would not tell beside a NaN.
template <class D, class Storage>
HWY_NOINLINE bool some_absent(D d, const ShortRowsOf<Storage>& rows) {
  const auto absent = hn::Set(d, -std::numeric_limits<float>::infinity());
  const std::size_t lanes = hn::Lanes(d);
  auto found = hn::FirstN(d, 0);
  for (std::size_t r = 0; r < rows.count; ++r) {
    for (std::size_t i = 0; i < rows.length; i += lanes) {
      const std::size_t count = std::min(lanes, rows.length - i);
      const auto v = count == lanes ? Storage::load(d, rows.x[r] + i) : Storage::load_first(d, rows.x[r] + i, count);
      found = hn::Or(found, hn::And(hn::Eq(v, absent), hn::FirstN(d, count)));
    }
  }
  return !hn::AllFalse(d, found);
}

// The exponentials of row r to its place in e; their sum in lanes of double. kSubtract: a logit is out of reach.
template <std::size_t kVectors, bool kUnit, bool kSubtract, class Storage, class D>
HWY_INLINE auto exponentiate(D d, const Scale<float>& scale, const ShortShifts& shifts, const typename Storage::Cell* x,
                             std::size_t length, std::size_t r, float* e, Shallow<D>& shallow) {
  const std::size_t lanes = hn::Lanes(d);
  RowShift<float> shift{};
  shift.magic = shifts.magic[r];
  shift.floor = shift.near_floor = shifts.floor[r];
  const RowExp<D, exp_form(kUnit)> exp(d, scale, shift);
  hn::Vec<D> v[kVectors];
  for (std::size_t j = 0; j < kVectors; ++j) v[j] = short_load<kVectors, Storage>(d, x, j, length);
  for (std::size_t j = 0; kSubtract && j < kVectors; ++j) v[j] = hn::Sub(v[j], hn::Set(d, shifts.subtract[r]));
  exp.all(v);
  for (std::size_t j = 0; j < kVectors; ++j) hn::Store(v[j], d, e + (r * kVectors + j) * lanes);
  for (std::size_t j = 0; j < kVectors; ++j) shallow.see(v[j]);
  return promoted_halves(d, short_sum<kVectors, D>(v));
}

template <class Storage>
ShortPipe<Storage>::ShortPipe(const Scale<float>& scale, std::size_t length, ShortKind kind)
    : scale_(scale),
      length_(length),
      vectors_((length + hn::Lanes(D()) - 1) / hn::Lanes(D())),
      kind_(kind),
      form_(kind.own ? Form::own : (scale.unit ? Form::unit : Form::shared)) {}

template <class Storage>
bool ShortPipe<Storage>::take(const ShortRowsOf<Storage>& rows, ShortShifts& shifts) {
  switch (vectors_) {
    case 1:
      return take_of<1>(rows, shifts);
    case 2:
      return take_of<2>(rows, shifts);
    case 3:
      return take_of<3>(rows, shifts);
    default:
      return take_of<4>(rows, shifts);
  }
}

template <class Storage>
void ShortPipe<Storage>::finish() {
  switch (vectors_) {
    case 1:
      return store_before<1>();
    case 2:
      return store_before<2>();
    case 3:
      return store_before<3>();
    default:
      return store_before<4>();
  }
}

template <class Storage>
template <std::size_t kVectors>
HWY_NOINLINE void ShortPipe<Storage>::store_before() {
  Pending& before = blocks_[1 - which_];
  for (std::size_t r = 0; r < before.count; ++r) store<kVectors, true>(before, r);
  before.count = 0;
}

template <class Storage>
template <std::size_t kVectors>
HWY_NOINLINE bool ShortPipe<Storage>::take_of(const ShortRowsOf<Storage>& rows, ShortShifts& shifts) {
  const D d;
  short_shifts<kVectors>(d, scale_, kind_, rows, shifts);
  if (HWY_UNLIKELY(!shifts.fit)) return false;
  Pending& now = blocks_[which_];
  HWY_ALIGN double sums[kShortRows * HWY_MAX_BYTES / sizeof(double)];
  const bool some_deep = HWY_LIKELY(shifts.near) ? all_exponentials<kVectors>(rows, shifts, now.e, sums)
                                                 : subtracted<kVectors>(rows, shifts, now.e, sums);
  // Where all are to be present, 0 is deep.
  if (HWY_UNLIKELY(some_deep) && rows.all_present && some_absent(d, rows)) {
    blocks_[1 - which_].count = 0;  // stored
    return false;
  }
  const bool some_nan = reciprocals(sums, shifts, rows.count, now.inverses);
  now.some_rare = some_deep || some_nan;
  std::copy_n(rows.y, kShortRows, now.y);
  now.count = rows.count;
  if (kind_.past) {
    which_ = 1 - which_;
  } else {
    for (std::size_t r = 0; r < now.count; ++r) store<kVectors, false>(now, r);
  }
  return true;
}

template <class Storage>
template <std::size_t kVectors>
HWY_INLINE bool ShortPipe<Storage>::all_exponentials(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts,
                                                     float* e, double* sums) {
  if (form_ == Form::unit) {
    return kind_.past ? exponentials<kVectors, Form::unit, true>(rows, shifts, e, sums)
                      : exponentials<kVectors, Form::unit, false>(rows, shifts, e, sums);
  }
  if constexpr (Storage::kOwnScales) {
    if (form_ == Form::own) {
      return kind_.past ? exponentials<kVectors, Form::own, true>(rows, shifts, e, sums)
                        : exponentials<kVectors, Form::own, false>(rows, shifts, e, sums);
    }
  }
  return kind_.past ? exponentials<kVectors, Form::shared, true>(rows, shifts, e, sums)
                    : exponentials<kVectors, Form::shared, false>(rows, shifts, e, sums);
}

// The exponentials of all rows, and the sum of each in lanes of double; whether one is deep. The block before is stored
// beside.
template <class Storage>
template <std::size_t kVectors, typename ShortPipe<Storage>::Form kForm, bool kPast>
HWY_INLINE bool ShortPipe<Storage>::exponentials(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts, float* e,
                                                 double* sums) {
  const D d;
  const Pending& before = blocks_[1 - which_];
  const Scale<float> scale = scale_;  // a copy, which no store of floats can change: it stays in registers
  Shallow<D> shallow(d, rows.all_present);
  for (std::size_t r = 0; r < rows.count; ++r) {
    if (kPast && rows.ahead != nullptr) {
      const Cell* const next = rows.ahead + r * rows.ahead_stride;
      for (std::size_t j = 0; j < length_; j += kLine / sizeof(Cell)) hwy::Prefetch(next + j);
    }
    const auto sum = exponentiate<kVectors, kForm == Form::unit, false, Storage>(
        d, kForm == Form::own ? *rows.scales[r] : scale, shifts, rows.x[r], length_, r, e, shallow);
    hn::Store(sum, Wide(), sums + r * hn::Lanes(Wide()));
    if (kPast && r < before.count) store<kVectors, true>(before, r);
  }
  for (std::size_t r = rows.count; kPast && r < before.count; ++r) store<kVectors, true>(before, r);
  return shallow.deep();
}

// As `exponentials`, of rows whose largest logits the exponent does not reach.
template <class Storage>
template <std::size_t kVectors>
HWY_NOINLINE bool ShortPipe<Storage>::subtracted(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts, float* e,
                                                 double* sums) {
  const D d;
  store_before<kVectors>();
  Shallow<D> shallow(d, rows.all_present);
  for (std::size_t r = 0; r < rows.count; ++r) {
    const Scale<float>& scale = kind_.own ? *rows.scales[r] : scale_;
    const auto sum = exponentiate<kVectors, false, true, Storage>(d, scale, shifts, rows.x[r], length_, r, e, shallow);
    hn::Store(sum, Wide(), sums + r * hn::Lanes(Wide()));
  }
  return shallow.deep();
}

// Eight rows at a time: the last sum stands in for what is missing of them. Whether one is NaN.
template <class Storage>
HWY_NOINLINE bool ShortPipe<Storage>::reciprocals(double* sums, const ShortShifts& shifts, std::size_t count,
                                                  float* inverses) const {
  const Wide wide;
  const hn::Full128<float> four;
  auto numbers = hn::FirstN(four, 4);
  const std::size_t lanes = hn::Lanes(wide);
  for (std::size_t r = count; r % 8 != 0; ++r) std::copy_n(sums + (r - 1) * lanes, lanes, sums + r * lanes);
  for (std::size_t g = 0; g < count; g += 8) {
    hn::Vec<Wide> eight[8];
    for (std::size_t r = 0; r < 8; ++r) eight[r] = hn::Load(wide, sums + (g + r) * lanes);
    if (kind_.zero) {
      const auto first = hn::FirstN(wide, 1);
      for (std::size_t r = 0; r < 8; ++r) {
        const double zero = static_cast<double>(shifts.zero[std::min(g + r, count - 1)]);
        eight[r] = hn::Add(eight[r], hn::IfThenElseZero(first, hn::Set(wide, zero)));
      }
    }
    eight_reciprocals(wide, eight, inverses + g);
    for (std::size_t r = g; r < g + 8; r += 4) {
      const auto v = hn::Load(four, inverses + r);
      numbers = hn::And(numbers, hn::Eq(v, v));
    }
  }
  return !hn::AllTrue(four, numbers);
}

// NaN for all.
template <class D>
struct Undefined {
  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D>) const { return hn::Set(D(), std::numeric_limits<float>::quiet_NaN()); }
};

template <class Storage>
template <std::size_t kVectors, bool kPast>
HWY_INLINE void ShortPipe<Storage>::store(const Pending& block, std::size_t r) const {
  if (HWY_UNLIKELY(block.some_rare)) return store_rare<kVectors, kPast>(block, r);
  const D d;
  const std::size_t place = short_place(r);
  const Times<D> times(d, {block.inverses[place]});
  Storage::template store<kVectors, kPast>(d, times, block.e + r * kVectors * hn::Lanes(d), block.y[r], length_);
}

// Weights that are normal come out as Times has them, so that bits do not depend on the rows that share a block. Nor do
// they of a row of NaN, where a product would keep one of two: which one is the compiler's choice.
template <class Storage>
template <std::size_t kVectors, bool kPast>
HWY_INLINE void ShortPipe<Storage>::store_rare(const Pending& block, std::size_t r) const {
  const D d;
  const float inverse = block.inverses[short_place(r)];
  const float* const e = block.e + r * kVectors * hn::Lanes(d);
  if (inverse != inverse) {
    Storage::template store<kVectors, kPast>(d, Undefined<D>(), e, block.y[r], length_);
  } else {
    Storage::template store<kVectors, kPast>(d, DeepTimes<D>(d, {inverse}), e, block.y[r], length_);
  }
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
