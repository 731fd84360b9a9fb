// Highway 1.0.3 widens f16 infinities and NaN to finite numbers where there is no F16C, and truncates on the way back;
// so its conversions serve AVX2 and AVX3 only, integer arithmetic the rest. bf16 is integer arithmetic everywhere (the
// instruction of AVX512_BF16 would flush subnormals).
#include "src/normalizers/half_convert.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half_convert.cpp"
#include <cstring>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<D>;
using Halves = hn::Rebind<std::uint16_t, D>;
using V = hn::Vec<D>;
using H = hn::Vec<Halves>;

#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) && !defined(HWY_DISABLE_F16C)

struct F16 {
  static HWY_INLINE V widened(H h) { return hn::PromoteTo(D(), hn::BitCast(hn::Rebind<hwy::float16_t, D>(), h)); }
  static HWY_INLINE H narrowed(V v) { return hn::BitCast(Halves(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v)); }
};

#else

struct F16 {
  static HWY_INLINE V widened(H h) {
    const U u;
    const auto bits = hn::PromoteTo(u, h);
    const auto size = hn::And(bits, hn::Set(u, 0x7FFF));
    const auto rebias = hn::Set(u, (127 - 15) << 23);
    const auto normal = hn::Add(hn::ShiftLeft<13>(size), rebias);
    const auto special = hn::Add(normal, rebias);  // exponent 31 becomes 255
    const auto subnormal =
        hn::Mul(hn::ConvertTo(D(), hn::BitCast(hn::RebindToSigned<D>(), size)), hn::Set(D(), 0x1p-24f));
    const auto i = hn::RebindToSigned<D>();
    const auto signed_size = hn::BitCast(i, size);  // below 2^15: signed comparison, which every target has
    const auto is_small = hn::RebindMask(u, hn::Lt(signed_size, hn::Set(i, 0x400)));
    const auto is_special = hn::RebindMask(u, hn::Gt(signed_size, hn::Set(i, 0x7BFF)));
    const auto value = hn::IfThenElse(is_small, hn::BitCast(u, subnormal), hn::IfThenElse(is_special, special, normal));
    return hn::BitCast(D(), hn::Or(value, hn::ShiftLeft<16>(hn::And(bits, hn::Set(u, 0x8000)))));
  }

  // Below 2^-14 the sum |v| + 1/2 rounds at 2^-24, the spacing of the subnormals of f16; elsewhere 13 bits are rounded off
  // by a carry, which runs into the exponent by itself, at the top into infinity's.
  static HWY_INLINE H narrowed(V v) {
    const U u;
    const hn::RebindToSigned<D> i;
    const auto bits = hn::BitCast(u, v);
    const auto size = hn::BitCast(i, hn::And(bits, hn::Set(u, 0x7FFFFFFF)));
    const auto half = hn::Set(D(), 0.5f);
    const auto small = hn::Sub(hn::BitCast(i, hn::Add(hn::BitCast(D(), size), half)), hn::BitCast(i, half));
    const auto clipped = hn::Min(size, hn::Set(i, 0x47800000));  // 2^16
    const auto odd = hn::And(hn::ShiftRight<13>(clipped), hn::Set(i, 1));
    const auto carried = hn::Add(hn::Sub(clipped, hn::Set(i, (127 - 15) << 23)), hn::Add(odd, hn::Set(i, 0xFFF)));
    const auto large = hn::ShiftRight<13>(carried);
    const auto finite = hn::IfThenElse(hn::Lt(size, hn::Set(i, 0x38800000)), small, large);
    const auto value = hn::IfThenElse(hn::Gt(size, hn::Set(i, 0x7F800000)), hn::Set(i, 0x7E00), finite);
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 0x8000));
    return hn::TruncateTo(Halves(), hn::Or(hn::BitCast(u, value), sign));
  }
};

#endif

struct Bf16 {
  static HWY_INLINE V widened(H h) { return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(U(), h))); }
  static HWY_INLINE H narrowed(V v) {
    const U u;
    const auto bits = hn::BitCast(u, v), top = hn::ShiftRight<16>(bits);
    const auto carried = hn::Add(bits, hn::Add(hn::And(top, hn::Set(u, 1)), hn::Set(u, 0x7FFF)));
    const auto quiet = hn::Or(top, hn::Set(u, 0x40));
    const auto nan = hn::RebindMask(u, hn::IsNaN(v));
    return hn::TruncateTo(Halves(), hn::IfThenElse(nan, quiet, hn::ShiftRight<16>(carried)));
  }
};

template <class Format>
HWY_INLINE void widen_all(const std::uint16_t* x, float* y, std::size_t count) {
  const D d;
  const Halves halves;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) {
      hn::StoreU(Format::widened(hn::LoadU(halves, x + j)), d, y + j);
    }
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(Format::widened(hn::LoadU(halves, x + i)), d, y + i);
  if (i == count) return;
  HWY_ALIGN std::uint16_t from[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN float to[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(from, x + i, (count - i) * sizeof *x);
  hn::Store(Format::widened(hn::Load(halves, from)), d, to);
  std::memcpy(y + i, to, (count - i) * sizeof *y);
}

template <class Format>
HWY_INLINE void narrow_all(const float* x, std::uint16_t* y, std::size_t count) {
  const D d;
  const Halves halves;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (std::size_t j = i; j < i + 4 * lanes; j += lanes) {
      hn::StoreU(Format::narrowed(hn::LoadU(d, x + j)), halves, y + j);
    }
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(Format::narrowed(hn::LoadU(d, x + i)), halves, y + i);
  if (i == count) return;
  HWY_ALIGN float from[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN std::uint16_t to[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(from, x + i, (count - i) * sizeof *x);
  hn::Store(Format::narrowed(hn::Load(d, from)), halves, to);
  std::memcpy(y + i, to, (count - i) * sizeof *y);
}

void widen_f16(const std::uint16_t* x, float* y, std::size_t count) { widen_all<F16>(x, y, count); }
void widen_bf16(const std::uint16_t* x, float* y, std::size_t count) { widen_all<Bf16>(x, y, count); }
void narrow_f16(const float* x, std::uint16_t* y, std::size_t count) { narrow_all<F16>(x, y, count); }
void narrow_bf16(const float* x, std::uint16_t* y, std::size_t count) { narrow_all<Bf16>(x, y, count); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(widen_f16);
HWY_EXPORT(widen_bf16);
HWY_EXPORT(narrow_f16);
HWY_EXPORT(narrow_bf16);

}  // namespace

void widen(attncert_dtype half, const std::uint16_t* x, float* y, std::size_t count) noexcept {
  if (half == ATTNCERT_F16) {
    HWY_DYNAMIC_DISPATCH(widen_f16)(x, y, count);
  } else {
    HWY_DYNAMIC_DISPATCH(widen_bf16)(x, y, count);
  }
}

void narrow(attncert_dtype half, const float* x, std::uint16_t* y, std::size_t count) noexcept {
  if (half == ATTNCERT_F16) {
    HWY_DYNAMIC_DISPATCH(narrow_f16)(x, y, count);
  } else {
    HWY_DYNAMIC_DISPATCH(narrow_bf16)(x, y, count);
  }
}

}  // namespace attncert
#endif  // HWY_ONCE
