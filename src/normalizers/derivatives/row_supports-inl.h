// The supports of the rows of a derivative, found as the forward pass finds them: of short rows of f32 as many at a
// time as a vector has lanes (entmax_short-inl.h), where the first of them is asked for.
#if defined(ATTNCERT_NORMALIZERS_ROW_SUPPORTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ROW_SUPPORTS_INL_H
#undef ATTNCERT_NORMALIZERS_ROW_SUPPORTS_INL_H
#else
#define ATTNCERT_NORMALIZERS_ROW_SUPPORTS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_support-inl.h"
#include "src/normalizers/sparse/entmax_gap-inl.h"
#include "src/normalizers/sparse/entmax_short-inl.h"
#include "src/normalizers/sparse/entmax_support-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
struct RowSupport {
  T lowest;  // the smallest logit of the support
  Gap gap;   // and its distance from tau; nothing for b = 1, whose derivative has no use for it
};

// Rows are asked for in their order: a gradient may be written over logits whose support was found.
template <class Power, class T>
class RowSupports {
 public:
  HWY_INLINE RowSupports(const Power& raise, const Batch<T>& batch)
      : raise_(raise), batch_(batch), reach_(raise.exponent * batch.scale.given * (1 + 0x1p-50)) {}

  HWY_INLINE RowSupport<T> of(const vjp::Row<T>& row) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    if constexpr (sizeof(T) == 4) {
      if (row.length <= kShortSparse) {
        const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>()), place = row.number % lanes;
        if (row.number >= end_) find_block(row.number - place, lanes);
        if (HWY_LIKELY(block_.gaps[place] > 0)) return {block_.lowest[place], {{block_.gaps[place], 0}}};
      }
    }
#endif
    return alone(row);
  }

 private:
  HWY_NOINLINE RowSupport<T> alone(const vjp::Row<T>& row) {
    const hn::ScalableTag<T> d;
    const Candidates<T> candidates =
        find_candidates(d, row.logits, row.length, reach_, static_cast<T*>(batch_.scratch));
    const Support<T> support = find_support(raise_, batch_.scale, candidates);
    if (Power::exponent_one) return {support.lowest, {}};
    return {support.lowest, find_gap(raise_, batch_.scale, candidates, support)};
  }

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  HWY_NOINLINE void find_block(std::size_t first, std::size_t lanes) {
    end_ = first + lanes;
    const auto logits = [&](std::size_t r) HWY_ATTR { return batch_.input + (first + r) * batch_.input_stride; };
    block_.find(reach_, batch_.length, std::min(lanes, batch_.rows - first), logits);
    block_.settle(raise_, batch_.scale.given);
  }

  std::conditional_t<sizeof(T) == 4, FewOf, char> block_;
  std::size_t end_ = 0;  // of the rows that the block is of
#endif
  const Power& raise_;
  const Batch<T>& batch_;
  double reach_;
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
