#include "reference/double_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/double_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_sums::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<double, 8>;
using Lane = hn::CappedTag<double, 1>;  // for what is left behind the last vector
using V = hn::Vec<Lanes>;

constexpr std::size_t kVectors = 4;  // side by side: additions that do not wait for each other

HWY_INLINE double total_of(V sum) { return hn::GetLane(hn::SumOfLanes(Lanes(), sum)); }

HWY_INLINE double folded(V (&sums)[kVectors]) {
  return total_of(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])));
}

template <std::size_t kCount>
HWY_INLINE void clear(V (&sums)[kCount]) {
  for (V& sum : sums) sum = hn::Zero(Lanes());
}

Sum sum(const double* items, std::size_t n) {
  const Lanes d;
  V totals[kVectors], magnitudes[kVectors];
  clear(totals), clear(magnitudes);
  const std::size_t lanes = hn::Lanes(d), together = kVectors * lanes;
  std::size_t k = 0;
  for (; k + together <= n; k += together)
    for (std::size_t side = 0; side < kVectors; ++side) {
      const V terms = hn::LoadU(d, items + k + side * lanes);
      totals[side] = hn::Add(totals[side], terms);
      magnitudes[side] = hn::Add(magnitudes[side], hn::Abs(terms));
    }
  Sum result{folded(totals), folded(magnitudes)};
  for (; k < n; ++k) result.total += items[k], result.magnitude += std::abs(items[k]);
  return result;
}

// How far an interval's end of the largest magnitude is from its lower end, to the bits of DoubleInterval::up: which
// weights are wide is asked by that too, and none may be left out.
template <class D>
HWY_INLINE hn::Vec<D> width_of(D d, hn::Vec<D> most, hn::Vec<D> negated) {
  const auto width = hn::Add(most, negated);
  const auto outward = hn::Add(hn::Mul(width, hn::Set(d, std::numeric_limits<double>::epsilon())),
                               hn::Set(d, std::numeric_limits<double>::min()));
  return hn::Add(width, outward);
}

template <class D>
HWY_INLINE std::size_t add_magnitudes(D d, const double* ends, std::size_t k, std::size_t n, double* largest,
                                      Magnitudes& to) {
  const auto zero = hn::Zero(d);
  auto total = zero, relative = zero;
  auto wider = hn::Lt(zero, zero), negative = wider;
  for (; k + hn::Lanes(d) <= n; k += hn::Lanes(d)) {
    hn::Vec<D> negated, upper;
    hn::LoadInterleaved2(d, ends + 2 * k, negated, upper);
    const auto most = hn::Max(negated, upper), width = width_of(d, most, negated);
    const auto tight = hn::Le(width, hn::Mul(most, hn::Set(d, tight_interval)));
    total = hn::Add(total, most);
    relative = hn::Max(relative, hn::IfThenElseZero(tight, hn::Div(width, most)));
    wider = hn::Or(wider, hn::AndNot(tight, hn::Ne(most, zero)));
    negative = hn::Or(negative, hn::Gt(negated, zero));
    hn::StoreU(most, d, largest + k);
  }
  to.total += hn::GetLane(hn::SumOfLanes(d, total));
  to.relative = std::max(to.relative, hn::GetLane(hn::MaxOfLanes(d, relative)));
  to.wider |= !hn::AllFalse(d, wider), to.negative |= !hn::AllFalse(d, negative);
  return k;
}

Magnitudes magnitudes(const double* ends, std::size_t n, double* largest) {
  Magnitudes result;
  const std::size_t left = add_magnitudes(Lanes(), ends, 0, n, largest, result);
  add_magnitudes(Lane(), ends, left, n, largest, result);
  return result;
}

// function(count, k) with rows from the k-th on, kVectors side by side and what is left one by one.
template <class Function>
HWY_INLINE void each_row(std::size_t rows, Function function) {
  std::size_t k = 0;
  for (; k + kVectors <= rows; k += kVectors) function(std::integral_constant<std::size_t, kVectors>(), k);
  for (; k < rows; ++k) function(std::integral_constant<std::size_t, 1>(), k);
}

void dots(const double* a, const Rows& rows, Sum* sums) {
  const Lanes d;
  each_row(rows.count, [&](auto count, std::size_t first) HWY_ATTR {
    V totals[count()], magnitudes[count()];
    clear(totals), clear(magnitudes);
    std::size_t c = 0;
    for (; c + hn::Lanes(d) <= rows.columns; c += hn::Lanes(d)) {
      const V x = hn::LoadU(d, a + c);
      for (std::size_t r = 0; r < count(); ++r) {
        const V y = hn::LoadU(d, rows.rows[first + r] + c);
        totals[r] = hn::MulAdd(x, y, totals[r]);
        magnitudes[r] = hn::MulAdd(hn::Abs(x), hn::Abs(y), magnitudes[r]);
      }
    }
    for (std::size_t r = 0; r < count(); ++r) {
      Sum result{total_of(totals[r]), total_of(magnitudes[r])};
      for (std::size_t rest = c; rest < rows.columns; ++rest) {
        const double term = a[rest] * rows.rows[first + r][rest];
        result.total += term, result.magnitude += std::abs(term);
      }
      sums[first + r] = result;
    }
  });
}

void sizes(const double* a, const Rows& rows, Sizes<double>* to) {
  const Lanes d;
  const V zero = hn::Zero(d);
  each_row(rows.count, [&](auto count, std::size_t first) HWY_ATTR {
    V products[count()], second[count()], terms[count()];
    clear(products), clear(second), clear(terms);
    std::size_t c = 0;
    for (; c + hn::Lanes(d) <= rows.columns; c += hn::Lanes(d)) {
      const V x = hn::Abs(hn::LoadU(d, a + c)), one = hn::IfThenElseZero(hn::Ne(x, zero), hn::Set(d, 1.0));
      for (std::size_t r = 0; r < count(); ++r) {
        const V y = hn::Abs(hn::LoadU(d, rows.rows[first + r] + c));
        products[r] = hn::MulAdd(x, y, products[r]);
        second[r] = hn::Add(second[r], y);
        terms[r] = hn::Add(terms[r], hn::IfThenElseZero(hn::Ne(y, zero), one));
      }
    }
    for (std::size_t r = 0; r < count(); ++r) {
      Sizes<double> result{total_of(products[r]), total_of(second[r]), static_cast<std::size_t>(total_of(terms[r]))};
      for (std::size_t rest = c; rest < rows.columns; ++rest) {
        const double x = std::abs(a[rest]), y = std::abs(rows.rows[first + r][rest]);
        result.products += x * y, result.second += y, result.terms += x != 0 && y != 0;
      }
      to[first + r] = result;
    }
  });
}

// add(d, vectors, rows, column) with all of the matrix in pieces: so many vectors of so many rows from the column on.
template <class Add>
HWY_INLINE void each_piece(const Rows& rows, Add add) {
  constexpr std::size_t together = 16;  // rows, which stay in the first cache
  const std::size_t lanes = hn::Lanes(Lanes());
  for (std::size_t first = 0; first < rows.count; first += together) {
    const std::size_t last = std::min(first + together, rows.count);
    std::size_t c = 0;
    for (; c + kVectors * lanes <= rows.columns; c += kVectors * lanes)
      add(Lanes(), std::integral_constant<std::size_t, kVectors>(), first, last, c);
    for (; c + lanes <= rows.columns; c += lanes)
      add(Lanes(), std::integral_constant<std::size_t, 1>(), first, last, c);
    for (; c < rows.columns; ++c) add(Lane(), std::integral_constant<std::size_t, 1>(), first, last, c);
  }
}

template <std::size_t kV, class D>
HWY_INLINE void load(D d, const double* from, hn::Vec<D> (&to)[kV]) {
  for (std::size_t v = 0; v < kV; ++v) to[v] = hn::LoadU(d, from + v * hn::Lanes(d));
}

template <std::size_t kV, class D>
HWY_INLINE void store(D d, const hn::Vec<D> (&from)[kV], double* to) {
  for (std::size_t v = 0; v < kV; ++v) hn::StoreU(from[v], d, to + v * hn::Lanes(d));
}

void add_weighted(const double* weights, const Rows& rows, double* totals, double* magnitudes) {
  each_piece(rows, [&](auto d, auto vectors, std::size_t first, std::size_t last, std::size_t c) {
    hn::Vec<decltype(d)> total[vectors()], magnitude[vectors()];
    load(d, totals + c, total), load(d, magnitudes + c, magnitude);
    for (std::size_t k = first; k < last; ++k) {
      const auto weight = hn::Set(d, weights[k]);
      for (std::size_t v = 0; v < vectors(); ++v) {
        const auto term = hn::Mul(weight, hn::LoadU(d, rows.rows[k] + c + v * hn::Lanes(d)));
        total[v] = hn::Add(total[v], term);
        magnitude[v] = hn::Add(magnitude[v], hn::Abs(term));
      }
    }
    store(d, total, totals + c), store(d, magnitude, magnitudes + c);
  });
}

void add_distances(const double* weights, const Rows& rows, const double* to, double* totals) {
  each_piece(rows, [&](auto d, auto vectors, std::size_t first, std::size_t last, std::size_t c) {
    hn::Vec<decltype(d)> total[vectors()], from[vectors()];
    load(d, totals + c, total), load(d, to + c, from);
    for (std::size_t k = first; k < last; ++k) {
      const auto weight = hn::Set(d, weights[k]);
      for (std::size_t v = 0; v < vectors(); ++v) {
        const auto distance = hn::Abs(hn::Sub(hn::LoadU(d, rows.rows[k] + c + v * hn::Lanes(d)), from[v]));
        total[v] = hn::MulAdd(weight, distance, total[v]);
      }
    }
    store(d, total, totals + c);
  });
}

void add_columns(const Rows& rows, const Columns& to) {
  each_piece(rows, [&](auto d, auto vectors, std::size_t first, std::size_t last, std::size_t c) HWY_ATTR {
    constexpr std::size_t kCount = vectors();
    hn::Vec<decltype(d)> from[kCount], distances[kCount], sizes[kCount];
    hn::Vec<decltype(d)> low[kCount], high[kCount], terms[kCount], magnitudes[kCount];
    load(d, to.to + c, from), load(d, to.distances + c, distances), load(d, to.sizes + c, sizes);
    load(d, to.lowest + c, low), load(d, to.highest + c, high);
    load(d, to.terms + c, terms), load(d, to.magnitudes + c, magnitudes);
    for (std::size_t k = first; k < last; ++k) {
      const auto of_distance = hn::Set(d, to.first[k]), of_size = hn::Set(d, to.second[k]);
      for (std::size_t v = 0; v < kCount; ++v) {
        const auto entry = hn::LoadU(d, rows.rows[k] + c + v * hn::Lanes(d)), size = hn::Abs(entry);
        distances[v] = hn::MulAdd(of_distance, hn::Abs(hn::Sub(entry, from[v])), distances[v]);
        sizes[v] = hn::MulAdd(of_size, size, sizes[v]);
        low[v] = hn::Min(low[v], entry);
        high[v] = hn::Max(high[v], entry);
        terms[v] = hn::Add(terms[v], hn::IfThenElseZero(hn::Ne(entry, hn::Zero(d)), hn::Set(d, 1.0)));
        magnitudes[v] = hn::Add(magnitudes[v], size);
      }
    }
    store(d, distances, to.distances + c), store(d, sizes, to.sizes + c);
    store(d, low, to.lowest + c), store(d, high, to.highest + c);
    store(d, terms, to.terms + c), store(d, magnitudes, to.magnitudes + c);
  });
}

}  // namespace attncert::double_sums::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_sums {

HWY_EXPORT(sum);
HWY_EXPORT(magnitudes);
HWY_EXPORT(dots);
HWY_EXPORT(sizes);
HWY_EXPORT(add_weighted);
HWY_EXPORT(add_distances);
HWY_EXPORT(add_columns);

Sum sum(const double* items, std::size_t n) { return HWY_DYNAMIC_DISPATCH(sum)(items, n); }
Magnitudes magnitudes(const double* ends, std::size_t n, double* largest) {
  return HWY_DYNAMIC_DISPATCH(magnitudes)(ends, n, largest);
}
void dots(const double* a, const Rows& rows, Sum* sums) { HWY_DYNAMIC_DISPATCH(dots)(a, rows, sums); }
void sizes(const double* a, const Rows& rows, Sizes<double>* to) { HWY_DYNAMIC_DISPATCH(sizes)(a, rows, to); }
void add_weighted(const double* weights, const Rows& rows, double* totals, double* magnitudes) {
  HWY_DYNAMIC_DISPATCH(add_weighted)(weights, rows, totals, magnitudes);
}
void add_distances(const double* weights, const Rows& rows, const double* to, double* totals) {
  HWY_DYNAMIC_DISPATCH(add_distances)(weights, rows, to, totals);
}
void add_columns(const Rows& rows, const Columns& columns) { HWY_DYNAMIC_DISPATCH(add_columns)(rows, columns); }

}  // namespace attncert::double_sums
#endif
