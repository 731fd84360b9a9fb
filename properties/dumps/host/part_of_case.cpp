#include "properties/dumps/host/part_of_case.hpp"

#include <algorithm>

#include "properties/dumps/host/case_arguments.hpp"

namespace attncert::attention_host {

using Kind = PartOfCase::Kind;

const char* PartOfCase::lacking() const { return kind == Kind::keys ? "split-independent" : "batch-invariant"; }

std::vector<PartOfCase> parts_of(const attncert_attention_arguments& whole) {
  std::vector<PartOfCase> parts;
  if (whole.batches > 1) parts.push_back({Kind::batch, 0}), parts.push_back({Kind::batch, whole.batches - 1});
  if (whole.queries > 1) parts.push_back({Kind::query, 0}), parts.push_back({Kind::query, whole.queries - 1});
  if (whole.lengths == nullptr) return parts;
  const std::size_t longest = *std::max_element(whole.lengths, whole.lengths + whole.batches);
  if (longest > 0 && longest < whole.keys) parts.push_back({Kind::keys, longest});
  return parts;
}

void restrict_to(const PartOfCase& part, const attncert_attention_kernel& kernel, attncert_attention_arguments& a,
                 attncert_attention_gradients& g) {
  const auto on = [](attncert_tensor& tensor, std::size_t entries, std::size_t bytes) {
    if (tensor.data != nullptr) tensor.data = static_cast<std::byte*>(tensor.data) + entries * bytes;
  };
  const std::size_t in = bytes_of(kernel.dtype), of_kv = bytes_of(dtype_kv(kernel)), out = bytes_of(kernel.dtype_out);
  if (part.kind != Kind::batch) g.d_o.data = nullptr;
  if (part.kind == Kind::keys) a.keys = part.index;
  if (part.kind == Kind::query) {
    a.queries = 1;
    a.causal_offset += static_cast<std::int64_t>(part.index);
    on(a.q, part.index * a.q.row_stride, in);
    on(a.bias, part.index * a.bias.row_stride, sizeof(float));
    on(a.mask, part.index * a.mask.row_stride, 1);
  }
  if (part.kind != Kind::batch) return;
  a.batches = 1;
  on(a.q, part.index * a.q.batch_stride, in);
  for (attncert_tensor* tensor : {&a.k, &a.v}) on(*tensor, part.index * tensor->batch_stride, of_kv);
  on(a.bias, part.index * a.bias.batch_stride, sizeof(float));
  on(a.mask, part.index * a.mask.batch_stride, 1);
  on(g.d_o, part.index * g.d_o.batch_stride, out);
  if (a.lengths != nullptr) a.lengths += part.index;
}

std::vector<std::size_t> rows_of(const PartOfCase& part, const attncert_attention_arguments& whole, std::size_t heads,
                                 std::size_t rows) {
  std::vector<std::size_t> result;
  for (std::size_t b = 0; b < whole.batches; ++b)
    for (std::size_t r = 0; r < heads * rows; ++r)
      if (part.kind == Kind::keys || (part.kind == Kind::batch ? b : r % rows) == part.index)
        result.push_back(b * heads * rows + r);
  return result;
}

}  // namespace attncert::attention_host
