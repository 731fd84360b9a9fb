// top-k-softmax: softmax over the k largest present logits, 0 elsewhere; ties go to the lowest index; k or fewer
// present logits: softmax. The value of the k-th largest comes from one pass that keeps what exceeds the k-th largest
// so far and thins it with std::nth_element when it has doubled (Highway's sort corrupts infinities); the weights are
// softmax's own.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/top_k_softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <functional>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax.hpp"
#include "src/normalizers/exponential/top_k.hpp"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// `kept` has room for length + kCandidateRoom.
template <class T>
KthLargest<T> kth_largest(const T* x, std::size_t length, std::size_t k, T* kept) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), full = k > length / 2 ? length : 2 * k;
  T bar = -std::numeric_limits<T>::infinity();  // k logits reach it, once `kept` has been thinned
  std::size_t count = 0;
  bool nan = false;
  for (std::size_t i = 0; i < length; i += lanes) {
    const auto v = length - i >= lanes ? hn::LoadU(d, x + i) : load_tail(d, x + i, length - i);
    nan |= !hn::AllTrue(d, hn::Eq(v, v));
    const auto higher = hn::Gt(v, hn::Set(d, bar));
    if (HWY_LIKELY(hn::AllFalse(d, higher))) continue;
    count += hn::CompressStore(v, higher, d, kept + count);
    if (HWY_UNLIKELY(count > full)) {
      std::nth_element(kept, kept + (k - 1), kept + count, std::greater<>());
      bar = kept[k - 1];
      count = k;
    }
  }
  if (count < k) return {-std::numeric_limits<T>::infinity(), nan};
  std::nth_element(kept, kept + (k - 1), kept + count, std::greater<>());
  return {kept[k - 1], nan};
}
ATTNCERT_FORMS(kth_largest)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

ATTNCERT_DISPATCH(kth_largest)

template <class T>
const attncert_kernel& softmax_kernel() {
  return sizeof(T) == 4 ? softmax_f32_kernel.descriptor : softmax_f64_kernel.descriptor;
}

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// The scratch: candidates, the chosen logits, what softmax wants; where the latter two begin.
template <class T>
std::size_t chosen_begin(std::size_t length) {
  return whole_lines((length + kCandidateRoom) * sizeof(T));
}
template <class T>
std::size_t softmax_begin(std::size_t length) {
  return chosen_begin<T>(length) + whole_lines(length * sizeof(T));
}
template <class T>
std::size_t top_k_scratch(const attncert_arguments* arguments) {
  const attncert_kernel& softmax = softmax_kernel<T>();
  const std::size_t inner = softmax.scratch_needed == nullptr ? 0 : softmax.scratch_needed(arguments);
  return softmax_begin<T>(arguments->length) + inner;
}

// The k largest logits, -inf for the others: what reaches the k-th largest, less the last of those that tie with it.
template <class T>
void choose(const T* x, std::size_t length, std::size_t k, const KthLargest<T>& kth, T* chosen) {
  constexpr T absent = -std::numeric_limits<T>::infinity();
  std::size_t reaching = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const bool reaches = x[i] >= kth.value;
    chosen[i] = reaches ? x[i] : absent;
    reaching += reaches;
  }
  if (kth.value == absent) return;
  for (std::size_t i = length; reaching > k; --i) {
    if (x[i - 1] != kth.value) continue;
    chosen[i - 1] = absent;
    --reaching;
  }
}

// What softmax is called with, row by row: the chosen logits, and where `output` says.
template <class T>
attncert_arguments softmax_arguments(const Batch<T>& batch) {
  unsigned char* const scratch = static_cast<unsigned char*>(batch.scratch);
  const std::size_t rest = softmax_begin<T>(batch.length);
  attncert_arguments one{};
  one.size = sizeof one;
  one.rows = 1;
  one.length = batch.length;
  one.input = scratch + chosen_begin<T>(batch.length);
  one.temperature = batch.temperature;
  one.scratch = scratch + rest;
  one.scratch_bytes = batch.scratch_bytes - rest;
  return one;
}

template <class T>
void top_k_softmax_rows(const Batch<T>& batch) {
  T* const kept = static_cast<T*>(batch.scratch);
  T* const chosen = reinterpret_cast<T*>(static_cast<unsigned char*>(batch.scratch) + chosen_begin<T>(batch.length));
  attncert_arguments one = softmax_arguments(batch);
  const std::size_t k = static_cast<std::size_t>(std::min<std::uint64_t>(batch.parameters.k, batch.length));
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const T* x = batch.input + row * batch.input_stride;
    T* y = batch.output + row * batch.output_stride;
    const KthLargest<T> kth = dispatch_kth_largest<T>(x, batch.length, k, kept);
    if (kth.nan) {
      fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    choose(x, batch.length, k, kth, chosen);
    one.output = y;
    softmax_kernel<T>().run(&one);
  }
}

struct TopKEntry : PlainEntry {
  template <class T>
  static constexpr ScratchNeeded* scratch = top_k_scratch<T>;
  static bool accepts(const attncert_parameters& p) { return p.k > 0; }
};

}  // namespace
}  // namespace attncert

// Budget: softmax's own (docs/budgets.md, top-k-softmax): its code computes every weight.
ATTNCERT_KERNEL_RUN(top_k_softmax, "top-k-softmax", TopKEntry, top_k_softmax_rows(batch), softmax_f32_kernel.budget,
                    softmax_f64_kernel.budget)
#endif  // HWY_ONCE
