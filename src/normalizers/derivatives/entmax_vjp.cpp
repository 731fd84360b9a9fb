// The derivative of alpha-entmax: with s = p^(2 - alpha) on the support, (J^T g)_i = s_i (g_i - sum_j s_j g_j / sum_j
// s_j) / T. p = v^b with b = 1 / (alpha - 1), so s = v^(b - 1), v = ((z - r) + n) / (b T): no root of a rounded p. For
// alpha > 2 s grows without bound as v falls to 0, so it is a pair's exponential with a long double's exponent; of f32
// a double where s is not far from 1.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/entmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/derivatives/entmax_slopes-inl.h"
#include "src/normalizers/derivatives/sparse_vjps.hpp"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_support-inl.h"
#include "src/normalizers/sparse/sparse_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// Slopes of f32 in double, where they lie between 2^-60 and 2^60 (docs/budgets.md, entmax-vjp).
class NearSlopes {
 public:
  template <class T>
  HWY_INLINE explicit NearSlopes(const EntmaxSlopes<T>& slopes)
      : factors_(slopes.raise.factors),
        least_(std::exp2(-60 / slopes.over.high)),
        serves_(slopes.over.high <= kMostOver && slopes.raise.rate > 0x1p-200 && slopes.raise.rate < 0x1p200),
        rate_(hn::Set(Doubles(), slopes.raise.rate)),
        over_(hn::Set(Doubles(), slopes.rises ? -slopes.over.high : slopes.over.high)) {}

  HWY_INLINE bool serve(const AnyGap& gap) const { return serves_ && gap.n.high * hn::GetLane(rate_) > least_; }
  // Of logits from `lowest` on, which has the gap n.
  HWY_INLINE auto from(float lowest, double n) const {
    const DoubleV base = hn::Set(Doubles(), static_cast<double>(lowest)), gap = hn::Set(Doubles(), n);
    return [this, base, gap](DoubleV x) HWY_ATTR {
      const DoubleV v = hn::Mul(hn::Add(hn::Sub(x, base), gap), rate_);
      return factors_ > 0 ? product(v, factors_ - 1) : exp2_of(hn::Mul(over_, log2_of(v)));
    };
  }

 private:
  int factors_;  // b where it is a small integer
  double least_;
  bool serves_;
  DoubleV rate_, over_;
};

template <class T>
void entmax_vjp(const Batch<T>& batch) {
  const hn::ScalableTag<T> d;
  const EntmaxSlopes<T> slopes(batch);
  const double reach = slopes.raise.exponent * batch.scale.given * (1 + 0x1p-50);  // as entmax_rows has it
  const Search<AnyPower, T> search(slopes.raise, slopes.unit);
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Times<T> times(rate);
  const NearSlopes near(slopes);
  T* const scratch = static_cast<T*>(batch.scratch);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR {
    const auto candidates =
        find_candidates(d, search, row.logits, row.length, reach, scratch, static_cast<std::uint32_t*>(nullptr), false);
    const Support<T> support = find_support(slopes.raise, batch.scale, candidates);
    const AnyGap gap = find_gap(slopes.raise, batch.scale, candidates, support);
    if constexpr (sizeof(T) == 4) {
      if (HWY_LIKELY(near.serve(gap))) {
        return vjp::write_by_slopes(row, support.lowest, times, near.from(support.lowest, gap.n.high));
      }
    }
    write_far_row(slopes, batch.scale, row, support.lowest, gap, rate.head);
  });
}
ATTNCERT_FORMS(entmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(entmax_vjp)

namespace attncert {
namespace {

template <class T>
void run_entmax_vjp(const Batch<T>& batch) {
  const std::uint64_t denominator = batch.parameters.alpha_denominator;
  const std::uint64_t above = batch.parameters.alpha_numerator - denominator;
  if (above == denominator) return run_sparsemax_vjp(batch);
  if (above <= denominator && denominator - above == above) return run_entmax15_vjp(batch);
  dispatch_entmax_vjp<T>(AlphaEntry::with_far_temperature(batch));
}

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL_RUN(entmax_vjp, "entmax-vjp", AlphaEntry, run_entmax_vjp(batch), vjp_budget<float>(),
                    vjp_budget<double>(0.05))
#endif  // HWY_ONCE
