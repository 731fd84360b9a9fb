// One row of softmax, ssmax or softmax1, from its largest logit to its weights: what takes long in every kernel of the
// family. The functions declared here are compiled once, in softmax_row.cpp; a call of one costs nothing beside a row.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_ROW_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_ROW_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_ROW_INL_H
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// A row ready for its exponentials.
template <class T>
struct Row {
  const T* x;
  T* y;
  Scale<T> scale;
  RowShift<T> shift;
  bool shallow;  // no logit lies more than kShallowDepth T below the largest
};

// A row whose exponentials wait for their product.
template <class T>
struct Pending {
  const T* e = nullptr;
  T* y = nullptr;  // null: none
  Reciprocal<T> by{};
  bool deep = false;
};

// The weights of at most kGroup rows: the reductions of one row wait long for each other, those of several rows do not.
// zero: a logit 0 takes part that has no place in the row.
template <class T>
void softmax_of_group(const Row<T>* group, std::size_t rows, std::size_t length, bool zero);

// Exponentials of the row to e, and their sum, while the weights of the row before (if there is one) are stored past
// the caches, and the row `next` is fetched.
template <class T>
RowSum sum_and_drain(const Row<T>& row, T* e, const T* next, std::size_t length, const Pending<T>& before, bool zero);

template <class T>
void multiply_row_past_caches(const Pending<T>& row, std::size_t length);

// A row that does not stay in L2 (softmax_long-inl.h). False when no weight was written: rows that need more care than
// a running sum has (or have -inf, where all are to be present). first: a guess at the largest. e: where exponentials
// are kept, which may be y where that is not x, or null; past: y goes past the caches.
template <class T>
struct LongRow {
  const T* x;
  T *y, *e;
  std::size_t length;
  T first;
  bool all_present, zero, past;
};
template <class T>
bool softmax_long(const LongRow<T>& row, const Scale<T>& scale);

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
