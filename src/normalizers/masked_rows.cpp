// masked_rows.hpp, once per instruction set. Elements are copied as bits.
#include "src/normalizers/masked_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/masked_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/kernel/dtype.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Which of a vector's bytes of a mask are 0, as lanes of the elements.
template <class D, class Bytes>
HWY_INLINE hn::Mask<D> zeros(D d, Bytes bytes) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const hn::Rebind<std::uint32_t, D> words;
    return hn::Eq(hn::PromoteTo(d, hn::PromoteTo(words, bytes)), hn::Zero(d));
  } else {
    return hn::Eq(hn::PromoteTo(d, bytes), hn::Zero(d));
  }
}

template <class D, class U = hn::TFromD<D>>
HWY_INLINE void write_kept_row(D d, const U* x, const std::uint8_t* keep, U* y, std::size_t length, U absent) {
  const hn::Rebind<std::uint8_t, D> bytes;
  const auto otherwise = hn::Set(d, absent);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  const auto write = [&](std::size_t at) HWY_ATTR {
    const auto gone = zeros(d, hn::LoadU(bytes, keep + at));
    hn::StoreU(hn::IfThenElse(gone, otherwise, hn::LoadU(d, x + at)), d, y + at);
  };
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    for (std::size_t k = 0; k < 4; ++k) write(i + k * lanes);
  }
  for (; i + lanes <= length; i += lanes) write(i);
  if (i == length) return;
#if HWY_MEM_OPS_MIGHT_FAULT
  for (; i < length; ++i) y[i] = keep[i] != 0 ? x[i] : absent;
#else
  const auto gone = zeros(d, hn::MaskedLoad(hn::FirstN(bytes, length - i), bytes, keep + i));
  const auto first = hn::FirstN(d, length - i);
  hn::BlendedStore(hn::IfThenElse(gone, otherwise, hn::MaskedLoad(first, d, x + i)), first, d, y + i);
#endif
}

template <class U>
HWY_INLINE void write_kept_rows(const attncert_arguments& all, std::size_t first, std::size_t count, U absent) {
  const hn::ScalableTag<U> d;
  if (all.input_stride == all.length && all.mask_stride == all.length && all.output_stride == all.length) {
    const std::size_t from = first * all.length;  // rows without gaps are one
    return write_kept_row(d, static_cast<const U*>(all.input) + from, all.mask + from,
                          static_cast<U*>(all.output) + from, count * all.length, absent);
  }
  for (std::size_t r = first; r < first + count; ++r) {
    write_kept_row(d, static_cast<const U*>(all.input) + r * all.input_stride, all.mask + r * all.mask_stride,
                   static_cast<U*>(all.output) + r * all.output_stride, all.length, absent);
  }
}

void write_kept(attncert_dtype dtype, const attncert_arguments& all, std::size_t first, std::size_t count) {
  std::uint64_t absent = 0;
  store_element(dtype, &absent, 0, -std::numeric_limits<double>::infinity());
  switch (format(dtype).bytes) {
    case 2:
      return write_kept_rows(all, first, count, static_cast<std::uint16_t>(absent));
    case 4:
      return write_kept_rows(all, first, count, static_cast<std::uint32_t>(absent));
    default:
      return write_kept_rows(all, first, count, absent);
  }
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {

HWY_EXPORT(write_kept);

void write_kept_elements(attncert_dtype dtype, const attncert_arguments& all, std::size_t first,
                         std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(write_kept)(dtype, all, first, count);
}

}  // namespace attncert
#endif  // HWY_ONCE
