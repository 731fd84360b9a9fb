// 2^512 exp(x) for x = x.high + x.low in [-800, 0]: n = rint(16 x / ln2), r = x - n ln2/16 as an exact double and a
// small rest, exp(r) by its series of degree 11, its first five terms in double-double, times 2^(j/16) from a table,
// times 2^(512 + (n - j) / 16) by adding to the exponent. docs/double-double.md, 2 bounds every step.
#if defined(ATTNCERT_DOUBLE_DOUBLE_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_DOUBLE_DOUBLE_EXP_INL_H
#undef ATTNCERT_DOUBLE_DOUBLE_EXP_INL_H
#else
#define ATTNCERT_DOUBLE_DOUBLE_EXP_INL_H
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "properties/conformance/double_double/constants.hpp"
#include "properties/conformance/double_double/double_double-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

// Heads of 2^(j/16), j 2^48 taken off their bits: adding n 2^48 then multiplies by 2^((n - j)/16), exactly.
struct PowerTable {
  alignas(64) double heads[16], rests[16];
  PowerTable() {
    for (std::uint64_t j = 0; j < 16; ++j) {
      heads[j] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(power_heads[j]) - (j << 48));
      rests[j] = power_rests[j];
    }
  }
};

// Sixteen numbers by the low four bits of an index, from registers where they fit.
template <class D>
class Sixteen {
 public:
  using Bits = hn::Vec<hn::RebindToUnsigned<D>>;
#if HWY_TARGET <= HWY_AVX3
  HWY_INLINE Sixteen(D d, const double* table) : lower_(hn::Load(d, table)), upper_(hn::Load(d, table + 8)) {}
  HWY_INLINE hn::Vec<D> operator[](Bits index) const {
    return hn::Vec<D>{_mm512_permutex2var_pd(lower_.raw, index.raw, upper_.raw)};
  }

 private:
  hn::Vec<D> lower_, upper_;
#else
  HWY_INLINE Sixteen(D, const double* table) : table_(table) {}
  HWY_INLINE hn::Vec<D> operator[](Bits index) const {
    const hn::RebindToUnsigned<D> du;
    const auto low = hn::And(index, hn::Set(du, std::uint64_t{15}));
    return hn::GatherIndex(D(), table_, hn::BitCast(hn::RebindToSigned<D>(), low));
  }

 private:
  const double* table_;
#endif
};

template <class D>
class Exponential {
 public:
  using V = hn::Vec<D>;
  HWY_INLINE Exponential(D d, const PowerTable& table) : d_(d), heads_(d, table.heads), rests_(d, table.rests) {}

  HWY_INLINE VectorPair<V> operator()(VectorPair<V> x) const {
    const hn::RebindToUnsigned<D> du;
    // 1.5 2^52 makes rint; 512 16 in the low bits becomes the factor 2^512.
    const V magic = set(0x1.8p52 + 16.0 * exponential_scale);
    const V shifted = hn::MulAdd(x.high, set(steps_per_unit), magic);
    const V n = hn::Sub(shifted, set(0x1.8p52 + 16.0 * exponential_scale));
    const V partly = hn::NegMulAdd(n, set(step_first), x.high);
    const V r = hn::NegMulAdd(n, set(step_second), partly);
    const V rounded_off = hn::NegMulAdd(n, set(step_second), hn::Sub(partly, r));
    const V rest = hn::Add(hn::NegMulAdd(n, set(step_third), rounded_off), x.low);
    const VectorPair<V> e = series(r);
    const auto bits = hn::BitCast(du, shifted);
    const V power = hn::BitCast(d_, hn::Add(hn::BitCast(du, heads_[bits]), hn::ShiftLeft<48>(bits)));
    const V correction = hn::MulAdd(e.high, hn::Add(rests_[bits], rest), e.low);
    const VectorPair<V> result = two_product(d_, e.high, power);
    return {result.high, hn::MulAdd(correction, power, result.low)};
  }

 private:
  HWY_INLINE V set(double value) const { return hn::Set(d_, value); }

  // constant + factor r, both sums without error but for the roundings of their low parts
  HWY_INLINE VectorPair<V> step(double constant, VectorPair<V> factor, V r) const {
    const VectorPair<V> p = two_product(d_, factor.high, r);
    const VectorPair<V> s = fast_two_sum(set(constant), p.high);
    return {s.high, hn::Add(s.low, hn::MulAdd(factor.low, r, p.low))};
  }

  HWY_INLINE VectorPair<V> series(V r) const {
    V q = set(inverse_factorials[6]);
    for (int k = 5; k >= 0; --k) q = hn::MulAdd(q, r, set(inverse_factorials[k]));
    VectorPair<V> e = fast_two_sum(set(inverse_factorial_4), hn::Mul(q, r));
    e.low = hn::Add(e.low, set(inverse_factorial_4_rest));
    e = step(inverse_factorial_3, e, r);
    e.low = hn::Add(e.low, set(inverse_factorial_3_rest));
    e = step(0.5, e, r);
    e = step(1, e, r);
    return step(1, e, r);
  }

  D d_;
  Sixteen<D> heads_, rests_;
};

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
