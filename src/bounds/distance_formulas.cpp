#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/distance_formulas.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/bounds/distance_formulas.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// The operations of ball.hpp, lane by lane.
struct Ball {
  V value, error;
};
HWY_INLINE V above(V error) {
  const D d;
  return hn::MulAdd(error, hn::Set(d, 1 + 0x1p-49), hn::Set(d, 0x1p-1000));
}
HWY_INLINE Ball ball(Certified number) {
  const D d;
  return {hn::Set(d, number.value), hn::Set(d, number.error)};
}
HWY_INLINE Ball sum(Ball a, Ball b) {
  const V value = hn::Add(a.value, b.value);
  return {value, above(hn::MulAdd(hn::Abs(value), hn::Set(D(), roundoff), hn::Add(a.error, b.error)))};
}
HWY_INLINE Ball difference(Ball a, Ball b) { return sum(a, {hn::Neg(b.value), b.error}); }
HWY_INLINE Ball product(Ball a, Ball b) {
  const V value = hn::Mul(a.value, b.value);
  const V inputs = hn::MulAdd(hn::Abs(a.value), b.error, hn::Mul(a.error, hn::Add(hn::Abs(b.value), b.error)));
  return {value, above(hn::MulAdd(hn::Abs(value), hn::Set(D(), roundoff), inputs))};
}
HWY_INLINE Ball product(V exact, Ball b) {  // an integer below 2^53
  const V value = hn::Mul(exact, b.value);
  return {value, above(hn::MulAdd(hn::Abs(value), hn::Set(D(), roundoff), hn::Mul(hn::Abs(exact), b.error)))};
}
HWY_INLINE Ball within(V value, double relative, double absolute) {
  return {value, above(hn::MulAdd(hn::Abs(value), hn::Set(D(), relative), hn::Set(D(), absolute)))};
}
HWY_INLINE Ball scaled(Ball a, PowerOfTwo scale) {
  const D d;
  const V first = hn::Set(d, scale.first), second = hn::Set(d, scale.second);
  return {hn::Mul(hn::Mul(a.value, first), second), above(hn::Mul(hn::Mul(a.error, first), second))};
}
HWY_INLINE Ball load(const double (&from)[2][points_at_once], std::size_t i) {
  const D d;
  return {hn::Load(d, from[0] + i), hn::Load(d, from[1] + i)};
}
HWY_INLINE void store(Ball ball, double (&to)[2][points_at_once], std::size_t i) {
  const D d;
  hn::Store(ball.value, d, to[0] + i);
  hn::Store(ball.error, d, to[1] + i);
}

HWY_INLINE void right_sides(const DistanceTerms& terms, const DistanceConstants& constants, std::size_t i,
                            DistanceFound& found) {
  const D d;
  const V mass_error = hn::Set(d, constants.mass_error);
  const Ball unit = ball(constants.unit), weighted = ball(constants.weighted);
  const Ball mass = product(Ball{hn::Load(d, terms.mass + i), mass_error}, unit);
  const Ball rest = constants.divided ? product(Ball{hn::Load(d, terms.rest_mass + i), mass_error}, unit)
                                      : difference(ball(exact(1)), mass);
  store(mass, found.selected_mass, i);
  store(product(within(hn::Load(d, terms.rest_norms + i), constants.sum_of_norms, constants.sum_floor), weighted),
        found.unselected, i);
  store(product(load(terms.distance, i), weighted), found.distance, i);
  store(product(load(terms.context, i), weighted), found.context, i);
  const Ball apart = scaled(load(terms.diameter, i), constants.scale);
  const Ball m =
      scaled(within(hn::Load(d, terms.largest + i), constants.norm_error, constants.norm_floor), constants.scale);
  store(apart, found.diameter, i);
  store(m, found.largest_selected, i);
  const V others = hn::Sub(hn::Set(d, constants.length), hn::Load(d, terms.N + i));
  const Ball near = product(rest, apart), far = product(m, difference(product(others, mass), rest));
  store(sum(near, far), found.corrected, i);
  store(sum(near, product(m, far)), found.printed, i);
}

// (N+1) A + N (N-3)/(L-1) (B-A), with A's coefficient in one piece: it is positive, B's is negative for N = 1, 2 only.
HWY_INLINE void expectations(const DistanceTerms& terms, const DistanceConstants& constants, std::size_t i,
                             DistanceFound& found) {
  const D d;
  const V N = hn::Load(d, terms.N + i), L = hn::Set(d, constants.length), one = hn::Set(d, 1.0);
  const V of_B = hn::Mul(N, hn::Sub(N, hn::Set(d, 3.0)));
  const V of_A = hn::Sub(hn::Mul(hn::Add(N, one), hn::Sub(L, one)), of_B);
  const Ball share = product(hn::Sub(L, N), ball(constants.one_of_all)), pairs = ball(constants.one_of_others);
  const Ball moments = sum(product(of_A, ball(constants.A)), product(of_B, ball(constants.B)));
  store(product(product(share, pairs), moments), found.second_moment, i);
  const Ball t = product(N, pairs);
  const Ball inner = sum(ball(constants.slope), product(t, ball(constants.squares)));
  store(product(share, sum(ball(constants.constant), product(t, inner))), found.printed_expectation, i);
}

void formulas(const DistanceTerms& terms, const DistanceConstants& constants, DistanceFound& found) {
  for (std::size_t i = 0; i < points_at_once; i += hn::Lanes(D())) {
    right_sides(terms, constants, i, found);
    expectations(terms, constants, i, found);
  }
}

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {
HWY_EXPORT(formulas);
void distance_formulas(const DistanceTerms& terms, const DistanceConstants& constants, DistanceFound& found) {
  HWY_DYNAMIC_DISPATCH(formulas)(terms, constants, found);
}
}  // namespace attncert::bounds
#endif  // HWY_ONCE
