#include "properties/conformance/attention/call.hpp"

#include <cmath>

#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

std::size_t at(const attncert_tensor& tensor, std::size_t batch, std::size_t head, std::size_t row) {
  return batch * tensor.batch_stride + head * tensor.head_stride + row * tensor.row_stride;
}

}  // namespace

AttentionCall::AttentionCall(const attncert_attention_arguments& arguments, attncert_dtype dtype)
    : a_(arguments),
      dtype_(dtype),
      q_(numbers(a_.q, a_.heads, a_.queries, a_.head_size)),
      k_(numbers(a_.k, a_.kv_heads, a_.keys, a_.head_size)),
      v_(numbers(a_.v, a_.kv_heads, a_.keys, a_.value_size)) {}

std::vector<double> AttentionCall::numbers(const attncert_tensor& tensor, std::size_t heads, std::size_t rows,
                                           std::size_t size) const {
  std::vector<double> numbers(a_.batches * heads * rows * size);
  for (std::size_t n = 0; n < a_.batches * heads * rows; ++n)
    load_elements(dtype_, tensor.data, at(tensor, n / (heads * rows), n / rows % heads, n % rows),
                  std::span(numbers).subspan(n * size, size));
  return numbers;
}

void AttentionCall::store(const attncert_tensor& tensor, std::size_t heads, std::size_t rows, std::size_t size,
                          std::span<const double> numbers) const {
  for (std::size_t n = 0; n < a_.batches * heads * rows; ++n)
    store_elements(dtype_, tensor.data, at(tensor, n / (heads * rows), n / rows % heads, n % rows),
                   numbers.subspan(n * size, size));
}

bool AttentionCall::masked(std::size_t batch, std::size_t head, std::size_t query, std::size_t j) const {
  return a_.mask.data != nullptr &&
         static_cast<const std::uint8_t*>(a_.mask.data)[at(a_.mask, batch, head, query) + j] == 0;
}

double AttentionCall::bias(std::size_t batch, std::size_t head, std::size_t query, std::size_t j) const {
  return a_.bias.data == nullptr ? 0 : static_cast<const float*>(a_.bias.data)[at(a_.bias, batch, head, query) + j];
}

double AttentionCall::alibi(std::size_t head, std::size_t query, std::size_t j, std::int64_t offset) const {
  if (a_.slopes == nullptr) return 0;
  const auto distance = static_cast<double>(static_cast<std::int64_t>(j) - static_cast<std::int64_t>(query) - offset);
  return a_.slopes[head] * ((a_.flags & ATTNCERT_CAUSAL) != 0 ? distance : -std::abs(distance));
}

void AttentionCall::write(std::size_t row, std::span<const double> output, double lse) const {
  const std::size_t batch = row / (a_.heads * a_.queries), head = row / a_.queries % a_.heads;
  store_elements(dtype_, a_.o.data, at(a_.o, batch, head, row % a_.queries), output);
  if (a_.lse != nullptr) a_.lse[row] = static_cast<float>(lse);
}

}  // namespace attncert
