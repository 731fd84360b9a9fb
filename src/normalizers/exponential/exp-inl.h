// exp(x / T) 2^-N without rounding x - max: e = 2^(n - N) (1 + (t + t^2 q(t))), n = rint(x log2(e) / T), t = x / T - n
// ln2. The factor 2^-N cancels in e / sum, so the difference of logits is taken exactly, in the exponent. N puts the
// largest e of the row near 2^headroom: none of them is subnormal and the one product e / sum rounds a subnormal weight
// once. 1 + (t + t^2 q) keeps 1 + t unrounded: what t^2 q rounds is below the spacing of t, so order is kept within one
// n. Vectors of 16 f32 round to sixteenths: n = 16 k + j, and e = 2^(k - N) 2^(j/16) (1 + ...), the second power from a
// table.
#if defined(ATTNCERT_NORMALIZERS_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_EXP_INL_H
#undef ATTNCERT_NORMALIZERS_EXP_INL_H
#else
#define ATTNCERT_NORMALIZERS_EXP_INL_H
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/normalizers/exponential/exp_powers-inl.h"
#include "src/normalizers/exponential/row_shift-inl.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// exp(t) - 1 for |t| <= 1.001 ln2 / 2, of kN vectors step by step: side by side they keep the machine busy, one after
// the other they wait. Coefficients: scripts/fit_exp.py; largest relative error of exp(t) 2^-28.2 and 2^-57.9.
template <std::size_t kN, class D, hwy::EnableIf<sizeof(Lane<D>) == 4>* = nullptr>
HWY_INLINE void exp_minus_one(D d, hn::Vec<D> (&t)[kN]) {
  hn::Vec<D> t2[kN], low[kN], q[kN];  // q by halves: 8 cycles sooner than Horner's rule, and no operation more
  for (std::size_t k = 0; k < kN; ++k) t2[k] = hn::Mul(t[k], t[k]);
  for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(hn::Set(d, 0x1.1239ap-7f), t[k], hn::Set(d, 0x1.5558b8p-5f));
  for (std::size_t k = 0; k < kN; ++k)
    low[k] = hn::MulAdd(hn::Set(d, 0x1.555492p-3f), t[k], hn::Set(d, 0x1.fffffcp-2f));
  for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(hn::Set(d, 0x1.6a44bap-10f), t2[k], q[k]);
  for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(q[k], t2[k], low[k]);
  for (std::size_t k = 0; k < kN; ++k) t[k] = hn::MulAdd(t2[k], q[k], t[k]);
}

template <std::size_t kN, class D, hwy::EnableIf<sizeof(Lane<D>) == 8>* = nullptr>
HWY_INLINE void exp_minus_one(D d, hn::Vec<D> (&t)[kN]) {
  constexpr double coefficients[] = {0x1.28ae3eb1d14cap-22, 0x1.71df131cfe785p-19, 0x1.a01999207f6adp-16,
                                     0x1.a01a01327fceep-13, 0x1.6c16c18489a60p-10, 0x1.111111112638ap-7,
                                     0x1.5555555550685p-5,  0x1.5555555555500p-3,  0x1.000000000000ap-1};
  hn::Vec<D> q[kN];
  for (std::size_t k = 0; k < kN; ++k) q[k] = hn::Set(d, 0x1.ad9c6c451aba3p-26);
  for (const double c : coefficients) {
    for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(q[k], t[k], hn::Set(d, c));
  }
  for (std::size_t k = 0; k < kN; ++k) t[k] = hn::MulAdd(hn::Mul(t[k], t[k]), q[k], t[k]);
}

template <class D>
HWY_INLINE hn::Vec<D> exp_near_zero(D d, hn::Vec<D> t) {
  hn::Vec<D> v[1] = {t};
  exp_minus_one(d, v);
  return hn::Add(hn::Set(d, Lane<D>(1)), v[0]);
}

// (1 + m) 2^n, rounded once: the power of two is exact. A NaN stays one, as it would not in integer arithmetic.
template <class D>
HWY_INLINE hn::Vec<D> one_more_times(D d, hn::Vec<D> m, hn::Vec<D> power) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(m, power, power);
#else
  return hn::Mul(hn::Add(hn::Set(d, Lane<D>(1)), m), power);
#endif
}

// A form of the exponential says how several vectors go side by side, and one goes likewise.
template <class Exp>
struct OneLikeSeveral {
  static constexpr bool kShallow = false;
  template <class V>
  HWY_INLINE V operator()(V x) const {
    V v[1] = {x};
    static_cast<const Exp*>(this)->all(v);
    return v[0];
  }
};

// unit: shift.unit holds. near: shift.near holds; one multiplication instead of four. shallow: besides, no logit is
// more than kShallowDepth T below the largest: nothing to clamp, and no subnormal weight to watch for.
enum class ExpForm : std::uint8_t { any, unit, near, shallow_unit, shallow_near };
constexpr ExpForm exp_form(bool unit, bool shallow = false) {
  if (shallow) return unit ? ExpForm::shallow_unit : ExpForm::shallow_near;
  return unit ? ExpForm::unit : ExpForm::near;
}

// The exponential of a row.
template <class D, ExpForm kForm>
class RowExp : public OneLikeSeveral<RowExp<D, kForm>> {
  static constexpr bool kUnit = kForm == ExpForm::unit || kForm == ExpForm::shallow_unit;
  static constexpr bool kNear = kForm == ExpForm::near || kForm == ExpForm::shallow_near;

 public:
  static constexpr bool kShallow = kForm == ExpForm::shallow_unit || kForm == ExpForm::shallow_near;
  using V = hn::Vec<D>;

  HWY_INLINE RowExp(D d, const Scale<Lane<D>>& scale, const RowShift<Lane<D>>& shift)
      : floor_(hn::Set(d, kNear ? shift.near_floor : shift.floor)),
        magic_(hn::Set(d, shift.magic)),
        rate_(hn::Set(d, kNear ? scale.near_rate : scale.rate)),
        head_(hn::Set(d, kNear ? scale.near_head : scale.head)),
        tail_(hn::Set(d, kNear ? scale.near_tail : scale.tail)),
        down_(hn::Set(d, scale.down)),
        up_(hn::Set(d, scale.up)),
        subtract_(hn::Set(d, shift.subtract)),
        inverse_(hn::Set(d, kNear ? scale.near_inverse : scale.inverse)) {
    if constexpr (kTabled<D>) {
      magic_ = hn::Set(d, (shift.magic - 0x1.8p23f) * 16 + 0x1.8p23f);
      rate_ = hn::Mul(rate_, hn::Set(d, 16.f));
      head_ = hn::Mul(head_, hn::Set(d, 0.0625f));
      tail_ = hn::Mul(tail_, hn::Set(d, 0.0625f));
    }
  }

  // x where it is not below the floor: what a shallow row's tail has in its absent lanes is.
  HWY_INLINE V from_floor(V x) const { return at_least(D(), floor_, x); }

  // The exponentials of kN vectors, in their place; bits as of each alone.
  template <std::size_t kN>
  HWY_INLINE void all(V (&x)[kN]) const {
    const D d;
    const hn::RebindToUnsigned<D> du;
    constexpr int fraction_bits = FormatLimits<Lane<D>>::mantissa_bits - 1;
    V z[kN], n[kN];
    if (!kUnit && !kNear) {
      for (std::size_t k = 0; k < kN; ++k) x[k] = hn::Mul(hn::Sub(hn::Mul(x[k], down_), subtract_), up_);
    }
    for (std::size_t k = 0; !kShallow && k < kN; ++k) x[k] = at_least(d, floor_, x[k]);
    for (std::size_t k = 0; k < kN; ++k) z[k] = hn::MulAdd(x[k], rate_, magic_);
    for (std::size_t k = 0; k < kN; ++k) n[k] = hn::Sub(z[k], magic_);
    for (std::size_t k = 0; k < kN; ++k) x[k] = hn::NegMulAdd(n[k], head_, x[k]);
    for (std::size_t k = 0; k < kN; ++k) x[k] = hn::NegMulAdd(n[k], tail_, x[k]);
    if (!kUnit) {
      for (std::size_t k = 0; k < kN; ++k) x[k] = hn::Mul(x[k], inverse_);
    }
    if constexpr (kTabled<D>) return powers_.times(x, z);
    exp_minus_one(d, x);
    for (std::size_t k = 0; k < kN; ++k) {
      const V power = hn::BitCast(d, hn::ShiftLeft<fraction_bits>(hn::BitCast(du, z[k])));
      x[k] = one_more_times(d, x[k], power);
    }
  }

 private:
  V floor_, magic_, rate_, head_, tail_, down_, up_, subtract_, inverse_;
  Powers<D> powers_;  // kTabled
};

// Calls with(exp) for the cheapest form of the exponential that serves the row.
template <class D, class With, class T = Lane<D>>
HWY_INLINE auto with_exp(D d, const Scale<T>& scale, const RowShift<T>& shift, const With& with, bool shallow = false) {
  if (HWY_LIKELY(shallow)) {
    if (HWY_LIKELY(shift.unit)) return with(RowExp<D, ExpForm::shallow_unit>(d, scale, shift));
    return with(RowExp<D, ExpForm::shallow_near>(d, scale, shift));
  }
  if (HWY_LIKELY(shift.unit)) return with(RowExp<D, ExpForm::unit>(d, scale, shift));
  if (HWY_LIKELY(shift.near)) return with(RowExp<D, ExpForm::near>(d, scale, shift));
  return with(RowExp<D, ExpForm::any>(d, scale, shift));
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
