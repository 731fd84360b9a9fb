// top-k-softmax: softmax over the k largest present logits, 0 elsewhere; ties go to the lowest index; k or fewer
// present logits: softmax. The weights are softmax's own.
#include <algorithm>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax.hpp"
#include "src/normalizers/exponential/top_k.hpp"
#include "src/normalizers/row-inl.h"

namespace attncert {
namespace {

template <class T>
const attncert_kernel& softmax_kernel() {
  return sizeof(T) == 4 ? softmax_f32_kernel.descriptor : softmax_f64_kernel.descriptor;
}

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// The scratch: candidates, the chosen logits, what softmax wants; where the latter two begin.
template <class T>
std::size_t chosen_begin(std::size_t length) {
  return whole_lines(candidates(length) * sizeof(T));
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
    if (!choose_largest(x, batch.length, k, kept, chosen)) {
      fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
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
