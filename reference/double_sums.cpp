#include "reference/double_sums.hpp"

#include <algorithm>
#include <cmath>
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

HWY_INLINE double folded(V (&sums)[kVectors]) {
  return hn::GetLane(hn::SumOfLanes(Lanes(), hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
}

HWY_INLINE void clear(V (&sums)[kVectors]) {
  for (V& sum : sums) sum = hn::Zero(Lanes());
}

// add(k, side) with each k < n that begins a vector of them, beside kVectors - 1 others; returns how many that are.
template <class Add>
HWY_INLINE std::size_t each_vector(std::size_t n, Add add) {
  const std::size_t lanes = hn::Lanes(Lanes());
  std::size_t k = 0;
  for (; k + kVectors * lanes <= n; k += kVectors * lanes)
    for (std::size_t side = 0; side < kVectors; ++side) add(k + side * lanes, side);
  for (; k + lanes <= n; k += lanes) add(k, std::size_t{0});
  return k;
}

// term(d, k): the terms from k on, as many as d has lanes.
template <class Term>
HWY_INLINE Sum sum_of(std::size_t n, Term term) {
  const Lanes d;
  V totals[kVectors], magnitudes[kVectors];
  clear(totals), clear(magnitudes);
  const auto add = [&](std::size_t k, std::size_t side) {
    const V terms = term(d, k);
    totals[side] = hn::Add(totals[side], terms);
    magnitudes[side] = hn::Add(magnitudes[side], hn::Abs(terms));
  };
  std::size_t k = each_vector(n, add);
  Sum result{folded(totals), folded(magnitudes)};
  for (; k < n; ++k) {
    const double last = hn::GetLane(term(Lane(), k));
    result.total += last;
    result.magnitude += std::abs(last);
  }
  return result;
}

Sum sum(const double* items, std::size_t n) {
  return sum_of(n, [&](auto d, std::size_t k) { return hn::LoadU(d, items + k); });
}

Sum dot(const double* a, const double* b, std::size_t n) {
  return sum_of(n, [&](auto d, std::size_t k) { return hn::Mul(hn::LoadU(d, a + k), hn::LoadU(d, b + k)); });
}

Sizes<double> sizes(const double* a, const double* b, std::size_t n) {
  const Lanes d;
  V products[kVectors], second[kVectors], terms[kVectors];
  clear(products), clear(second), clear(terms);
  const auto add = [&](std::size_t k, std::size_t side) {
    const V x = hn::LoadU(d, a + k), y = hn::Abs(hn::LoadU(d, b + k)), zero = hn::Zero(d);
    products[side] = hn::Add(products[side], hn::Abs(hn::Mul(x, y)));
    second[side] = hn::Add(second[side], y);
    const auto both = hn::And(hn::Ne(x, zero), hn::Ne(y, zero));
    terms[side] = hn::Add(terms[side], hn::IfThenElseZero(both, hn::Set(d, 1.0)));
  };
  std::size_t k = each_vector(n, add);
  Sizes<double> result{folded(products), folded(second), static_cast<std::size_t>(folded(terms))};
  for (; k < n; ++k) {
    result.products += std::abs(a[k] * b[k]);
    result.second += std::abs(b[k]);
    result.terms += a[k] != 0 && b[k] != 0;
  }
  return result;
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

void extend(const Rows& rows, const Columns& to) {
  each_piece(rows, [&](auto d, auto vectors, std::size_t first, std::size_t last, std::size_t c) {
    hn::Vec<decltype(d)> low[vectors()], high[vectors()], count[vectors()], magnitude[vectors()];
    load(d, to.lowest + c, low), load(d, to.highest + c, high);
    load(d, to.terms + c, count), load(d, to.magnitudes + c, magnitude);
    for (std::size_t k = first; k < last; ++k)
      for (std::size_t v = 0; v < vectors(); ++v) {
        const auto entry = hn::LoadU(d, rows.rows[k] + c + v * hn::Lanes(d));
        low[v] = hn::Min(low[v], entry);
        high[v] = hn::Max(high[v], entry);
        count[v] = hn::Add(count[v], hn::IfThenElseZero(hn::Ne(entry, hn::Zero(d)), hn::Set(d, 1.0)));
        magnitude[v] = hn::Add(magnitude[v], hn::Abs(entry));
      }
    store(d, low, to.lowest + c), store(d, high, to.highest + c);
    store(d, count, to.terms + c), store(d, magnitude, to.magnitudes + c);
  });
}

}  // namespace attncert::double_sums::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_sums {

HWY_EXPORT(sum);
HWY_EXPORT(dot);
HWY_EXPORT(sizes);
HWY_EXPORT(add_weighted);
HWY_EXPORT(add_distances);
HWY_EXPORT(extend);

Sum sum(const double* items, std::size_t n) { return HWY_DYNAMIC_DISPATCH(sum)(items, n); }
Sum dot(const double* a, const double* b, std::size_t n) { return HWY_DYNAMIC_DISPATCH(dot)(a, b, n); }
Sizes<double> sizes(const double* a, const double* b, std::size_t n) { return HWY_DYNAMIC_DISPATCH(sizes)(a, b, n); }
void add_weighted(const double* weights, const Rows& rows, double* totals, double* magnitudes) {
  HWY_DYNAMIC_DISPATCH(add_weighted)(weights, rows, totals, magnitudes);
}
void add_distances(const double* weights, const Rows& rows, const double* to, double* totals) {
  HWY_DYNAMIC_DISPATCH(add_distances)(weights, rows, to, totals);
}
void extend(const Rows& rows, const Columns& columns) { HWY_DYNAMIC_DISPATCH(extend)(rows, columns); }

}  // namespace attncert::double_sums
#endif
