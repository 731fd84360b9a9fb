// The exponential in double of a row of f32, as exact as half an ulp of f32 asks.
#if defined(ATTNCERT_NORMALIZERS_NEAR_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_NEAR_EXP_INL_H
#undef ATTNCERT_NORMALIZERS_NEAR_EXP_INL_H
#else
#define ATTNCERT_NORMALIZERS_NEAR_EXP_INL_H
#endif

#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/exponential/exp-inl.h"
#include "src/normalizers/exponential/exp_degree8.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;

constexpr std::size_t kSummed = 4096;  // elements added plainly, 2^12 roundings of 2^-53; blocks are compensated
constexpr std::size_t kHeld = 4096;    // exponentials kept: 32 KiB
constexpr std::size_t kTogether = 4;   // rows a group, each step for all: their reductions wait beside each other

// Whether NearExp serves a row: powers of T up to the eighth are far from the ends of double.
HWY_INLINE bool is_near(const Scale<double>& scale, double largest) {
  return scale.given > 0x1p-60 && scale.given < 0x1p60 &&
         std::abs(largest) <= FormatLimits<float>::reach * scale.near_temperature;
}

// What all rows of one temperature share.
struct NearScale {
  double temperature, log2e;      // T, log2(e) / T
  hn::Vec<Wide> rate, ln2, c[8];  // log2(e) / T, T ln2; the coefficients of t to t^8, 1 / T among them

  HWY_INLINE explicit NearScale(const Scale<double>& scale)
      : temperature(scale.near_temperature),
        log2e(scale.near_rate),
        rate(hn::Set(Wide(), log2e)),
        ln2(hn::Set(Wide(), scale.near_head + scale.near_tail)) {
    double power = scale.near_inverse;
    c[0] = hn::Set(Wide(), power);
    for (std::size_t k = 1; k < 8; ++k) c[k] = hn::Set(Wide(), kExpDegree8[k - 1] * (power *= scale.near_inverse));
  }
};

// 2^(n - N + 60) exp(t / T), t = x - n T ln2, for |max| <= 256 T: as RowExp, but only as exact as half an ulp of f32
// asks, and with 1 / T in the coefficients.
class NearExp : public OneLikeSeveral<NearExp> {
 public:
  using V = hn::Vec<Wide>;

  HWY_INLINE NearExp(const NearScale& at, double largest)
      : at_(at), floor_(hn::Set(Wide(), largest - FormatLimits<float>::depth * at.temperature)) {
    constexpr double round_bit = 0x1.8p52;
    const double peak = (largest * at.log2e + round_bit) - round_bit;
    magic_ = hn::Set(Wide(), round_bit + FormatLimits<float>::headroom - peak);
  }

  template <std::size_t kN>
  HWY_INLINE void all(V (&x)[kN]) const {
    for (std::size_t k = 0; k < kN; ++k) x[k] = at_least(Wide(), floor_, x[k]);
    from_floor(x);
  }

  // Of logits that are no more than 126 T below the largest. Two at a time: four vectors and what they pass through do
  // not fit sixteen registers.
  template <std::size_t kN>
  HWY_INLINE void from_floor(V (&x)[kN]) const {
    constexpr std::size_t together = kN % 2 == 0 ? 2 : 1;
    for (std::size_t k = 0; k < kN; k += together) side_by_side<together>(x + k);
  }

 private:
  // The power of two is added to the exponent: the lowest bits of z are n's, and 0 in a NaN, whose bits are those of an
  // f32's.
  template <std::size_t kN>
  HWY_INLINE void side_by_side(V* x) const {
    const Wide w;
    const hn::RebindToUnsigned<Wide> bits;
    V z[kN], t[kN];
    for (std::size_t k = 0; k < kN; ++k) z[k] = hn::MulAdd(x[k], at_.rate, magic_);
    for (std::size_t k = 0; k < kN; ++k) t[k] = hn::NegMulAdd(hn::Sub(z[k], magic_), at_.ln2, x[k]);
    polynomial(t);
    for (std::size_t k = 0; k < kN; ++k) {
      const auto power = hn::ShiftLeft<52>(hn::BitCast(bits, z[k]));
      x[k] = hn::BitCast(w, hn::Add(hn::BitCast(bits, t[k]), power));
    }
  }

  // exp(t / T).
  template <std::size_t kN>
  HWY_INLINE void polynomial(V (&t)[kN]) const {
    const V one = hn::Set(Wide(), 1.0);
    const V(&c)[8] = at_.c;
    V t2[kN], q[kN];
    for (std::size_t k = 0; k < kN; ++k) t2[k] = hn::Mul(t[k], t[k]);
    for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(c[7], t2[k], hn::MulAdd(c[6], t[k], c[5]));
    for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(q[k], t2[k], hn::MulAdd(c[4], t[k], c[3]));
    for (std::size_t k = 0; k < kN; ++k) q[k] = hn::MulAdd(q[k], t2[k], hn::MulAdd(c[2], t[k], c[1]));
    for (std::size_t k = 0; k < kN; ++k) t[k] = hn::MulAdd(q[k], t2[k], hn::MulAdd(c[0], t[k], one));
  }

  const NearScale& at_;
  V floor_, magic_;
};

// Kept exponentials; whole vectors of them.
struct Kept {
  const double* e;
  HWY_INLINE void four(std::size_t i, hn::Vec<Wide> (&v)[4]) const {
    for (std::size_t k = 0; k < 4; ++k) v[k] = hn::Load(Wide(), e + i + k * hn::Lanes(Wide()));
  }
  HWY_INLINE hn::Vec<Wide> one(std::size_t i, std::size_t) const { return hn::Load(Wide(), e + i); }
};

template <class Exp>
struct Again {
  const Exp& exp;
  const float* x;
  HWY_INLINE void four(std::size_t i, hn::Vec<Wide> (&v)[4]) const {
    for (std::size_t k = 0; k < 4; ++k) {
      v[k] = hn::PromoteTo(Wide(), hn::LoadU(Narrow(), x + i + k * hn::Lanes(Wide())));
    }
    exp.all(v);
  }
  HWY_INLINE hn::Vec<Wide> one(std::size_t i, std::size_t count) const {
    const bool whole = count == hn::Lanes(Wide());
    return exp(hn::PromoteTo(Wide(), whole ? hn::LoadU(Narrow(), x + i) : load_tail(Narrow(), x + i, count)));
  }
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
