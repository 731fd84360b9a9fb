// The derivatives of self-adjusted softmax V1 to V3, w_i = f_i p_i with f_i = (z_i - lo) / U and U = T (V1) or hi - lo
// (V2, V3):
//   (J^T g)_k = p_k (f_k g_k - sum_j f_j p_j g_j) / T + (p_k g_k - l_k L - h_k F) / U,
// l, h = the shares of k among the logits that are lo, hi; F = sum f_j p_j g_j, L = sum (hi - z_j) / U p_j g_j (V1: sum
// p_j g_j). The first parenthesis cancels where the f are nearly equal: with f_j = f_max - e_j it is f_max
// (g_k - G) - (e_k g_k - E), G = sum p_j g_j, E = sum e_j p_j g_j. The second cancels where an end has most of the
// weight: there it is p_k (g_k - the mean of g at that end) less its share of the other logits' sum (docs/budgets.md).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/sa_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_centre-inl.h"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T, int kVariant>
class AdjustedSlope {
 public:
  using N = vjp::Numbers<T>;
  using Number = typename N::Number;
  using Scalar = typename N::Scalar;

  HWY_INLINE explicit AdjustedSlope(double temperature) : rate_(make_rate(1, temperature)), times_(rate_) {}

  HWY_INLINE void operator()(const vjp::Row<T>& row) const {
    const Ends ends = ends_of(row);
    if (kVariant != 1 && !(ends.low < ends.high)) return fill(row.gradient, row.length, T(0));
    write(row, ends);
  }

 private:
  static constexpr bool kOfTemperature = kVariant == 1;  // U = T

  struct Ends {
    Scalar low, high;
    bool low_moves, high_moves;  // with the logits: not where V3 clips them
  };

  static HWY_INLINE Ends ends_of(const vjp::Row<T>& row) {
    const Scalar least = static_cast<Scalar>(row.smallest), most = static_cast<Scalar>(row.largest);
    if (kVariant != 3) return {least, most, true, kVariant == 2};
    const bool negative = least < 0;
    const bool positive = most > 0;
    return {std::min(least, Scalar(0)), std::max(most, Scalar(0)), negative, positive};
  }

  // d / U. Over T below 2^700 in f32: what is beyond needs T < 2^-571, where a gradient is 0 or infinite.
  HWY_INLINE Number over_unit(Number d, Number range) const {
    if constexpr (kOfTemperature) {
      constexpr long double limit = sizeof(T) == 4 ? 0x1p700L : 0x1p5000L;
      return N::smaller(times_(d), N::set(static_cast<Scalar>(limit)));
    } else {
      return d / range;
    }
  }

  using Centre = vjp::Centre<T>;

  // The centre of the upstreams of the `count` logits that are `end`. A single one leaves 0 and is not read.
  static HWY_INLINE Centre centre_of_ties(const vjp::Row<T>& row, T end, Scalar count) {
    Centre centre(row, end);
    if (!(count > 1)) return centre;
    const Number one = N::set(1), value = N::set(static_cast<Scalar>(end));
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t)
                       HWY_ATTR { centre.add(N::where(present, only_at(value, x, one)), g); });
    centre.close_rough(count);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t)
                       HWY_ATTR { centre.add_rest(N::where(present, only_at(value, x, one)), g); });
    centre.close(count);
    return centre;
  }

  // v where x is the end, 0 elsewhere; and the other way round.
  static HWY_INLINE Number only_at(Number end, Number x, Number v) { return N::where(N::equal(x, end), v); }
  static HWY_INLINE Number but_at(Number end, Number x, Number v) { return N::choose(N::equal(x, end), N::set(0), v); }

  HWY_INLINE void write(const vjp::Row<T>& row, const Ends& ends) const {
    const vjp::Exponential<T> weight(rate_, row.largest);
    const Number one = N::set(1);
    const Number least = N::set(static_cast<Scalar>(row.smallest)), most = N::set(static_cast<Scalar>(row.largest));
    const Number low = N::set(ends.low), high = N::set(ends.high), range = N::set(ends.high - ends.low);
    typename N::Sum weights, lowest, largest;
    Centre whole(row, row.largest);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      weights.add(w);
      whole.add(w, g);
      lowest.add(N::where(present, only_at(least, x, one)));
      largest.add(N::where(present, only_at(most, x, one)));
    });
    const Scalar sum = weights.total(), lows = lowest.total(), highs = largest.total();
    whole.close_rough(sum);
    typename N::Sum depth_sum, below_sum, above_sum;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x)), product = w * g;
      whole.add_rest(w, g);
      depth_sum.add(N::where(present, over_unit(most - x, range) * product));
      const auto below = kOfTemperature ? product : N::where(present, over_unit(high - x, range) * product);
      below_sum.add(but_at(least, x, below));
      if (!kOfTemperature) above_sum.add(but_at(most, x, N::where(present, over_unit(x - low, range) * product)));
    });
    whole.close(sum);
    const Number inverse = N::set(1 / sum), depths = N::set(depth_sum.total() / sum);
    const Number at_low = N::set(below_sum.total() / sum / lows), at_high = N::set(above_sum.total() / sum / highs);
    const Centre lower = centre_of_ties(row, row.smallest, ends.low_moves ? lows : 0);
    const Centre upper = centre_of_ties(row, row.largest, ends.high_moves ? highs : 0);
    const Number top = over_unit(most - low, range);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      const auto share = weight(x) * inverse;
      const auto inner = top * whole.centred(g) + (depths - over_unit(most - x, range) * g);
      auto ended = share * g;
      if (ends.low_moves) ended = N::choose(N::equal(x, least), share * lower.centred(g) - at_low, ended);
      if (ends.high_moves) ended = N::choose(N::equal(x, most), share * upper.centred(g) - at_high, ended);
      const auto slope = kOfTemperature ? times_(share * inner + ended) : times_(share * inner) + ended / range;
      N::store(N::where(present, slope), row.gradient + i, count);
    });
  }

  Rate rate_;
  vjp::Times<T> times_;
};

template <class T, int kVariant>
HWY_INLINE void sa_softmax_vjp_variant(const Batch<T>& batch) {
  const AdjustedSlope<T, kVariant> slope(batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR { slope(row); });
}

template <class T>
void sa_softmax_vjp(const Batch<T>& batch, int variant) {
  if (variant == 1) return sa_softmax_vjp_variant<T, 1>(batch);
  if (variant == 2) return sa_softmax_vjp_variant<T, 2>(batch);
  return sa_softmax_vjp_variant<T, 3>(batch);
}
ATTNCERT_FORMS(sa_softmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(sa_softmax_vjp)

// Budgets: docs/budgets.md, derivatives; 0.006 for f64: 1.5 2^53 (4 w + 27 u) = 0.0315 < 0.032 at w = 4 u.
ATTNCERT_KERNEL_RUN(sa_softmax_v1_vjp, "sa-softmax-v1-vjp", PlainEntry, dispatch_sa_softmax_vjp<T>(batch, 1),
                    vjp_budget<float>(), vjp_budget<double>(0.006))
ATTNCERT_KERNEL_RUN(sa_softmax_v2_vjp, "sa-softmax-v2-vjp", PlainEntry, dispatch_sa_softmax_vjp<T>(batch, 2),
                    vjp_budget<float>(), vjp_budget<double>(0.006))
ATTNCERT_KERNEL_RUN(sa_softmax_v3_vjp, "sa-softmax-v3-vjp", PlainEntry, dispatch_sa_softmax_vjp<T>(batch, 3),
                    vjp_budget<float>(), vjp_budget<double>(0.006))
#endif  // HWY_ONCE
