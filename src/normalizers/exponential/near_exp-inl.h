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

// Whether NearExp serves a row.
HWY_INLINE bool is_near(const Scale<double>& scale, double largest) {
  return scale.near && std::abs(largest) <= FormatLimits<float>::reach * scale.near_temperature;
}

// 2^(n - N + 60) exp(t), t = (x - n T ln2) / T, for |max| <= 256 T: as RowExp, but only as exact as half an ulp of f32
// asks.
template <bool kUnit>
class NearExp : public OneLikeSeveral<NearExp<kUnit>> {
 public:
  using V = hn::Vec<Wide>;

  HWY_INLINE NearExp(const Scale<double>& scale, double largest)
      : floor_(hn::Set(Wide(), largest - FormatLimits<float>::depth * scale.near_temperature)),
        rate_(hn::Set(Wide(), scale.near_rate)),
        ln2_(hn::Set(Wide(), scale.near_head + scale.near_tail)),
        inverse_(hn::Set(Wide(), scale.near_inverse)) {
    constexpr double round_bit = 0x1.8p52, bias = 1023;
    const double peak = (largest * scale.near_rate + round_bit) - round_bit;
    magic_ = hn::Set(Wide(), round_bit + (bias + FormatLimits<float>::headroom) - peak);
  }

  template <std::size_t kN>
  HWY_INLINE void all(V (&x)[kN]) const {
    const Wide w;
    const hn::RebindToUnsigned<Wide> bits;
    V z[kN];
    for (std::size_t k = 0; k < kN; ++k) x[k] = at_least(w, floor_, x[k]);
    for (std::size_t k = 0; k < kN; ++k) z[k] = hn::MulAdd(x[k], rate_, magic_);
    for (std::size_t k = 0; k < kN; ++k) x[k] = hn::NegMulAdd(hn::Sub(z[k], magic_), ln2_, x[k]);
    if (!kUnit) {
      for (std::size_t k = 0; k < kN; ++k) x[k] = hn::Mul(x[k], inverse_);
    }
    minus_one(x);
    for (std::size_t k = 0; k < kN; ++k) {
      x[k] = one_more_times(w, x[k], hn::BitCast(w, hn::ShiftLeft<52>(hn::BitCast(bits, z[k]))));
    }
  }

 private:
  // exp(t) - 1.
  template <std::size_t kN>
  static HWY_INLINE void minus_one(V (&t)[kN]) {
    const Wide w;
    const double(&c)[7] = kExpDegree8;
    V t2[kN], q[kN], low[kN];
    for (std::size_t k = 0; k < kN; ++k) t2[k] = hn::Mul(t[k], t[k]);
    for (std::size_t k = 0; k < kN; ++k)
      q[k] = hn::MulAdd(hn::Set(w, c[6]), t2[k], hn::MulAdd(hn::Set(w, c[5]), t[k], hn::Set(w, c[4])));
    for (std::size_t k = 0; k < kN; ++k)
      q[k] = hn::MulAdd(q[k], t2[k], hn::MulAdd(hn::Set(w, c[3]), t[k], hn::Set(w, c[2])));
    for (std::size_t k = 0; k < kN; ++k) low[k] = hn::MulAdd(hn::Set(w, c[1]), t[k], hn::Set(w, c[0]));
    for (std::size_t k = 0; k < kN; ++k) t[k] = hn::MulAdd(t2[k], hn::MulAdd(q[k], t2[k], low[k]), t[k]);
  }

  V floor_, rate_, ln2_, inverse_, magic_;
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
