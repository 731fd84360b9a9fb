// Upstreams about a mean that is taken twice: of the differences from one upstream, so that equal ones leave nothing,
// and of what the rough mean misses (docs/budgets.md, far rows): add all, close_rough, add_rest of all, close; then
// centred.
#if defined(ATTNCERT_NORMALIZERS_VJP_CENTRE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_CENTRE_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_CENTRE_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_CENTRE_INL_H
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

template <class T>
class Centre {
 public:
  using N = Numbers<T>;
  using Number = typename N::Number;
  using Scalar = typename N::Scalar;

  // About the upstream of the first logit that is `end`.
  HWY_INLINE Centre(const Row<T>& row, T end) : origin_(N::set(-upstream_at(row, end))) {}
  HWY_INLINE void add(Number weight, Number g) { rough_sum_.add(weight * (g + origin_)); }
  HWY_INLINE void close_rough(Scalar weights) { rough_ = N::set(rough_sum_.total() / weights); }
  HWY_INLINE void add_rest(Number weight, Number g) { rest_sum_.add(weight * difference(g)); }
  HWY_INLINE void close(Scalar weights) { rest_ = N::set(rest_sum_.total() / weights); }
  HWY_INLINE Number centred(Number g) const { return difference(g) - rest_; }

 private:
  static HWY_INLINE Scalar upstream_at(const Row<T>& row, T end) {
    return static_cast<Scalar>(row.upstream[std::find(row.logits, row.logits + row.length, end) - row.logits]);
  }
  HWY_INLINE Number difference(Number g) const {
    const Number sum = g + origin_;
    return (sum - rough_) + lost_by(g, origin_, sum);
  }

  typename N::Sum rough_sum_, rest_sum_;
  Number origin_, rough_ = N::set(0), rest_ = N::set(0);
};

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
