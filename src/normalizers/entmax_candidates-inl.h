// One pass over a row with a running bound keeps the few logits that can be in the support of an entmax: those above
// max - c T. A row with NaN may leave anything here: whoever writes the row sees it.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H
#endif

#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
struct Candidates {
  const T* logits;  // all logits above max - reach, perhaps a few below; then a vector of -inf
  std::size_t count;
  T largest;
  bool nan;  // the row holds NaN; not set by every NaN
};

// Below every logit that can be in the support: max - reach, less what double and T round (u = 2^-53 of the difference,
// half an ulp of T), twice over.
template <class T>
HWY_INLINE T candidate_bound(T largest, double reach) {
  constexpr double top = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::denorm_min();
  constexpr double step = 2 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double bound = static_cast<double>(largest) - reach;
  const double lower = bound - (std::abs(bound) * step + 2 * smallest);
  return lower > -top ? static_cast<T>(lower) : -std::numeric_limits<T>::infinity();
}

template <class D, class T = Lane<D>>
class CandidateFilter {
 public:
  using V = hn::Vec<D>;

  HWY_INLINE CandidateFilter(D d, double reach, T* out)
      : reach_(reach), out_(out), bound_(hn::Set(d, -std::numeric_limits<T>::infinity())) {}

  // Nearly always nothing in the vectors exceeds the running bound.
  HWY_INLINE void scan(D d, V v) {
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(v, bound_)))) return;
    raise(d, v);
    keep(d, v);
  }
  HWY_INLINE void scan(D d, V a, V b, V c, V e, V f, V g, V h, V i) {
    const V most = hn::Max(hn::Max(hn::Max(a, b), hn::Max(c, e)), hn::Max(hn::Max(f, g), hn::Max(h, i)));
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(most, bound_)))) return;
    raise(d, most);
    keep(d, a);
    keep(d, b);
    keep(d, c);
    keep(d, e);
    keep(d, f);
    keep(d, g);
    keep(d, h);
    keep(d, i);
  }

  // What the first bounds let through goes now. A candidate above the largest one: NaN hid it.
  HWY_INLINE Candidates<T> result(D d) {
    const std::size_t lanes = hn::Lanes(d);
    const V absent = hn::Set(d, -std::numeric_limits<T>::infinity());
    std::size_t kept = 0;
    auto beyond = hn::Gt(absent, absent);
    for (std::size_t i = 0; i < count_; i += lanes) {
      V v = hn::LoadU(d, out_ + i);
      if (count_ - i < lanes) v = hn::IfThenElse(hn::FirstN(d, count_ - i), v, absent);
      const auto above = hn::Gt(v, bound_);
      beyond = hn::Or(beyond, hn::Gt(v, hn::Set(d, largest_)));
      hn::StoreU(hn::Compress(v, above), d, out_ + kept);
      kept += hn::CountTrue(d, above);
    }
    hn::StoreU(absent, d, out_ + kept);
    return {out_, kept, largest_, !hn::AllFalse(d, beyond)};
  }

 private:
  HWY_INLINE void raise(D d, V most) {
    const T peak = largest_lane(d, most);
    if (!(peak > largest_)) return;
    largest_ = peak;
    bound_ = hn::Set(d, candidate_bound(peak, reach_));
  }
  HWY_INLINE void keep(D d, V v) {
    const auto above = hn::Gt(v, bound_);
    hn::StoreU(hn::Compress(v, above), d, out_ + count_);
    count_ += hn::CountTrue(d, above);
  }

  double reach_;
  T* out_;
  V bound_;
  std::size_t count_ = 0;
  T largest_ = -std::numeric_limits<T>::infinity();
};

// `out` has room for length and two vectors more.
template <class D, class T = Lane<D>>
HWY_INLINE Candidates<T> find_candidates(D d, const T* x, std::size_t length, double reach, T* out) {
  const std::size_t lanes = hn::Lanes(d);
  CandidateFilter<D> filter(d, reach, out);
  std::size_t i = 0;
  for (; i + 8 * lanes <= length; i += 8 * lanes) {
    const T* p = x + i;
    filter.scan(d, hn::LoadU(d, p), hn::LoadU(d, p + lanes), hn::LoadU(d, p + 2 * lanes), hn::LoadU(d, p + 3 * lanes),
                hn::LoadU(d, p + 4 * lanes), hn::LoadU(d, p + 5 * lanes), hn::LoadU(d, p + 6 * lanes),
                hn::LoadU(d, p + 7 * lanes));
  }
  for (; i + lanes <= length; i += lanes) filter.scan(d, hn::LoadU(d, x + i));
  if (i < length) filter.scan(d, load_tail(d, x + i, length - i));
  return filter.result(d);
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
