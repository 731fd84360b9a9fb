// The derivative of self-adjusted softmax V0, w_i = u_i p_i with u = z / T and p = softmax(u): (J^T g)_i = p_i
// ((1 + u_i) g_i - sum_j u_j p_j g_j) / T. u is kept below 2^700 in f32: what is beyond needs T < 2^-572, where a
// gradient is 0 or infinite. Far from 0 the terms u_j p_j g_j cancel but for a millionth and less: with u_j = m - d_j,
// m the largest, and c_j = g_j - sum_k p_k g_k the parenthesis is g_i + m c_i - (d_i g_i - sum_j d_j p_j g_j).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/sa_softmax_v0_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>

#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_centre-inl.h"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
class SelfAdjustedSlope {
 public:
  using N = vjp::Numbers<T>;

  HWY_INLINE explicit SelfAdjustedSlope(double temperature)
      : temperature_(static_cast<long double>(temperature)), rate_(make_rate(1, temperature)), times_(rate_) {}

  HWY_INLINE void operator()(const vjp::Row<T>& row) const { is_far(row) ? write_far(row) : write_near(row); }

 private:
  // Decided exactly, as the truth decides it (reference/normalizers/far_self_adjusted.hpp).
  HWY_INLINE bool is_far(const vjp::Row<T>& row) const {
    return std::abs(static_cast<long double>(row.largest)) >= 0x1p13L * temperature_;
  }

  template <class V>
  HWY_INLINE V scaled(V x) const {
    constexpr long double limit = sizeof(T) == 4 ? 0x1p700L : 0x1p5000L;
    return N::larger(N::smaller(times_(x), number(limit)), number(-limit));
  }
  static HWY_INLINE auto number(long double value) { return N::set(static_cast<typename N::Scalar>(value)); }

  HWY_INLINE void write_near(const vjp::Row<T>& row) const {
    const vjp::Exponential<T> weight(rate_, row.largest);
    typename N::Sum weights, products;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      weights.add(w);
      products.add(N::where(present, w * scaled(x) * g));
    });
    const auto sum = weights.total();
    const auto inverse = N::set(1 / sum), centre = N::set(products.total() / sum);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      const auto inner = g + (scaled(x) * g - centre);
      N::store(N::where(present, times_(weight(x) * inverse * inner)), row.gradient + i, count);
    });
  }

  HWY_INLINE void write_far(const vjp::Row<T>& row) const {
    const vjp::Exponential<T> weight(rate_, row.largest);
    const auto largest = N::set(static_cast<typename N::Scalar>(row.largest));
    vjp::Centre<T> upstreams(row, row.largest);
    typename N::Sum weights, products;
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      weights.add(w);
      upstreams.add(w, g);
    });
    const auto sum = weights.total();
    upstreams.close_rough(sum);
    const auto inverse = N::set(1 / sum);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t, std::size_t) HWY_ATTR {
      const auto w = N::where(present, weight(x));
      upstreams.add_rest(w, g);
      products.add(N::where(present, w * scaled(x - largest) * g));
    });
    upstreams.close(sum);
    const auto centre = N::set(products.total() / sum), top = scaled(largest);
    vjp::walk(row, [&](auto x, auto g, auto present, std::size_t i, std::size_t count) HWY_ATTR {
      const auto inner = g + (top * upstreams.centred(g) + (scaled(x - largest) * g - centre));
      N::store(N::where(present, times_(weight(x) * inverse * inner)), row.gradient + i, count);
    });
  }

  long double temperature_;
  Rate rate_;
  vjp::Times<T> times_;
};

template <class T>
void sa_softmax_v0_vjp(const Batch<T>& batch) {
  const SelfAdjustedSlope<T> slope(batch.temperature);
  vjp::each_row(batch, [&](const vjp::Row<T>& row) HWY_ATTR { slope(row); });
}
ATTNCERT_FORMS(sa_softmax_v0_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(sa_softmax_v0_vjp, "sa-softmax-v0-vjp", PlainEntry, vjp_budget<float>(), vjp_budget<double>())
#endif  // HWY_ONCE
