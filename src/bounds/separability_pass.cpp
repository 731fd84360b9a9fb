#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/separability_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <limits>

#include "src/bounds/root-inl.h"
#include "src/bounds/separability_pass.hpp"
#include "src/kernel/dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> width(D d, const Columns<T>& columns, std::size_t i, Widths<T> widths) {
  const auto alpha = hn::Load(d, columns.alpha.get() + i);
  return hn::MulAdd(alpha, hn::MulAdd(alpha, hn::Set(d, widths.relative), hn::Set(d, widths.slope)),
                    hn::Set(d, widths.floor));
}

template <class T>
ExcessRange<T> range(const T* HWY_RESTRICT excess, const Columns<T>& columns, std::size_t N, Widths<T> widths) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto last_selected = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(N) - 1);
  const auto none = hn::Set(d, std::numeric_limits<T>::max());
  auto least = none, most = none;
  for (std::size_t i = 0; i < columns.padded; i += hn::Lanes(d)) {
    const auto rest = hn::RebindMask(d, hn::Gt(hn::Load(di, columns.rank.get() + i), last_selected));
    const auto e = hn::Load(d, excess + i), w = width(d, columns, i, widths);
    least = hn::Min(least, hn::IfThenElse(rest, hn::Sub(e, w), none));
    most = hn::Min(most, hn::IfThenElse(rest, hn::Add(e, w), none));
  }
  return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MinOfLanes(d, most))};
}
ATTNCERT_FORMS(range)

template <class T>
Count within(const T* HWY_RESTRICT excess, const Columns<T>& columns, std::size_t N, Widths<T> widths,
             ExcessRange<T> range) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Rank = hn::TFromD<decltype(di)>;
  const auto padding = hn::Set(di, Rank{-1}), first_rest = hn::Set(di, static_cast<Rank>(N));
  const auto least = hn::Set(d, range.least), most = hn::Set(d, range.most);
  Count count;
  for (std::size_t i = 0; i < columns.padded; i += hn::Lanes(d)) {
    const auto rank = hn::Load(di, columns.rank.get() + i);
    const auto selected = hn::RebindMask(d, hn::And(hn::Gt(rank, padding), hn::Lt(rank, first_rest)));
    const auto e = hn::Load(d, excess + i), w = width(d, columns, i, widths);
    count.least += hn::CountTrue(d, hn::And(selected, hn::Le(hn::Add(e, w), least)));
    count.most += hn::CountTrue(d, hn::And(selected, hn::Le(hn::Sub(e, w), most)));
  }
  return count;
}
ATTNCERT_FORMS(within)

// exp(-x) for 0 <= x <= 1/8 by Taylor's sum; what is left out is below x^6/720 < 2^-27 in f32, x^13/13! < 2^-71 in f64.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V small_exponential(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr int degree = sizeof(T) == 4 ? 5 : 12;
  constexpr double factorials[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600};
  auto sum = hn::Set(d, static_cast<T>(1 / factorials[degree]));
#pragma GCC unroll 12
  for (int n = degree - 1; n >= 0; --n) sum = hn::NegMulAdd(x, sum, hn::Set(d, static_cast<T>(1 / factorials[n])));
  return sum;
}

template <class T>
RadiusSums radius(const T* HWY_RESTRICT weights, std::size_t count, const RadiusFormula<T>& formula) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<double> d64;
  const std::size_t lanes = hn::Lanes(d);
  const auto smallest = hn::Set(d, std::numeric_limits<T>::min());
  const auto A = hn::Set(d, formula.mass), q = hn::Set(d, formula.squares);
  const auto half = hn::Set(d, formula.half_separation), rest = hn::Set(d, formula.rest);
  const auto eta_half = hn::Set(d, formula.eta_half_separation), eta_rest = hn::Set(d, formula.eta_rest);
  const auto r = hn::Set(d, formula.r), rate = hn::Set(d, formula.rate);
  auto roots = hn::Zero(d64), literal_roots = roots, exponentials = roots, literal_exponentials = roots,
       clipped = roots;
  RadiusSums sums;
  for (std::size_t group = 0; group < count; group += 4 * lanes) {
    auto some_roots = hn::Zero(d), some_literal = some_roots, some_y = some_roots, some_literal_y = some_roots,
         some_clipped = some_roots;
    const std::size_t end = HWY_MIN(group + 4 * lanes, count);
    for (std::size_t i = group; i < end; i += lanes) {
      // Lanes beyond the last weight are out of every sum, and so is the first weight.
      auto real = hn::FirstN(d, HWY_MIN(lanes, count - i));
      if (i == 0) real = hn::AndNot(hn::FirstN(d, 1), real);
      const auto a = hn::Load(d, weights + i);
      const auto others = hn::Sub(A, a), squares = hn::NegMulAdd(a, a, q), product = hn::Mul(others, others);
      const auto first = hn::Mul(half, squares);
      const auto square = hn::Max(hn::MulAdd(rest, product, first), smallest);
      const auto literal_square = hn::Max(hn::MulAdd(hn::Mul(rest, others), A, first), smallest);
      const auto eta = hn::MulAdd(eta_rest, product, hn::Mul(eta_half, squares));
      auto inverse = half;
      const auto xi = root(d, square, inverse), literal_xi = root(d, literal_square, inverse);
      const auto gap = hn::Sub(r, xi), literal_gap = hn::Sub(r, literal_xi);
      const auto y = small_exponential(d, hn::Mul(hn::Mul(rate, gap), gap));
      const auto literal_y = small_exponential(d, hn::Mul(hn::Mul(rate, literal_gap), literal_gap));
      const auto clip = hn::Min(hn::Set(d, T{1}), hn::Mul(xi, hn::Set(d, formula.inverse_r)));
      some_roots = hn::Add(some_roots, hn::IfThenElseZero(real, xi));
      some_literal = hn::Add(some_literal, hn::IfThenElseZero(real, literal_xi));
      some_y = hn::Add(some_y, hn::IfThenElseZero(real, y));
      some_literal_y = hn::Add(some_literal_y, hn::IfThenElseZero(real, literal_y));
      some_clipped = hn::Add(some_clipped, hn::IfThenElseZero(real, clip));
      sums.surely.least += hn::CountTrue(d, hn::And(real, hn::Le(square, hn::Set(d, formula.xi_least))));
      sums.surely.most += hn::CountTrue(d, hn::And(real, hn::Le(square, hn::Set(d, formula.xi_most))));
      sums.possibly.least += hn::CountTrue(d, hn::And(real, hn::Le(eta, hn::Set(d, formula.eta_least))));
      sums.possibly.most += hn::CountTrue(d, hn::And(real, hn::Le(eta, hn::Set(d, formula.eta_most))));
    }
    roots = hn::Add(roots, widened(d, some_roots));
    literal_roots = hn::Add(literal_roots, widened(d, some_literal));
    exponentials = hn::Add(exponentials, widened(d, some_y));
    literal_exponentials = hn::Add(literal_exponentials, widened(d, some_literal_y));
    clipped = hn::Add(clipped, widened(d, some_clipped));
  }
  sums.roots[0] = hn::GetLane(hn::SumOfLanes(d64, roots));
  sums.roots[1] = hn::GetLane(hn::SumOfLanes(d64, literal_roots));
  sums.exponentials[0] = hn::GetLane(hn::SumOfLanes(d64, exponentials));
  sums.exponentials[1] = hn::GetLane(hn::SumOfLanes(d64, literal_exponentials));
  sums.clipped = hn::GetLane(hn::SumOfLanes(d64, clipped));
  return sums;
}
ATTNCERT_FORMS(radius)

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {
namespace {

ATTNCERT_DISPATCH(range)
ATTNCERT_DISPATCH(within)
ATTNCERT_DISPATCH(radius)

}  // namespace

template <class T>
ExcessRange<T> range_of_rest(const T* excess, const Columns<T>& columns, std::size_t N, Widths<T> widths) {
  return dispatch_range<T>(excess, columns, N, widths);
}
template <class T>
Count selected_within(const T* excess, const Columns<T>& columns, std::size_t N, Widths<T> widths,
                      ExcessRange<T> range) {
  return dispatch_within<T>(excess, columns, N, widths, range);
}
template <class T>
RadiusSums radius_sums(const T* weights, std::size_t count, const RadiusFormula<T>& formula) {
  return dispatch_radius<T>(weights, count, formula);
}

#define ATTNCERT_PASSES_OF(T)                                                                          \
  template ExcessRange<T> range_of_rest(const T*, const Columns<T>&, std::size_t, Widths<T>);          \
  template Count selected_within(const T*, const Columns<T>&, std::size_t, Widths<T>, ExcessRange<T>); \
  template RadiusSums radius_sums(const T*, std::size_t, const RadiusFormula<T>&);
ATTNCERT_PASSES_OF(float)
ATTNCERT_PASSES_OF(double)
#undef ATTNCERT_PASSES_OF

}  // namespace attncert::bounds
#endif  // HWY_ONCE
