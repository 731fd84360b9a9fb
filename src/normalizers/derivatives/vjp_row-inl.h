// What all derivatives share: the first look at a row (which settles rows that are not finite or empty), the walk over
// the present logits and their upstream gradients, and the last step c_i (g_i - mean) rho. Upstream is never multiplied
// where it does not count, it is replaced by 0: no 0 * infinity.
#if defined(ATTNCERT_NORMALIZERS_VJP_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_ROW_INL_H
#endif

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
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
    const auto absent = hn::Eq(x, hn::Set(d, -std::numeric_limits<T>::infinity())), zero = hn::Zero(d);
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

// visit(x, g, present, i, count): x and g as Numbers, g = 0 where absent.
template <class T, class Visit>
HWY_INLINE void walk(const Row<T>& row, Visit visit) {
  using N = Numbers<T>;
  const auto absent = N::set(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < row.length; i += N::lanes()) {
    const std::size_t count = row.length - i;
    const auto x = N::load(row.logits + i, count);
    const auto present = N::above(x, absent);
    visit(x, N::where(present, N::load(row.upstream + i, count)), present, i, count);
  }
}

// The logits from `lowest` on, of which a row may have few: visit as walk has it, with `inside` for present;
// none(i, count) for a vector of T that holds no such logit.
template <class T, class Visit, class None>
HWY_INLINE void walk_support(const Row<T>& row, T lowest, Visit visit, None none) {
  using N = Numbers<T>;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, lowest);
  const auto below = N::set(std::nextafter(lowest, -std::numeric_limits<T>::infinity()));
  for (std::size_t i = 0; i < row.length; i += lanes) {
    const std::size_t end = std::min(i + lanes, row.length);
    const auto some = end == i + lanes ? hn::LoadU(d, row.logits + i) : load_tail(d, row.logits + i, end - i);
    if (hn::AllFalse(d, hn::Ge(some, least))) {
      none(i, end - i);
      continue;
    }
    for (std::size_t j = i; j < end; j += N::lanes()) {
      const std::size_t count = row.length - j;
      const auto x = N::load(row.logits + j, count);
      const auto inside = N::above(x, below);
      visit(x, N::where(inside, N::load(row.upstream + j, count)), inside, j, count);
    }
  }
}

// Of the support, gradient(x, g) to its place, 0 elsewhere.
template <class T, class Gradient>
HWY_INLINE void write_support(const Row<T>& row, T lowest, Gradient gradient) {
  using N = Numbers<T>;
  walk_support(
      row, lowest,
      [&](auto x, auto g, auto inside, std::size_t i, std::size_t count)
          HWY_ATTR { N::store(N::where(inside, gradient(x, g)), row.gradient + i, count); },
      [&](std::size_t i, std::size_t count) HWY_ATTR {
        const hn::ScalableTag<T> d;
        const auto none = hn::Zero(d);
        count == hn::Lanes(d) ? hn::StoreU(none, d, row.gradient + i) : store_tail(d, none, row.gradient + i, count);
      });
}

struct NoneLeft {
  HWY_INLINE void operator()(std::size_t, std::size_t) const {}
};

// The derivative of what is a power of v = a (z - tau) and has sum 1: with s = slope(x) on the support, s (g - sum s g
// / sum s) rho there, 0 elsewhere.
template <class T, class Slope>
HWY_INLINE void write_by_slopes(const Row<T>& row, T lowest, const Times<T>& times, const Slope& slope) {
  using N = Numbers<T>;
  typename N::Sum slopes, products;
  const auto add = [&](auto x, auto g, auto inside, std::size_t, std::size_t) HWY_ATTR {
    const auto s = N::where(inside, slope(x));
    slopes.add(s);
    products.add(s * g);
  };
  walk_support(row, lowest, add, NoneLeft());
  const auto mean = N::set(products.total() / slopes.total());
  write_support(row, lowest, [&](auto x, auto g) HWY_ATTR { return times(slope(x) * (g - mean)); });
}

template <class T>
HWY_INLINE typename Numbers<T>::Number number(typename Numbers<T>::Scalar value) {
  return Numbers<T>::set(value);
}

// Writes slope(x) (g - mean) rho at the present positions, 0 elsewhere.
template <class T, class Slope>
HWY_INLINE void write_centred(const Row<T>& row, typename Numbers<T>::Scalar mean, const Rate& rate, Slope slope) {
  using N = Numbers<T>;
  const Times<T> times(rate);
  const auto centre = number<T>(mean);
  walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count)
                HWY_ATTR { N::store(N::where(present, times(slope(x) * (g - centre))), row.gradient + i, count); });
}

// The derivative of w / (start + sum of w) for weights w(x) with slope(x) = T dw/dz: slope (g - sum w g / S) / S rho.
// For the exponential family slope and weight are one.
template <class T, class Weight, class Slope>
HWY_INLINE void write_normalized(const Row<T>& row, const Rate& rate, typename Numbers<T>::Scalar start, Weight weight,
                                 Slope slope) {
  using N = Numbers<T>;
  typename N::Sum weights, products;
  weights.add(N::first(start));
  walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
    const auto w = N::where(present, weight(x));
    weights.add(w);
    products.add(w * g);
  });
  const auto sum = weights.total();
  const auto inverse = N::set(1 / sum);
  write_centred(row, products.total() / sum, rate, [&](auto x) HWY_ATTR { return slope(x) * inverse; });
}

// One call: `derive(row)` is asked for rows that are finite and not empty.
template <class T, class Derive>
HWY_INLINE void each_row(const Batch<T>& batch, Derive derive) {
  for (std::size_t r = 0; r < batch.rows; ++r) {
    T* y = batch.output + r * batch.output_stride;
    Row<T> row{
        batch.input + r * batch.input_stride, batch.upstream + r * batch.upstream_stride, y, batch.length, 0, 0, 0, r};
    if (HWY_UNLIKELY(!survey(row))) {
      fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
    } else if (HWY_UNLIKELY(row.present == 0)) {
      fill(y, batch.length, T(0));
    } else {
      derive(row);
    }
  }
}

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
