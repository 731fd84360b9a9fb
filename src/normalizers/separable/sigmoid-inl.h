// sigma(w) = e / (1 + e) for w < 0, 1 / (1 + e) for w >= 0, e = exp(-|w|), as (high + low) 2^n: neither 1 + e nor the
// quotient is rounded to double, so the value rounds once where it is stored and order is kept at w = 0 and beyond.
#if defined(ATTNCERT_NORMALIZERS_SIGMOID_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SIGMOID_INL_H
#undef ATTNCERT_NORMALIZERS_SIGMOID_INL_H
#else
#define ATTNCERT_NORMALIZERS_SIGMOID_INL_H
#endif

#include "hwy/highway.h"
#include "src/normalizers/separable/exp_pair-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace wide {

struct Scaled {
  Pair value;
  V n;  // the value is to be multiplied by 2^n; 0 for w >= 0
};

// w = (a + low) / T', with the limits of PairExp. one: 1, or 0 to get exp(w) itself (far left they are the same).
HWY_INLINE Scaled sigmoid(const PairExp& exp, V a, V low, V one) {
  const auto negative = hn::Lt(a, hn::Zero(D()));
  const V size = hn::IfThenElse(negative, a, hn::Neg(a));
  const PairExp::Parts e = exp(size, hn::IfThenElse(negative, low, hn::Neg(low)));
  const V power = hn::Mul(power_of_two(hn::Max(e.n, set(-500))), one);  // beside 1 nothing, and nothing is subnormal
  const Pair sum = fast_two_sum(set(1), hn::Mul(e.high, power));
  const V sum_low = hn::MulAdd(e.low, power, sum.low);
  const V top = hn::IfThenElse(negative, e.high, set(1));
  const V top_low = hn::IfThenElseZero(negative, e.low);
  const V high = hn::Div(top, sum.high);
  const Pair product = two_product(high, sum.high);
  const V rest = hn::Sub(hn::Add(hn::Sub(hn::Sub(top, product.high), product.low), top_low), hn::Mul(high, sum_low));
  return {fast_two_sum(high, hn::Div(rest, sum.high)), hn::IfThenElseZero(negative, e.n)};
}

}  // namespace wide
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
