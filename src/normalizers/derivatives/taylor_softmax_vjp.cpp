// The derivative of taylor-softmax of even order n: (J^T g)_i = a_i F_(n-1)(z_i) / F_n(z_i) (g_i - sum_j a_j g_j) / T
// with z / T for z and a = F_n / sum F_n; for F_n' = F_(n-1), a polynomial of odd order with one root, beside which it
// is computed to its last digits (taylor_slope.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/taylor_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/derivatives/taylor_slope.hpp"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_mean.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/separable/taylor_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// f32: in double, by TaylorSum, whose slope is within 2^-46 of itself where it is 2^-50 of its terms; nearer to the
// root from integers.
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

void taylor_softmax_vjp_f32(const Batch<float>& batch) {
  const Rate rate = make_rate(1, batch.temperature);
  SingleTaylor taylor(batch.parameters.order, batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<float>& row) HWY_ATTR {
    taylor.prepare(row);
    vjp::write_normalized(
        row, taylor.rate_of_slopes(rate), 0, [&](auto x) HWY_ATTR { return taylor.weight(x); },
        [&](auto x) HWY_ATTR { return taylor.slope(x); });
  });
}

void taylor_softmax_vjp_f64(const Batch<double>& batch) {
  using T = double;
  constexpr T absent = -std::numeric_limits<T>::infinity();
  const long double rate = make_rate(1, batch.temperature).head;
  TaylorSlope taylor(batch.parameters.order, batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) {
    taylor.prepare(static_cast<double>(row.largest), static_cast<double>(row.smallest));
    UpstreamMean mean;
    for (std::size_t i = 0; i < row.length; ++i) {
      if (row.logits[i] == absent) continue;
      mean.add(taylor(static_cast<double>(row.logits[i])).weight, static_cast<long double>(row.upstream[i]));
    }
    mean.close();
    for (std::size_t i = 0; i < row.length; ++i) {
      T gradient = 0;
      if (row.logits[i] != absent) {
        const long double slope = taylor(static_cast<double>(row.logits[i])).slope / mean.total();
        gradient = static_cast<T>(slope * mean.centred(static_cast<long double>(row.upstream[i])) * rate);
      }
      row.gradient[i] = gradient;
    }
  });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(taylor_softmax_vjp, "taylor-softmax-vjp", WithOrder<PlainEntry>, vjp_budget<float>(),
                vjp_budget<double>())
#endif  // HWY_ONCE
