// sigmoid: w_i = sigma(z_i / T + b). In units of T' (scale.hpp) the argument is z' + b T', b T' an exact pair, so the
// sum is a pair that keeps its digits where z / T and b cancel; sigmoid-inl.h does the rest. Nothing is normalized.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/separable/sigmoid.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/separable/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// z / T + b to the pair that PairExp takes. A large b works at 2^-100, lest b T' overflow; what is beyond `far` then or
// now saturates, so it may be cut.
class BiasedArgument {
 public:
  BiasedArgument(const Scale<double>& scale, double bias) : down_(wide::set(scale.down)) {
    const bool large = std::abs(bias) >= 0x1p200;
    const double shrink = large ? 0x1p-100 : 1, product = bias * shrink * scale.exact_temperature;
    up_ = wide::set(scale.up * shrink);
    grow_ = wide::set(1 / shrink);
    bias_high_ = wide::set(product);
    bias_low_ = wide::set(std::fma(bias * shrink, scale.exact_temperature, -product));
    limit_ = wide::set(kLimit * scale.temperature);
  }

  HWY_INLINE wide::Pair operator()(wide::V x) const {
    const wide::V far = wide::set(0x1p1000);
    const wide::V z = hn::Min(hn::Max(hn::Mul(hn::Mul(x, down_), up_), hn::Neg(far)), far);
    const wide::Pair sum = two_sum(z, bias_high_), rest = two_sum(sum.low, bias_low_);
    const wide::Pair high = two_sum(sum.high, rest.high);
    const wide::Pair all = fast_two_sum(high.high, hn::Add(high.low, rest.low));
    const wide::V a = hn::Mul(all.high, grow_);
    const auto inside = hn::Lt(hn::Abs(a), limit_);
    return {hn::Min(hn::Max(a, hn::Neg(limit_)), limit_), hn::IfThenElseZero(inside, hn::Mul(all.low, grow_))};
  }

 private:
  static constexpr double kLimit = 800;  // e^-800 < 2^-1154: zero in every format

  wide::V down_, up_ = wide::set(1), grow_ = wide::set(1), limit_ = wide::set(0);
  wide::V bias_high_ = wide::set(0), bias_low_ = wide::set(0);
};

// value 2^n; below the smallest normal number the second factor rounds, or is 0 where nothing is left: rounding to
// nothing costs a processor a hundred cycles.
HWY_INLINE wide::V settled(const wide::Scaled& s) {
  const wide::V first = hn::Max(s.n, wide::set(-1000));
  const wide::V scaled = hn::Mul(s.value.high, wide::power_of_two(first));
  const auto some = hn::Ge(s.n, wide::set(-1080));
  return hn::Mul(scaled, hn::IfThenElseZero(some, wide::power_of_two(hn::Sub(s.n, first))));
}

template <class T>
void sigmoid(const Batch<T>& batch) {
  const Scale<double> scale = make_scale<double>(batch.temperature, 0);
  const wide::PairExp exp(scale);
  const BiasedArgument argument(scale, batch.parameters.bias);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const T* x = batch.input + row * batch.input_stride;
    T* y = batch.output + row * batch.output_stride;
    if (HWY_UNLIKELY(wide::census(x, batch.length).nan)) {
      fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    for (std::size_t i = 0; i < batch.length; i += hn::Lanes(wide::D())) {
      const wide::Pair a = argument(wide::load(x + i, batch.length - i));
      wide::store(settled(wide::sigmoid(exp, a.high, a.low, wide::set(1))), y + i, batch.length - i);
    }
  }
}
ATTNCERT_FORMS(sigmoid)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, sigmoid.
ATTNCERT_KERNEL(sigmoid, "sigmoid", WithBias<PlainEntry>, (Budget{0.501, 0.501}), (Budget{0.97, 0.97}))
#endif  // HWY_ONCE
