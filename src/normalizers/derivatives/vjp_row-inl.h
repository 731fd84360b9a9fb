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
};

// Of a row without a logit of -inf, whatever is finite: 0 times what is not is NaN. False: look closer.
template <class T>
HWY_INLINE bool survey_whole(Row<T>& row) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kChains = 4;
  const std::size_t lanes = hn::Lanes(d), step = kChains * lanes;
  if (row.length < step) return false;
  const auto zero = hn::Zero(d);
  hn::Vec<decltype(d)> largest[kChains], smallest[kChains], spoilt[kChains];
  for (std::size_t k = 0; k < kChains; ++k) {
    largest[k] = hn::Set(d, -std::numeric_limits<T>::infinity());
    smallest[k] = hn::Set(d, std::numeric_limits<T>::infinity());
    spoilt[k] = zero;
  }
  for (std::size_t i = 0; i < row.length; i += step) {
    if (i + step > row.length) i = row.length - step;  // some a second time
    for (std::size_t k = 0; k < kChains; ++k) {
      const auto x = hn::LoadU(d, row.logits + i + k * lanes), g = hn::LoadU(d, row.upstream + i + k * lanes);
      largest[k] = hn::Max(largest[k], x);
      smallest[k] = hn::Min(smallest[k], x);
      spoilt[k] = hn::MulAdd(g, zero, hn::MulAdd(x, zero, spoilt[k]));
    }
  }
  const auto whole = hn::Add(hn::Add(spoilt[0], spoilt[1]), hn::Add(spoilt[2], spoilt[3]));
  if (!hn::AllTrue(d, hn::Eq(whole, zero))) return false;
  row.largest = largest_lane(d, hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3])));
  row.smallest =
      -largest_lane(d, hn::Neg(hn::Min(hn::Min(smallest[0], smallest[1]), hn::Min(smallest[2], smallest[3]))));
  row.present = row.length;
  return true;
}

// Numbers of the present logits: finite ones. False: a logit or an upstream that counts is not finite.
template <class T>
HWY_INLINE bool survey(Row<T>& row) {
  if (survey_whole(row)) return true;
  const hn::ScalableTag<T> d;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto absent = hn::Set(d, -infinity), most = hn::Set(d, std::numeric_limits<T>::max());
  auto largest = absent, smallest = hn::Set(d, infinity);
  auto good = hn::Eq(absent, absent);
  std::size_t present = 0;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < row.length; i += lanes) {
    const bool whole = i + lanes <= row.length;
    const auto x = whole ? hn::LoadU(d, row.logits + i) : load_tail(d, row.logits + i, row.length - i);
    const auto g = whole ? hn::LoadU(d, row.upstream + i) : load_tail(d, row.upstream + i, row.length - i);
    const auto is_absent = hn::Eq(x, absent);
    const auto finite = hn::And(hn::Le(hn::Abs(x), most), hn::Le(hn::Abs(g), most));  // false for NaN
    good = hn::And(good, hn::Or(is_absent, finite));
    largest = hn::Max(largest, x);
    smallest = hn::Min(smallest, hn::IfThenElse(is_absent, hn::Set(d, infinity), x));
    present += lanes - hn::CountTrue(d, is_absent);
  }
  row.largest = largest_lane(d, largest);
  row.smallest = -largest_lane(d, hn::Neg(smallest));
  row.present = present;
  return hn::AllTrue(d, good);
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
        batch.input + r * batch.input_stride, batch.upstream + r * batch.upstream_stride, y, batch.length, 0, 0, 0};
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
