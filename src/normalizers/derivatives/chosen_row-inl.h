// The few logits that top-k softmax chose, with their upstreams, as a row of their own, and their gradients back in
// place.
#if defined(ATTNCERT_NORMALIZERS_CHOSEN_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_CHOSEN_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_CHOSEN_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_CHOSEN_ROW_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_survey-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// visit(i, whether `chosen` has a logit there); none(i, count) for a vector without one.
template <class T, class Visit, class None>
HWY_INLINE void walk_chosen(const T* chosen, std::size_t length, const Visit& visit, const None& none) {
  const hn::ScalableTag<T> d;
  constexpr T absent = -std::numeric_limits<T>::infinity();
  for (std::size_t i = 0; i < length; i += hn::Lanes(d)) {
    const std::size_t count = std::min(hn::Lanes(d), length - i);
    const auto v = count == hn::Lanes(d) ? hn::LoadU(d, chosen + i) : load_tail(d, chosen + i, count);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(v, hn::Set(d, absent))))) {
      none(i, count);
      continue;
    }
    for (std::size_t j = i; j < i + count; ++j) visit(j, chosen[j] > absent);
  }
}

// The chosen logits of a row and their upstreams, side by side in `logits` and `upstream`.
template <class T>
HWY_INLINE vjp::Row<T> chosen_alone(const vjp::Row<T>& row, const T* chosen, T* logits, T* upstream) {
  std::size_t count = 0;
  T smallest = row.largest;
  walk_chosen(
      chosen, row.length,
      [&](std::size_t i, bool present) {
        if (!present) return;
        logits[count] = chosen[i];
        upstream[count++] = row.upstream[i];
        smallest = std::min(smallest, chosen[i]);
      },
      [](std::size_t, std::size_t) {});
  return {logits, upstream, logits, count, row.largest, smallest, count, row.number};
}

template <class T>
HWY_INLINE void spread(const T* chosen, const T* gradient, T* y, std::size_t length) {
  walk_chosen(
      chosen, length, [&](std::size_t i, bool present) { y[i] = present ? *gradient++ : T(0); },
      [&](std::size_t i, std::size_t count) { std::fill(y + i, y + i + count, T(0)); });
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
