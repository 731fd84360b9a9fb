// The derivatives of self-adjusted softmax V1 to V3, w_i = f_i p_i with f_i = (z_i - lo) / U and U = T (V1) or hi - lo (V2, V3):
//   (J^T g)_k = p_k (f_k g_k - sum_j f_j p_j g_j) / T + (p_k g_k - l_k L - h_k F) / U,
// l, h = the shares of k among the logits that are lo, hi; F = sum f_j p_j g_j, L = sum (hi - z_j) / U p_j g_j (V1: sum p_j g_j).
// The first parenthesis cancels where the f are nearly equal: with f_j = f_max - e_j it is f_max (g_k - G) - (e_k g_k - E),
// G = sum p_j g_j, E = sum e_j p_j g_j (docs/budgets.md).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/sa_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "src/normalizers/entry.hpp"
#include "src/normalizers/vjp_budget.hpp"
#include "src/normalizers/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

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

  // The upstream of a largest logit: equal upstreams leave no difference from it.
  static HWY_INLINE Scalar first_upstream(const vjp::Row<T>& row) {
    const T* const at = std::find(row.logits, row.logits + row.length, row.largest);
    return static_cast<Scalar>(row.upstream[at - row.logits]);
  }

  HWY_INLINE void write(const vjp::Row<T>& row, const Ends& ends) const {
    const vjp::Exponential<T> weight(rate_, row.largest);
    const Number zero = N::set(0), one = N::set(1), origin = N::set(-first_upstream(row));
    const Number least = N::set(static_cast<Scalar>(row.smallest)), most = N::set(static_cast<Scalar>(row.largest));
    const Number low = N::set(ends.low), high = N::set(ends.high), range = N::set(ends.high - ends.low);
    typename N::Sum weights, rough_sum, lowest, largest;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      weights.add(w);
      rough_sum.add(w * (g + origin));
      lowest.add(N::where(present, N::choose(N::above(x, least), zero, one)));
      largest.add(N::where(present, N::choose(N::above(most, x), zero, one)));
    });
    const Scalar sum = weights.total();
    const Number rough = N::set(rough_sum.total() / sum), inverse = N::set(1 / sum);
    // g - G but for what the rough mean misses: the mean of these is taken again.
    const auto centred = [&](auto g) HWY_ATTR {
      const auto difference = g + origin;
      return (difference - rough) + vjp::lost_by(g, origin, difference);
    };
    typename N::Sum rest_sum, depth_sum, below_sum, above_sum;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      rest_sum.add(w * centred(g));
      depth_sum.add(N::where(present, w * over_unit(most - x, range) * g));
      below_sum.add(kOfTemperature ? w * g : N::where(present, w * over_unit(high - x, range) * g));
      if (!kOfTemperature) above_sum.add(N::where(present, w * over_unit(x - low, range) * g));
    });
    const Number rest = N::set(rest_sum.total() / sum), depths = N::set(depth_sum.total() / sum);
    const Number at_low = N::set(ends.low_moves ? below_sum.total() / sum / lowest.total() : 0);
    const Number at_high = N::set(ends.high_moves ? above_sum.total() / sum / largest.total() : 0);
    const Number top = over_unit(most - low, range);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      const auto share = weight(x) * inverse;
      const auto inner = top * (centred(g) - rest) + (depths - over_unit(most - x, range) * g);
      const auto moved = N::choose(N::above(x, least), zero, at_low) + N::choose(N::above(most, x), zero, at_high);
      const auto slope =
          kOfTemperature ? times_(share * (g + inner) - moved) : times_(share * inner) + (share * g - moved) / range;
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
HWY_INLINE void sa_softmax_vjp_rows(const Batch<T>& batch, int variant) {
  if (variant == 1) return sa_softmax_vjp_variant<T, 1>(batch);
  if (variant == 2) return sa_softmax_vjp_variant<T, 2>(batch);
  return sa_softmax_vjp_variant<T, 3>(batch);
}

void sa_softmax_vjp_f32(const Batch<float>& batch, int variant) { sa_softmax_vjp_rows(batch, variant); }
void sa_softmax_vjp_f64(const Batch<double>& batch, int variant) { sa_softmax_vjp_rows(batch, variant); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(sa_softmax_vjp_f32);
HWY_EXPORT(sa_softmax_vjp_f64);

constexpr const char* kVariants[] = {"", "sa-softmax-v1-vjp", "sa-softmax-v2-vjp", "sa-softmax-v3-vjp"};

template <int kVariant>
struct SaSoftmaxVjp : PlainEntry {
  static constexpr const char* normalizer = kVariants[kVariant];
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(sa_softmax_vjp_f32)(batch, kVariant); }
  static void run(const Batch<double>& batch) { HWY_DYNAMIC_DISPATCH(sa_softmax_vjp_f64)(batch, kVariant); }
};

constexpr double kMore = 0.006;  // f64: 1.5 2^53 (4 w + 27 u) = 0.0315 < 0.032 at w = 4 u

}  // namespace

// Budgets: docs/budgets.md, derivatives.
const BuiltIn sa_softmax_v1_vjp_f32_kernel = entry<SaSoftmaxVjp<1>, float>(vjp_budget<float>());
const BuiltIn sa_softmax_v2_vjp_f32_kernel = entry<SaSoftmaxVjp<2>, float>(vjp_budget<float>());
const BuiltIn sa_softmax_v3_vjp_f32_kernel = entry<SaSoftmaxVjp<3>, float>(vjp_budget<float>());
const BuiltIn sa_softmax_v1_vjp_f64_kernel = entry<SaSoftmaxVjp<1>, double>(vjp_budget<double>(kMore));
const BuiltIn sa_softmax_v2_vjp_f64_kernel = entry<SaSoftmaxVjp<2>, double>(vjp_budget<double>(kMore));
const BuiltIn sa_softmax_v3_vjp_f64_kernel = entry<SaSoftmaxVjp<3>, double>(vjp_budget<double>(kMore));

}  // namespace attncert
#endif  // HWY_ONCE
