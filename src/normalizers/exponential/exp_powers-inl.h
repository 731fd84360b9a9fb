// Powers of two in sixteenths from the table of exp_powers.hpp, for vectors of 16 f32.
#if defined(ATTNCERT_NORMALIZERS_EXP_POWERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_EXP_POWERS_INL_H
#undef ATTNCERT_NORMALIZERS_EXP_POWERS_INL_H
#else
#define ATTNCERT_NORMALIZERS_EXP_POWERS_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/normalizers/exponential/exp_powers.hpp"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// Whether exponentials go by the table of exp_powers.hpp: a permutation of 16 lanes costs what a multiplication does,
// beside them, and leaves |t| <= 1.001 ln2 / 32.
template <class D>
constexpr bool kTabled = sizeof(Lane<D>) == 4 && hn::MaxLanes(D()) == 16 && HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE;

// exp(t) 2^n for n in sixteenths, by the table.
template <class D>
class Powers {
  using V = hn::Vec<D>;

 public:
  HWY_INLINE Powers() : powers_(hn::Zero(D())), lost_(powers_) {
    if constexpr (kTabled<D>) {
      powers_ = hn::Load(D(), kPowers);
      lost_ = hn::Load(D(), kPowersLost);
    }
  }

  // exp(t) times the power of two that z's low bits are, in sixteenths.
  template <std::size_t kN>
  HWY_INLINE void times(V (&t)[kN], const V (&z)[kN]) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const auto exponent = hn::BitCast(d, hn::Set(di, std::int32_t{0x7f800000}));
    V t2[kN], power[kN];
    for (std::size_t k = 0; k < kN; ++k) {
      auto bits = hn::BitCast(di, z[k]);
      // A permutation reads the lowest four bits alone; only Highway's debugging build minds the others.
      if (HWY_IS_DEBUG_BUILD) bits = hn::And(bits, hn::Set(di, 15));
      const auto j = hn::IndicesFromVec(d, bits);
      t[k] = hn::Add(t[k], hn::TableLookupLanes(lost_, j));
      const auto two = hn::BitCast(d, hn::ShiftLeft<19>(hn::BitCast(di, z[k])));
      power[k] = hn::IfVecThenElse(exponent, two, hn::TableLookupLanes(powers_, j));
    }
    for (std::size_t k = 0; k < kN; ++k) t2[k] = hn::Mul(t[k], t[k]);
    for (std::size_t k = 0; k < kN; ++k) {
      const V q = hn::MulAdd(hn::Set(d, kPowersCubic), t[k], hn::Set(d, kPowersSquare));
      t[k] = hn::MulAdd(t2[k], q, t[k]);
    }
    for (std::size_t k = 0; k < kN; ++k) t[k] = hn::MulAdd(t[k], power[k], power[k]);
  }

 private:
  V powers_, lost_;
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
