// The first look at a row of a derivative: what lies in it, and whether all that counts is finite.
#if defined(ATTNCERT_NORMALIZERS_VJP_SURVEY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_SURVEY_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_SURVEY_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_SURVEY_INL_H
#endif

#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_number-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

template <class T>
struct Row {
  const T *logits, *upstream;
  T* gradient;  // may be `logits`
  std::size_t length;
  T largest, smallest;  // of the present logits
  std::size_t present;
  std::size_t number;  // in its batch
};

// Of a part of a row, what survey asks for.
template <class T>
struct Surveyed {
  using D = hn::ScalableTag<T>;
  hn::Vec<D> largest, smallest;
  hn::Vec<D> spoilt;  // NaN where a logit or an upstream that counts is not finite: 0 times it is

  HWY_INLINE Surveyed()
      : largest(hn::Set(D(), -std::numeric_limits<T>::infinity())), smallest(hn::Neg(largest)), spoilt(hn::Zero(D())) {}
  // How many of the logits are present.
  HWY_INLINE std::size_t see(hn::Vec<D> x, hn::Vec<D> g) {
    const D d;
    const auto absent = hn::Eq(x, hn::Set(d, -std::numeric_limits<T>::infinity()));
    const auto zero = hn::Zero(d);
    largest = hn::Max(largest, x);
    smallest = hn::Min(smallest, hn::IfThenElse(absent, hn::Set(d, std::numeric_limits<T>::infinity()), x));
    spoilt = hn::Add(spoilt, hn::IfThenZeroElse(absent, hn::MulAdd(g, zero, hn::Mul(x, zero))));
    return hn::Lanes(d) - hn::CountTrue(d, absent);
  }
  HWY_INLINE void add(const Surveyed& other) {
    largest = hn::Max(largest, other.largest);
    smallest = hn::Min(smallest, other.smallest);
    spoilt = hn::Add(spoilt, other.spoilt);
  }
};

// Numbers of the present logits: finite ones. False: a logit or an upstream that counts is not finite.
template <class T>
HWY_INLINE bool survey(Row<T>& row) {
  const hn::ScalableTag<T> d;
  Surveyed<T> all, other;  // two chains: what is added waits
  const std::size_t lanes = hn::Lanes(d);
  row.present = 0;
  std::size_t i = 0;
  for (; i + 2 * lanes <= row.length; i += 2 * lanes) {
    row.present += all.see(hn::LoadU(d, row.logits + i), hn::LoadU(d, row.upstream + i));
    row.present += other.see(hn::LoadU(d, row.logits + i + lanes), hn::LoadU(d, row.upstream + i + lanes));
  }
  for (; i < row.length; i += lanes) {
    const bool whole = i + lanes <= row.length;
    const auto x = whole ? hn::LoadU(d, row.logits + i) : load_tail(d, row.logits + i, row.length - i);
    const auto g = whole ? hn::LoadU(d, row.upstream + i) : load_tail(d, row.upstream + i, row.length - i);
    row.present += all.see(x, g);
  }
  all.add(other);
  row.largest = largest_lane(d, all.largest);
  row.smallest = -largest_lane(d, hn::Neg(all.smallest));
  return hn::AllTrue(d, hn::Eq(all.spoilt, hn::Zero(d)));
}

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
