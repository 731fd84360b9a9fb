// The derivative of top-k softmax is that of softmax on the k logits it chose (ties to the lowest index), 0 elsewhere.
// The others become -inf in a copy of the row, and are absent from then on.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/derivatives/top_k_softmax_vjp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <functional>

#include "src/normalizers/derivatives/near_vjp-inl.h"
#include "src/normalizers/derivatives/vjp_budget.hpp"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// The row with all but the k largest logits absent; `order` is room for its copy.
template <class T>
HWY_NOINLINE void keep_largest(const T* x, T* kept, T* order, std::size_t length, std::size_t k) {
  std::copy(x, x + length, order);
  std::nth_element(order, order + (k - 1), order + length, std::greater<>());
  const T least = order[k - 1];
  auto ties = static_cast<std::ptrdiff_t>(k) - std::count_if(x, x + length, [&](T v) { return v > least; });
  for (std::size_t i = 0; i < length; ++i) {
    const bool chosen = x[i] > least || (x[i] == least && ties-- > 0);
    kept[i] = chosen ? x[i] : -std::numeric_limits<T>::infinity();
  }
}

template <class T>
void top_k_softmax_vjp(const Batch<T>& batch) {
  const Rate rate = make_rate(1, batch.temperature);
  const vjp::Near<T> near(batch.temperature);
  T* scratch = static_cast<T*>(batch.scratch);
  vjp::each_row(batch, [&](vjp::Row<T> row) HWY_ATTR {
    if (batch.parameters.k < row.present) {
      keep_largest(row.logits, scratch, scratch + row.length, row.length, static_cast<std::size_t>(batch.parameters.k));
      row.logits = scratch;
    }
    if (near.softmax(row)) return;
    const vjp::Exponential<T> weight(rate, row.largest);
    vjp::write_normalized(row, rate, 0, weight, weight);
  });
}
ATTNCERT_FORMS(top_k_softmax_vjp)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

// Scratch: the chosen logits, and a copy of the row to be ordered.
struct TwoRows : PlainEntry {
  template <class T>
  static std::size_t two_rows(const attncert_arguments* arguments) {
    return 2 * arguments->length * sizeof(T);
  }
  template <class T>
  static constexpr ScratchNeeded* scratch = two_rows<T>;
  static bool accepts(const attncert_parameters& p) { return p.k > 0; }
};

}  // namespace
}  // namespace attncert

// Budgets: docs/budgets.md, derivatives.
ATTNCERT_KERNEL(top_k_softmax_vjp, "top-k-softmax-vjp", TwoRows, vjp_budget<float>(kNearVjp), vjp_budget<double>())
#endif  // HWY_ONCE
