// The weights of a row once r, the smallest logit of the support, and the gap n are known: (a ((x - r) + n))^b for
// x >= r, else 0. f32 goes through double, where every step is one monotone rounding: equal logits get equal weights, a
// larger logit never less. f64 carries x - r + n as a pair.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_WEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_WEIGHTS_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_WEIGHTS_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_WEIGHTS_INL_H
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "src/normalizers/sparse/entmax_gap-inl.h"
#include "src/normalizers/sparse/entmax_search-inl.h"
#include "src/normalizers/sparse/sparse_scratch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

HWY_INLINE DoubleV weight_of(const LinearPower&, DoubleV v) { return v; }
HWY_INLINE DoubleV weight_of(const SquarePower&, DoubleV v) { return hn::Mul(v, v); }

// f(v) for a vector of floats, computed in doubles.
template <class D, class F>
HWY_INLINE hn::Vec<D> through_doubles(D d, hn::Vec<D> v, const F& f) {
#if HWY_TARGET == HWY_SCALAR
  return hn::DemoteTo(d, f(hn::PromoteTo(Doubles(), v)));
#else
  const hn::Half<D> half;
  const auto low = hn::DemoteTo(half, f(hn::PromoteTo(Doubles(), hn::LowerHalf(half, v))));
  const auto high = hn::DemoteTo(half, f(hn::PromoteTo(Doubles(), hn::UpperHalf(half, v))));
  return hn::Combine(d, high, low);
#endif
}

template <class Power, class T>
class Weights;

// Weights that cost more than their place: all computed at once from the candidates, then handed out as their logits
// come by in the row.
template <class T>
class InOrder {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  template <class W>
  HWY_INLINE InOrder(D d, const W& weights, const Candidates<T>& candidates)
      : lowest_(weights.lowest()), next_(candidates.logits) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates.count; i += hn::Lanes(d)) {
      const V x = hn::LoadU(d, candidates.logits + i);
      const auto inside = hn::Ge(x, lowest_);
      hn::StoreU(compressed(d, weights.of(x), inside), d, candidates.logits + kept);  // never beyond what was read
      kept += hn::CountTrue(d, inside);
    }
  }

  HWY_INLINE V lowest() const { return lowest_; }
  HWY_INLINE V of(V x) {
    const D d;
    const auto inside = hn::Ge(x, lowest_);
    const std::size_t lanes = hn::Lanes(d), count = hn::CountTrue(d, inside);
    if (count == lanes) {
      const V all = hn::LoadU(d, next_);
      next_ += lanes;
      return all;
    }
    HWY_ALIGN T spread[HWY_MAX_BYTES / sizeof(T)];
    HWY_ALIGN std::uint8_t bytes[8] = {};
    hn::Store(hn::Zero(d), d, spread);
    hn::StoreMaskBits(d, inside, bytes);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, sizeof bits);
    for (; bits != 0; bits &= bits - 1) spread[std::countr_zero(bits)] = *next_++;
    return hn::Load(d, spread);
  }

 private:
  V lowest_;
  const T* next_;
};

template <class Power>
class Weights<Power, float> {
 public:
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;

  HWY_INLINE Weights(const Power& raise, const Scale<float>&, float lowest, Pair gap)
      : raise_(raise),
        lowest_(hn::Set(D(), lowest)),
        base_(hn::Set(Doubles(), static_cast<double>(lowest))),
        gap_(hn::Set(Doubles(), gap.high)),
        rate_(hn::Set(Doubles(), raise.rate)) {}

  HWY_INLINE V lowest() const { return lowest_; }
  // The weights of the whole vector at x, all inside, straight from memory in doubles and back.
  template <bool kStream>
  HWY_INLINE void write_inside(const float* x, float* y) const {
    const hn::Rebind<float, Doubles> narrow;
    // Stream writes 16 bytes even of a shorter vector.
    constexpr bool stream = kStream && hn::MaxLanes(narrow) * sizeof(float) >= 16;
    for (std::size_t i = 0; i < hn::Lanes(D()); i += hn::Lanes(narrow)) {
      const auto weight = hn::DemoteTo(narrow, weight_from(load_doubles(x + i)));
      stream ? hn::Stream(weight, narrow, y + i) : hn::StoreU(weight, narrow, y + i);
    }
  }
  HWY_INLINE V of(V x) const {
    const auto weight = [this](DoubleV z) HWY_ATTR { return weight_from(z); };
    const V inside = hn::IfThenElse(hn::Ge(x, lowest_), x, lowest_);  // nothing overflows on its way to float
    return hn::IfThenElseZero(hn::Ge(x, lowest_), through_doubles(D(), inside, weight));
  }

 private:
  HWY_INLINE DoubleV weight_from(DoubleV z) const {
    return weight_of(raise_, hn::Mul(hn::Add(hn::Sub(z, base_), gap_), rate_));
  }

  const Power& raise_;
  V lowest_;
  DoubleV base_, gap_, rate_;
};

template <class Power>
class Weights<Power, double> {
 public:
  using D = Doubles;
  using V = DoubleV;

  HWY_INLINE Weights(const Power&, const Scale<double>& scale, double lowest, const Gap& gap)
      : exact_gap_(gap.exact),
        temperature_(scale.given),
        lowest_(hn::Set(D(), lowest)),
        base_(hn::Set(D(), lowest * scale.down)),
        down_(hn::Set(D(), scale.down)),
        up_(hn::Set(D(), scale.up)),
        gap_{hn::Set(D(), gap.high), hn::Set(D(), gap.low)},
        factor_(factor_of(scale.exact_temperature)) {}

  HWY_INLINE V lowest() const { return lowest_; }
  HWY_INLINE V of(V x) const {
    if (Power::exponent_one && HWY_UNLIKELY(exact_gap_ > 0)) return of_faint(x);
    const auto inside = hn::Ge(x, lowest_);
    const V scaled = hn::Mul(hn::IfThenElse(inside, x, lowest_), down_);
    const PairV rise = two_sum(scaled, hn::Neg(base_));
    const PairV sum = two_sum(hn::Mul(rise.high, up_), gap_.high);
    const PairV w = fast_two_sum(sum.high, hn::Add(sum.low, hn::Add(hn::Mul(rise.low, up_), gap_.low)));
    return hn::IfThenElseZero(inside, power(w));
  }

 private:
  // w^b (factor + rest). Lifted by 2^300, w is in [2^-774, 2^353]: no product's error is lost below the format.
  HWY_INLINE V power(PairV w) const {
    const V lift = hn::Set(D(), 0x1p300), drop = hn::Set(D(), Power::exponent_one ? 0x1p-300 : 0x1p-600);
    w = {hn::Mul(w.high, lift), hn::Mul(w.low, lift)};
    if constexpr (!Power::exponent_one) {
      const PairV square = two_product(w.high, w.high);
      w = {square.high, hn::Add(square.low, hn::Mul(hn::Add(w.high, w.high), w.low))};
    }
    const PairV product = two_product(w.high, factor_.high);
    const V rest = hn::Add(hn::Mul(w.high, factor_.low), hn::Mul(w.low, factor_.high));
    return hn::Mul(hn::Add(product.high, hn::Add(product.low, rest)), drop);
  }

  // b = 1, where logits and n are next to the smallest doubles: there x down and n, rounded, would be rounded twice.
  // (With b = 2 a weight that is not 0 comes from w above 2^-540.)
  HWY_NOINLINE V of_faint(V x) const {
    HWY_ALIGN double values[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(x, D(), values);
    const double lowest = hn::GetLane(lowest_);
    for (std::size_t i = 0; i < hn::Lanes(D()); ++i) {
      const long double rise = static_cast<long double>(values[i]) - static_cast<long double>(lowest);
      values[i] =
          values[i] >= lowest ? static_cast<double>((rise + exact_gap_) / static_cast<long double>(temperature_)) : 0;
    }
    return hn::Load(D(), values);
  }

  static HWY_INLINE PairV factor_of(double t) {
    const Pair whole = Power::exponent_one ? Pair{t, 0} : times(two_product(t, t), 4);
    const double factor = 1 / whole.high;  // one Newton step against the unrounded whole
    const double rest = (std::fma(-factor, whole.high, 1.0) - factor * whole.low) * factor;
    return {hn::Set(D(), factor), hn::Set(D(), rest)};
  }

  long double exact_gap_;
  double temperature_;
  V lowest_, base_, down_, up_;
  PairV gap_, factor_;
};

// The begin of the next row, up to where its scan fetches for itself, is fetched while this one is written: reads and
// writes share the way to memory, and the scan, at the end of which a row's support is waited for, finds what it needs.
class NextRow {
 public:
  // Rows of `bytes`, `stride` bytes apart; they may end here, for nothing is read.
  NextRow(const void* x, std::size_t bytes, std::size_t stride)
      : end_(reinterpret_cast<std::uintptr_t>(x) + std::min(bytes, kAhead)), stride_(stride) {}

  // For the line of this row at x, that of the next.
  HWY_INLINE void fetch(const void* x) const {
    if (reinterpret_cast<std::uintptr_t>(x) < end_) hwy::Prefetch(place_ahead(x, stride_));
  }

 private:
  std::uintptr_t end_;
  std::size_t stride_;
};

// The weights of the length logits at x, whole vectors first. kStream as for `put`.
template <bool kStream, class W, class D, class X, class Y>
HWY_INLINE void write_weights(D d, W& weights, const NextRow& next, X x, Y y, std::size_t length) {
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d), lowest = weights.lowest();
  const auto weight = [&](hn::Vec<D> v) HWY_ATTR { return hn::AllTrue(d, hn::Lt(v, lowest)) ? zero : weights.of(v); };
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    const auto a = load(d, x + i), b = load(d, x + i + lanes);
    const auto c = load(d, x + i + 2 * lanes), e = load(d, x + i + 3 * lanes);
    const auto most = hn::Max(hn::Max(a, b), hn::Max(c, e));
    if (kStream) {
      for (std::size_t j = i; j < i + 4 * lanes; j += kLine / sizeof(Cell<X>)) next.fetch(cells(x) + j);
    }
    if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(most, lowest)))) {
      put_pair<kStream>(d, zero, zero, y + i);
      put_pair<kStream>(d, zero, zero, y + i + 2 * lanes);
      continue;
    }
    if constexpr (requires { weights.template write_inside<kStream>(x, y); }) {
      const auto least = hn::Min(hn::Min(a, b), hn::Min(c, e));
      if (hn::AllTrue(d, hn::Ge(least, lowest))) {
        for (std::size_t j = i; j < i + 4 * lanes; j += lanes) weights.template write_inside<kStream>(x + j, y + j);
        continue;
      }
    }
    const auto first = weight(a), second = weight(b);
    put_pair<kStream>(d, first, second, y + i);
    const auto third = weight(c), fourth = weight(e);
    put_pair<kStream>(d, third, fourth, y + i + 2 * lanes);
  }
  for (; i + lanes <= length; i += lanes) put<kStream>(d, weight(load(d, x + i)), y + i);
  if (i < length) store_tail(d, weights.of(load_tail(d, x + i, length - i)), y + i, length - i);
}

// Zeros in cells of any format: all formats have the same bits for 0.
template <bool kStream, class T>
HWY_INLINE void write_zeros(const NextRow& next, const T* x, T* y, std::size_t length) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  if (kStream) {
    const std::size_t over = (reinterpret_cast<std::uintptr_t>(y) / sizeof(T)) % lanes;
    if (over != 0) i = std::min(length, lanes - over);
    std::fill(y, y + i, T(0));
    constexpr std::size_t line = kLine / sizeof(T);
    for (; i + line <= length; i += line) {
      next.fetch(x + i);
      for (std::size_t j = i; j < i + line; j += lanes) put<kStream>(d, hn::Zero(d), y + j);
    }
  }
  for (; i + lanes <= length; i += lanes) put<kStream>(d, hn::Zero(d), y + i);
  if (i < length) std::fill(y + i, y + length, T(0));
}

// Blocks that no candidate came from get zeros unread; x may be y.
template <bool kStream, class W, class D, class X, class Y, class T = Lane<D>>
HWY_INLINE void write_row(D d, W& weights, const Candidates<T>& candidates, const NextRow& next, X x, Y y,
                          std::size_t length) {
  const std::size_t block = block_lanes(d), whole = length / block * block;
  constexpr std::size_t vector = sizeof(hn::Vec<D>);  // what every store past the caches divides
  const bool aligned = kStream && reinterpret_cast<std::uintptr_t>(cells(y)) % vector == 0;
  const auto write = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    if (kStream && aligned) return write_weights<kStream>(d, weights, next, x + begin, y + begin, end - begin);
    write_weights<false>(d, weights, next, x + begin, y + begin, end - begin);
  };
  const auto skip = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    if (begin < end) write_zeros<kStream>(next, cells(x) + begin, cells(y) + begin, end - begin);
  };
  std::size_t done = 0;
  for (std::size_t i = 0; i < candidates.block_count;) {
    const std::size_t begin = candidates.blocks[i] * block;
    std::size_t end = begin + block;  // a run of blocks is written as one
    for (++i; i < candidates.block_count && candidates.blocks[i] * block == end; ++i) end += block;
    skip(done, begin);
    write(begin, end);
    done = end;
  }
  skip(done, whole);
  write(whole, length);
}

template <class T>
HWY_INLINE void fill_nan(T* y, std::size_t length) {
  fill(y, length, std::numeric_limits<T>::quiet_NaN());
}

// A row whose largest logit is not finite; the scratch of row.length is free.
template <class T>
HWY_INLINE void write_degenerate(const T* x, T* y, std::size_t length, T*) {
  write_degenerate_row(
      x, y, length, T(0), +[](double count) { return 1 / count; });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
