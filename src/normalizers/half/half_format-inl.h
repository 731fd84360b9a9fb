// The half formats as vectors: widening is exact, narrowing rounds to nearest, ties to even, keeps subnormals and NaN.
// Highway 1.0.3 widens f16 infinities and NaN to finite numbers where there is no F16C, and truncates on the way back;
// so its conversions serve AVX2 and AVX3 only, integer arithmetic the rest. bf16 is integer arithmetic everywhere (the
// instruction of AVX512_BF16 would flush subnormals).
#if defined(ATTNCERT_NORMALIZERS_HALF_FORMAT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_HALF_FORMAT_INL_H
#undef ATTNCERT_NORMALIZERS_HALF_FORMAT_INL_H
#else
#define ATTNCERT_NORMALIZERS_HALF_FORMAT_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "attncert/kernel.h"
#include "hwy/highway.h"
#include "src/kernel/dtype.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Singles = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Singles>;
using Halves = hn::Rebind<std::uint16_t, Singles>;
using VSingle = hn::Vec<Singles>;
using VHalf = hn::Vec<Halves>;

// The first `count` <= lanes halves, `absent` beyond.
HWY_INLINE VHalf load_first(Halves halves, const std::uint16_t* x, std::size_t count, std::uint16_t absent) {
#if HWY_TARGET <= HWY_AVX3
  const auto first = hn::FirstN(halves, count);
  return hn::IfThenElse(first, hn::MaskedLoad(first, halves, x), hn::Set(halves, absent));
#else
  HWY_ALIGN std::uint16_t buffer[HWY_MAX_BYTES / sizeof(float)];
  std::fill_n(buffer, hn::Lanes(halves), absent);
  std::memcpy(buffer, x, count * sizeof *x);
  return hn::Load(halves, buffer);
#endif
}

HWY_INLINE void store_first(Halves halves, VHalf v, std::uint16_t* y, std::size_t count) {
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(halves, count), halves, y);
#else
  HWY_ALIGN std::uint16_t buffer[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, halves, buffer);
  std::memcpy(y, buffer, count * sizeof *y);
#endif
}

#if HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)

struct F16Conversion {
  static HWY_INLINE VSingle widened(VHalf h) {
    return hn::PromoteTo(Singles(), hn::BitCast(hn::Rebind<hwy::float16_t, Singles>(), h));
  }
  static HWY_INLINE VHalf narrowed(VSingle v) {
    return hn::BitCast(Halves(), hn::DemoteTo(hn::Rebind<hwy::float16_t, Singles>(), v));
  }
};

#else

struct F16Conversion {
  static HWY_INLINE VSingle widened(VHalf h) {
    const Words u;
    const auto bits = hn::PromoteTo(u, h);
    const auto size = hn::And(bits, hn::Set(u, 0x7FFF));
    const auto rebias = hn::Set(u, (127 - 15) << 23);
    const auto normal = hn::Add(hn::ShiftLeft<13>(size), rebias);
    const auto special = hn::Add(normal, rebias);  // exponent 31 becomes 255
    const auto subnormal = hn::Mul(hn::ConvertTo(Singles(), hn::BitCast(hn::RebindToSigned<Singles>(), size)),
                                   hn::Set(Singles(), 0x1p-24f));
    const auto i = hn::RebindToSigned<Singles>();
    const auto signed_size = hn::BitCast(i, size);  // below 2^15: signed comparison, which every target has
    const auto is_small = hn::RebindMask(u, hn::Lt(signed_size, hn::Set(i, 0x400)));
    const auto is_special = hn::RebindMask(u, hn::Gt(signed_size, hn::Set(i, 0x7BFF)));
    const auto value = hn::IfThenElse(is_small, hn::BitCast(u, subnormal), hn::IfThenElse(is_special, special, normal));
    return hn::BitCast(Singles(), hn::Or(value, hn::ShiftLeft<16>(hn::And(bits, hn::Set(u, 0x8000)))));
  }

  // Below 2^-14 the sum |v| + 1/2 rounds at 2^-24, the spacing of the subnormals of f16; elsewhere 13 bits are rounded
  // off by a carry, which runs into the exponent by itself, at the top into infinity's.
  static HWY_INLINE VHalf narrowed(VSingle v) {
    const Words u;
    const hn::RebindToSigned<Singles> i;
    const auto bits = hn::BitCast(u, v);
    const auto size = hn::BitCast(i, hn::And(bits, hn::Set(u, 0x7FFFFFFF)));
    const auto half = hn::Set(Singles(), 0.5f);
    const auto small = hn::Sub(hn::BitCast(i, hn::Add(hn::BitCast(Singles(), size), half)), hn::BitCast(i, half));
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

// Halves before the first one that a vector of them may be stored to past the caches.
inline std::size_t halves_before_alignment(const std::uint16_t* y) {
  constexpr std::size_t vector = sizeof(VSingle);
  return (vector - reinterpret_cast<std::uintptr_t>(y) % vector) % vector / sizeof *y;
}

constexpr std::uint16_t minus_infinity(attncert_dtype half) {
  return static_cast<std::uint16_t>(0x8000 | infinity_bits(formats[format_number(half)]));
}
constexpr std::uint16_t nan_of(attncert_dtype half) { return nan_bits(formats[format_number(half)]); }

struct F16 : F16Conversion {
  static constexpr attncert_dtype kType = ATTNCERT_F16;
  static constexpr std::uint16_t kMinusInfinity = minus_infinity(kType), kNan = nan_of(kType);

  static HWY_INLINE VSingle load(const std::uint16_t* x) { return widened(hn::LoadU(Halves(), x)); }

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  // a and b, which are numbers, side by side at y; kPastCaches: y is aligned to what is stored.
  template <bool kPastCaches>
  static HWY_INLINE void store(VSingle a, VSingle b, std::uint16_t* y) {
    const Halves halves;
    if (kPastCaches && sizeof(VSingle) == 16) {  // nothing shorter than 16 bytes goes past the caches
      const hn::Repartition<std::uint16_t, Singles> pairs;
      hn::Stream(hn::Combine(pairs, narrowed(b), narrowed(a)), pairs, y);
    } else if (kPastCaches) {
      hn::Stream(narrowed(a), halves, y);
      hn::Stream(narrowed(b), halves, y + hn::Lanes(halves));
    } else {
      hn::StoreU(narrowed(a), halves, y);
      hn::StoreU(narrowed(b), halves, y + hn::Lanes(halves));
    }
  }
#endif
};

struct Bf16 {
  static constexpr attncert_dtype kType = ATTNCERT_BF16;
  static constexpr std::uint16_t kMinusInfinity = minus_infinity(kType), kNan = nan_of(kType);

  static HWY_INLINE VSingle widened(VHalf h) {
    return hn::BitCast(Singles(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), h)));
  }
  static HWY_INLINE VSingle load(const std::uint16_t* x) {
#if HWY_TARGET == \
    HWY_AVX2  // one shuffle, where promotion and shift are two operations and each has but one or two ports
    const hn::Repartition<std::uint16_t, Singles> pairs;
    const hn::Repartition<std::uint8_t, Singles> bytes;
    HWY_ALIGN static constexpr std::uint8_t upper[32] = {128, 128, 0,   1,   128, 128, 2,   3,   128, 128, 4,
                                                         5,   128, 128, 6,   7,   128, 128, 8,   9,   128, 128,
                                                         10,  11,  128, 128, 12,  13,  128, 128, 14,  15};
    const auto twice = hn::BitCast(bytes, hn::LoadDup128(pairs, x));
    return hn::BitCast(Singles(), hn::TableLookupBytes(twice, hn::Load(bytes, upper)));
#else
    return widened(hn::LoadU(Halves(), x));
#endif
  }
  static HWY_INLINE VHalf narrowed(VSingle v) {
    const Words u;
    const auto quiet = hn::Or(hn::BitCast(u, v), hn::Set(u, 0x400000));
    const auto nan = hn::RebindMask(u, hn::IsNaN(v));
    return hn::TruncateTo(Halves(), hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded(v))));
  }

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  // As F16::store.
  template <bool kPastCaches>
  static HWY_INLINE void store(VSingle a, VSingle b, std::uint16_t* y) {
    store_upper<kPastCaches>(rounded(a), rounded(b), y);
  }

  // The upper halves of words.
  template <bool kPastCaches>
  static HWY_INLINE void store_upper(hn::Vec<Words> a, hn::Vec<Words> b, std::uint16_t* y) {
    const hn::Repartition<std::uint16_t, Singles> pairs;
    const auto both = hn::ConcatOdd(pairs, hn::BitCast(pairs, b), hn::BitCast(pairs, a));
    if (kPastCaches) {
      hn::Stream(both, pairs, y);
    } else {
      hn::StoreU(both, pairs, y);
    }
  }
#endif

 private:
  // The upper half of each lane of a number, rounded; of a NaN whose lower half is 0, as those of logits and of 0 / 0
  // are: a full one would carry over into 0.
  static HWY_INLINE hn::Vec<Words> rounded(VSingle v) {
    const Words u;
    const auto bits = hn::BitCast(u, v);
#if HWY_TARGET <= HWY_AVX3
    const auto odd = hn::TestBit(bits, hn::Set(u, 0x10000));  // three operations where there are masks, else four
    return hn::Add(bits, hn::IfThenElse(odd, hn::Set(u, 0x8000), hn::Set(u, 0x7FFF)));
#else
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1));
    return hn::Add(bits, hn::Add(odd, hn::Set(u, 0x7FFF)));
#endif
  }
};

// The one list of the half formats as vectors: a row of `formats` each.
#define ATTNCERT_HALF_FORMATS(APPLY) APPLY(F16) APPLY(Bf16)

// with(F16()) or with(Bf16()), ...; `half` is one of them.
template <class With>
HWY_INLINE auto with_half_format(attncert_dtype half, const With& with) {
#define ATTNCERT_IF_IT_IS(Format) \
  if (half == Format::kType) return with(Format());
  ATTNCERT_HALF_FORMATS(ATTNCERT_IF_IT_IS)
#undef ATTNCERT_IF_IT_IS
  HWY_ABORT("not a half format");
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
