// The lanes of a mask, stored side by side. AVX-512 has an instruction for it; shorter vectors take their order from a
// table.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_COMPRESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_COMPRESS_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_COMPRESS_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_COMPRESS_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/normalizers/row-inl.h"
#include "src/normalizers/sparse/entmax_order.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4

template <class D>
HWY_INLINE std::size_t mask_bits(D d, hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};  // as many as are written
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0];
}

// The lanes in the mask first, the others after them.
template <class D>
HWY_INLINE hn::Vec<D> compressed(D d, hn::Vec<D> v, hn::Mask<D> mask) {
  constexpr std::size_t bytes = sizeof(Lane<D>), lanes = hn::MaxLanes(D());
#if HWY_TARGET == HWY_AVX2  // one lookup crosses the halves of a vector: words, whose numbers are widened from bytes
  const hn::Repartition<std::uint32_t, D> words;
  const hn::Rebind<std::uint8_t, decltype(words)> narrow;
  const auto from = hn::PromoteTo(words, hn::LoadU(narrow, kKeptFirst<lanes, bytes / 4>[mask_bits(d, mask)].data()));
  return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(words, v), hn::IndicesFromVec(words, from)));
#else
  const hn::Repartition<std::uint8_t, D> all;
  const auto from = hn::LoadU(all, kKeptFirst<lanes, bytes>[mask_bits(d, mask)].data());
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(all, v), from));
#endif
}

#else

template <class D>
HWY_INLINE hn::Vec<D> compressed(D, hn::Vec<D> v, hn::Mask<D> mask) {
  return hn::Compress(v, mask);
}

#endif

// The lanes above the bound to `to`, which moves on: in a register, where a member would wait for its last store.
// Whole vectors are stored.
template <class D>
HWY_INLINE void keep_above(D d, hn::Vec<D> v, hn::Vec<D> bound, Lane<D>*& to) {
  const auto above = hn::Gt(v, bound);
  hn::StoreU(compressed(d, v, above), d, to);
  to += hn::CountTrue(d, above);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
