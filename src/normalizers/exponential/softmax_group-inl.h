// A group of rows of a Family (softmax_rows-inl.h), each step for the whole group.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_GROUP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_GROUP_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_GROUP_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_GROUP_INL_H
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_row-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// False when the row is written already. x: what family.logits said of the row, asked once: SSMax with s < 0 negates
// the logits, and in place a second time would undo it.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE bool prepare(D d, const Batch<T>& batch, Family& family, std::size_t row, const T* x, Row<T>& out) {
  out.x = x;
  out.y = batch.output + row * batch.output_stride;
  T largest, smallest;
  family.range(d, out.x, batch.length, largest, smallest);
  if (HWY_UNLIKELY(!is_finite(largest))) {
    family.degenerate(out.x, out.y, batch.length);
    return false;
  }
  if (family.zero) {
    largest = std::max(largest, T(0));
    smallest = std::min(smallest, T(0));
  }
  const Scale<T>& scale = family.scale();
  out.shift = row_shift(scale, largest);
  out.shallow = is_shallow(scale, out.shift, largest, smallest);
  out.scale = scale;  // last: what is read where it was just stored comes late
  return true;
}

// Rows go in groups, each step for the whole group: the reductions of one row wait long for each other, those of
// several rows do not. A result never depends on its group. `asked`: the logits of a single row, where known already.
template <class D, class Family, class T = Lane<D>>
HWY_INLINE void softmax_group(D d, const Batch<T>& batch, Family& family, std::size_t first, std::size_t rows,
                              const T* asked = nullptr) {
  Row<T> group[kGroup];
  std::size_t finite = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* x = asked != nullptr ? asked : family.logits(batch, first + r);
    finite += prepare(d, batch, family, first + r, x, group[finite]) ? 1 : 0;
  }
  softmax_of_group(group, finite, batch.length, family.zero);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
