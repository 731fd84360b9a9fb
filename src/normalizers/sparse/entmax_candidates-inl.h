// One pass over a row with a running bound keeps the logits that can be in the support of an entmax: those above
// max - c T, and, where these are many, above the threshold of those found so far, which that of the row cannot be
// below.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_CANDIDATES_INL_H
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/normalizers/cache_lines.hpp"
#include "src/normalizers/cells-inl.h"
#include "src/normalizers/row-inl.h"
#include "src/normalizers/sparse/entmax_compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
struct Candidates {
  T* logits;  // every logit that can be in the support, perhaps a few more, as in the row; then a vector of -inf
  std::size_t count;
  T largest;
  bool nan;                               // the row holds NaN
  double delta = 0;                       // close to max - tau; 0 where nobody looked for it
  const std::uint32_t* blocks = nullptr;  // the blocks of the row, rising, that all of them come from
  std::size_t block_count = 0;
};

// A block is eight vectors.
template <class D>
HWY_INLINE std::size_t block_lanes(D d) {
  return 8 * hn::Lanes(d);
}

// Blocks at the begin of a row that are looked through for their largest before any of them is for candidates: on
// AVX-512 a row of 1024, all of it in L1. From then on the bound of those passed is nearly that of the row.
constexpr std::size_t kSegment = 8;

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

// What is known of max - tau: at most `proved`, and about `close`; `kept` candidates at least are below it.
struct Reach {
  double proved, close, kept;
};

// For a caller to whom max - reach is bound enough.
struct NoSearch {
  static constexpr bool searches = false;
  static constexpr std::size_t few = 0;
  template <class D, class T>
  HWY_INLINE Reach operator()(D, const T*, std::size_t, T, double most, bool) const {
    return {most, 0, 0};
  }
};

// Search: a better bound of tau from the candidates so far; any part of a row gives one.
template <class D, class Search, class T = Lane<D>>
class CandidateFilter {
 public:
  using V = hn::Vec<D>;

  HWY_INLINE CandidateFilter(D d, const Search& search, std::size_t length, double reach, T* out, std::uint32_t* blocks)
      : search_(search),
        length_(length),
        reach_(reach),
        out_(out),
        blocks_(blocks),
        bound_(hn::Set(d, -std::numeric_limits<T>::infinity())),
        total_(hn::Zero(d)),
        next_search_(search_at(256)) {}

  // Less than a block. The largest first: one raise for all of it.
  template <class X>
  HWY_INLINE void scan_rest(D d, X x, std::size_t length) {
    const std::size_t lanes = hn::Lanes(d), whole = length / lanes * lanes;
    const V rest = load_tail(d, x + whole, length - whole);
    V most = rest, sum = hn::IfThenElseZero(hn::FirstN(d, length - whole), rest);
    for (std::size_t i = 0; i < whole; i += lanes) {
      const V v = load(d, x + i);
      sum = hn::Add(sum, v);
      most = hn::Max(most, v);
    }
    total_ = hn::Add(total_, sum);
    if (hn::AllFalse(d, hn::Gt(most, bound_))) return;
    raise(d, most);
    const V bound = bound_;
    T* to = out_ + count_;
    for (std::size_t i = 0; i < whole; i += lanes) keep_above(d, load(d, x + i), bound, to);
    keep_above(d, rest, bound, to);
    count_ = static_cast<std::size_t>(to - out_);
  }
  // The first blocks of a row, kSegment at most: their largest first, one raise for all of them, then those blocks
  // again that hold anything above the bound.
  template <class X>
  HWY_INLINE void scan_first(D d, X x, std::size_t blocks) {
    const std::size_t block = block_lanes(d);
    V most[kSegment], all = bound_;
    for (std::size_t i = 0; i < blocks; ++i) {
      most[i] = block_most(d, x + i * block);
      all = hn::Max(all, most[i]);
    }
    raise(d, all);
    std::uint32_t above = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      above |= static_cast<std::uint32_t>(!hn::AllFalse(d, hn::Gt(most[i], bound_))) << i;
    }
    for (; above != 0; above &= above - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(above));
      keep_block(d, x + i * block, i);
    }
  }
  // Nearly always nothing in the vectors exceeds the running bound.
  template <class X>
  HWY_INLINE void scan_block(D d, X x, std::uint32_t block) {
    const V most = block_most(d, x);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(most, bound_)))) return;
    raise(d, most);
    keep_block(d, x, block);
  }

  template <class X>
  HWY_INLINE Candidates<T> result(D d, X x, std::size_t length) {
    const bool nan = HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(total_))) && holds_nan(d, x, length);
    if (Search::searches && count_ > Search::few && !nan) {
      narrow(d, true);
    } else if (outdated_) {
      tighten(d);
    }
    hn::StoreU(hn::Set(d, -std::numeric_limits<T>::infinity()), d, out_ + count_);
    return {out_, count_, largest_, nan, close_, blocks_, block_count_};
  }

 private:
  HWY_INLINE void raise(D d, V most) {
    if (hn::AllFalse(d, hn::Gt(most, hn::Set(d, largest_)))) return;
    const T peak = largest_lane(d, most);
    largest_ = peak;
    bound_ = hn::Max(bound_, hn::Set(d, candidate_bound(peak, reach_)));
    outdated_ = count_ > 0;
  }
  // The sum is NaN if any logit is.
  template <class X>
  HWY_INLINE V block_most(D d, X x) {
    const std::size_t lanes = hn::Lanes(d);
    const V a = load(d, x), b = load(d, x + lanes), c = load(d, x + 2 * lanes);
    const V e = load(d, x + 3 * lanes), f = load(d, x + 4 * lanes), g = load(d, x + 5 * lanes);
    const V h = load(d, x + 6 * lanes), i = load(d, x + 7 * lanes);
    total_ = hn::Add(total_, hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i))));
    return hn::Max(hn::Max(hn::Max(a, b), hn::Max(c, e)), hn::Max(hn::Max(f, g), hn::Max(h, i)));
  }
  template <class X>
  HWY_INLINE void keep_block(D d, X x, std::uint32_t block) {
    const V bound = bound_;
    T* to = out_ + count_;
    for (std::size_t i = 0; i < 8; ++i) keep_above(d, load(d, x + i * hn::Lanes(d)), bound, to);
    count_ = static_cast<std::size_t>(to - out_);
    if (blocks_ != nullptr) blocks_[block_count_++] = block;
    if (Search::searches && HWY_UNLIKELY(count_ >= next_search_)) narrow(d, false);
  }
  // What earlier bounds let through goes now.
  HWY_INLINE void tighten(D d) {
    const std::size_t lanes = hn::Lanes(d), count = count_;
    const V absent = hn::Set(d, -std::numeric_limits<T>::infinity()), bound = bound_;
    const T* const from = out_;
    T* to = out_;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) keep_above(d, hn::LoadU(d, from + i), bound, to);
    if (i < count) {
      keep_above(d, hn::IfThenElse(hn::FirstN(d, count - i), hn::LoadU(d, from + i), absent), bound, to);
    }
    count_ = static_cast<std::size_t>(to - out_);
  }
  HWY_NOINLINE void narrow(D d, bool last) {
    hn::StoreU(hn::Set(d, -std::numeric_limits<T>::infinity()), d, out_ + count_);
    const double largest = static_cast<double>(largest_);
    const Reach found = search_(d, out_, count_, largest_, std::min(reach_, largest - least_), last);
    least_ = std::max(least_, largest - found.proved);
    close_ = found.close;
    bound_ = hn::Max(bound_, hn::Set(d, candidate_bound(largest_, found.proved)));
    const double before = static_cast<double>(count_);
    if (found.kept < 0.75 * before) tighten(d);  // else they would be moved for little
    next_search_ = search_at(std::max<std::size_t>(512, 4 * count_));
  }
  // None once a quarter of the row has been kept: the row is dense, another bound would spare little, the last one is
  // to come.
  HWY_INLINE std::size_t search_at(std::size_t count) const { return count < length_ / 4 ? count : length_ + 1; }
  template <class X>
  static HWY_NOINLINE bool holds_nan(D d, X x, std::size_t length) {
    auto nan = hn::IsNaN(load_tail(d, x, 0));
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= length; i += hn::Lanes(d)) nan = hn::Or(nan, hn::IsNaN(load(d, x + i)));
    if (i < length) nan = hn::Or(nan, hn::IsNaN(load_tail(d, x + i, length - i)));
    return !hn::AllFalse(d, nan);
  }

  const Search& search_;
  std::size_t length_;
  double reach_, close_ = 0;
  double least_ = -std::numeric_limits<double>::infinity();  // below tau
  T* out_;
  std::uint32_t* blocks_;
  V bound_, total_;
  std::size_t count_ = 0, block_count_ = 0, next_search_;
  T largest_ = -std::numeric_limits<T>::infinity();
  bool outdated_ = false;  // candidates were kept by a lower bound than the last
};

template <class D, class X>
HWY_INLINE void fetch_block(D d, X x) {
  for (std::size_t byte = 0; byte < block_lanes(d) * sizeof(Cell<X>); byte += kLine) {
    hwy::Prefetch(place_ahead(cells(x), kAhead + byte));
  }
}

// fetches: the row is fetched kAhead before its use, but for its begin, which is left to the caller.
// `out` has room for length and two vectors more, `blocks` (or none) for one entry per block of the row.
template <class D, class Search, class X, class T = Lane<D>>
HWY_INLINE Candidates<T> find_candidates(D d, const Search& search, X x, std::size_t length, double reach, T* out,
                                         std::uint32_t* blocks, bool fetches) {
  constexpr std::size_t ahead = kAhead / sizeof(Cell<X>);
  const std::size_t block = block_lanes(d);
  CandidateFilter<D, Search> filter(d, search, length, reach, out, blocks);
  const std::size_t whole = length / block;
  std::size_t number = std::min(whole, kSegment);
  if (number == kSegment) {
    for (std::size_t i = 0; fetches && i < kSegment && i * block + ahead < length; ++i) {
      fetch_block(d, x + i * block);
    }
    filter.scan_first(d, x, kSegment);
  } else if (number > 0) {
    filter.scan_first(d, x, number);
  }
  for (; number < whole; ++number) {
    const X at = x + number * block;
    if (fetches && number * block + ahead < length) fetch_block(d, at);
    filter.scan_block(d, at, static_cast<std::uint32_t>(number));
  }
  const std::size_t i = whole * block;
  if (i < length) filter.scan_rest(d, x + i, length - i);
  return filter.result(d, x, length);
}

template <class D, class T = Lane<D>>
HWY_INLINE Candidates<T> find_candidates(D d, const T* x, std::size_t length, double reach, T* out) {
  return find_candidates(d, NoSearch(), x, length, reach, out, static_cast<std::uint32_t*>(nullptr), false);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
