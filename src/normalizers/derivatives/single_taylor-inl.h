// Weights and slopes of taylor-softmax for the derivative of f32: in double, by TaylorSum, whose slope is within 2^-46
// of itself where it is 2^-50 of its terms; nearer to the root from integers.
#if defined(ATTNCERT_NORMALIZERS_SINGLE_TAYLOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SINGLE_TAYLOR_INL_H
#undef ATTNCERT_NORMALIZERS_SINGLE_TAYLOR_INL_H
#else
#define ATTNCERT_NORMALIZERS_SINGLE_TAYLOR_INL_H
#endif

#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/taylor_slope.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/separable/taylor_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

class SingleTaylor {
 public:
  using N = vjp::Numbers<float>;

  SingleTaylor(std::size_t order, double temperature)
      : sum_(order, temperature), order_(order), temperature_(temperature) {}
  HWY_INLINE void prepare(const vjp::Row<float>& row) {
    sum_.prepare(static_cast<double>(row.largest), static_cast<double>(row.smallest));
  }
  // Slopes are s times those of the weights: 1 / (T s) is between 2^-130 and 2^150 where s is not 1.
  Rate rate_of_slopes(const Rate& rate) const {
    return {std::ldexp(rate.head, -sum_.scaling()), std::ldexp(rate.tail, -sum_.scaling())};
  }
  HWY_INLINE N::Number weight(N::Number x) const { return sum_.slope(x).value; }
  HWY_INLINE N::Number slope(N::Number x) const {
    const TaylorSum::Slope s = sum_.slope(x);
    const auto lost = hn::Lt(hn::Abs(s.slope), hn::Mul(s.sizes, N::set(0x1p-50)));  // false where absent
    return HWY_LIKELY(hn::AllFalse(wide::D(), lost)) ? s.slope : beside_root(x, s.slope, lost);
  }

 private:
  HWY_NOINLINE N::Number beside_root(N::Number x, N::Number slope, N::Choice lost) const {
    const wide::D d;
    HWY_ALIGN double logits[HWY_MAX_BYTES / sizeof(double)], slopes[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(x, d, logits);
    hn::Store(slope, d, slopes);
    const auto exact = [&](std::size_t i) {
      return std::ldexp(exact_taylor_slope(order_, logits[i], temperature_), sum_.slope_exponent());
    };
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
      if (hn::CountTrue(d, hn::And(lost, hn::Eq(x, hn::Set(d, logits[i])))) > 0)
        slopes[i] = static_cast<double>(exact(i));
    return hn::Load(d, slopes);
  }

  TaylorSum sum_;
  std::size_t order_;
  double temperature_;
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
