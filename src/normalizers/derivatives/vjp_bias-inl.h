// sqrt(exp(-|u|)) for u = z / T + b. T, z and b T are scaled by the power of two that brings T into [1/4, 1/2): b T
// then is exact as two terms, z + b T loses nothing where it cancels, and what overflows or underflows has a u beyond
// all decay or a part of it below every digit.
#if defined(ATTNCERT_NORMALIZERS_VJP_BIAS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_BIAS_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_BIAS_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_BIAS_INL_H
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_number-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

// The scaled T, and the scaled b T = high + low exactly.
struct BiasTerms {
  int exponent;  // of the scale
  double temperature, high, low;
};

HWY_INLINE BiasTerms bias_terms(double temperature, double bias) {
  const int exponent = -std::ilogb(temperature) - 2;
  const double scaled = std::scalbn(temperature, exponent), high = bias * scaled;
  return {exponent, scaled, high, std::fma(bias, scaled, -high)};
}

template <class T>
class BiasedDecay;

template <>
class BiasedDecay<float> {
 public:
  using N = Numbers<float>;
  using V = N::Number;

  HWY_INLINE BiasedDecay(double temperature, double bias) {
    const BiasTerms terms = bias_terms(temperature, bias);
    const int first = std::clamp(terms.exponent, -1000, 1000);
    first_ = N::set(std::ldexp(1.0, first));
    second_ = N::set(std::ldexp(1.0, terms.exponent - first));
    high_ = N::set(terms.high);
    low_ = N::set(terms.low);
    divisor_ = N::set(-2 * terms.temperature);
  }

  HWY_INLINE V root(V x) const {
    const V z = x * first_ * second_, sum = z + high_;
    const V rest = lost_by(z, high_, sum) + low_;  // NaN where z overflowed
    const V u = N::choose(N::above(N::size(sum), N::set(0x1p900)), sum, sum + rest);
    return Exponential<float>::of(N::size(u) / divisor_);
  }

 private:
  V first_ = N::set(1), second_ = N::set(1), high_ = N::set(0), low_ = N::set(0), divisor_ = N::set(1);
};

template <>
class BiasedDecay<double> {
 public:
  BiasedDecay(double temperature, double bias)
      : terms_(bias_terms(temperature, bias)), rate_(make_rate(1, terms_.temperature)) {}

  long double root(long double x) const {
    const long double z = std::scalbn(x, terms_.exponent), high = static_cast<long double>(terms_.high), sum = z + high;
    const long double rest = lost_by(z, high, sum) + static_cast<long double>(terms_.low);
    const long double total = sum + rest, lost = lost_by(sum, rest, total);
    const LongPair argument = exact_product(total, rate_.head);
    const long double head = argument.high;
    if (!(std::abs(head) < 22000)) return 0;
    const long double tail = argument.low + (total * rate_.tail + lost * rate_.head);
    return std::exp(-std::abs(head) / 2) * (1 + (head < 0 ? tail : -tail) / 2);
  }

 private:
  BiasTerms terms_;
  Rate rate_;
};

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
