// Watched rows go in blocks: keys after a block are never multiplied, and a block of logits stays in cache. Their
// logits are summed in double: an error there goes through exp. It brings the worst weight of the tiny model, over
// OpenBLAS's kernels from Nehalem to SkylakeX, from 1.6e-6 to 0.9e-6 of the float64 one.
#include "src/gpt2/attention.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/attention/row_weights.hpp"
#include "src/core/assert.hpp"
#include "src/gpt2/products.hpp"

namespace attncert {
namespace {

// Queries or keys of one head, rows adjacent, times a factor.
void take_slice(std::span<const float> qkv, std::size_t stride, std::size_t from, double factor, std::size_t width,
                std::vector<double>& slice) {
  slice.resize(qkv.size() / stride * width);
  double* to = slice.data();
  for (const float* row = qkv.data() + from; to < slice.data() + slice.size(); row += stride)
    for (std::size_t i = 0; i < width; ++i) *to++ = factor * static_cast<double>(row[i]);
}

class Head {
 public:
  Head(const Shape& shape, std::size_t tokens)
      : shape_(shape),
        chosen_(attention_block_rows * shape.head_size()),
        logits_(std::min(attention_block_rows, tokens) * tokens),
        row_(tokens),
        weights_(tokens) {}

  void select(std::span<const float> qkv, std::size_t head) {
    const std::size_t size = shape_.head_size(), from = head * size, stride = 3 * shape_.C;
    take_slice(qkv, stride, from, 1 / std::sqrt(static_cast<double>(size)), size, queries_);
    take_slice(qkv, stride, shape_.C + from, 1, size, keys_);
  }

  // Logits and weights of at most attention_block_rows queries, ascending.
  template <class Watch>
  void attend(std::span<const std::size_t> queries, const RowNormalizer& normalizer, const Watch& watch) {
    const std::size_t size = shape_.head_size(), rows = queries.size(), visible = queries.back() + 1;
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(queries_.data() + queries[r] * size, size, chosen_.data() + r * size);
    multiply_transposed({chosen_.data(), rows, size, size}, {keys_.data(), visible, size, size},
                        {logits_.data(), rows, visible, visible});
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t length = queries[r] + 1;
      const double* exact = logits_.data() + r * visible;
      for (std::size_t i = 0; i < length; ++i) row_[i] = static_cast<float>(exact[i]);
      const std::span<const float> z(row_.data(), length);
      const std::span<float> p(weights_.data(), length);
      normalizer(z, p);
      watch(queries[r], z, p);
    }
  }

 private:
  const Shape& shape_;
  std::vector<double> queries_, keys_, chosen_, logits_;
  std::vector<float> row_, weights_;  // of one query
};

// All heads; softmax without its weights.
void mix(const Shape& shape, std::span<const float> qkv, const RowNormalizer& normalizer, std::span<float> output) {
  const auto part = [&](std::size_t number) {  // of a row: queries, keys, values
    return attncert_tensor{const_cast<float*>(qkv.data()) + number * shape.C, 0, shape.head_size(), 3 * shape.C};
  };
  attncert_attention_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.flags = ATTNCERT_CAUSAL;
  arguments.batches = 1;
  arguments.heads = arguments.kv_heads = shape.NH;
  arguments.queries = arguments.keys = output.size() / shape.C;
  arguments.head_size = arguments.value_size = shape.head_size();
  arguments.q = part(0), arguments.k = part(1), arguments.v = part(2);
  arguments.o = {output.data(), 0, shape.head_size(), shape.C};
  arguments.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.head_size())));
  const attncert_attention_status status =
      normalizer.is_softmax ? attention(arguments, ATTNCERT_F32) : attention_with(arguments, ATTNCERT_F32, normalizer);
  if (status == ATTNCERT_ATTENTION_NO_RESOURCES) throw std::bad_alloc();
  ATTNCERT_ASSERT(status == ATTNCERT_ATTENTION_OK);
}

}  // namespace

void causal_attention(const Shape& shape, std::span<const float> qkv, const RowNormalizer& normalizer,
                      const RowWatch& watch, std::span<const std::size_t> watched, std::span<float> output) {
  const std::size_t C = shape.C, tokens = qkv.size() / (3 * C);
  ATTNCERT_ASSERT(tokens * 3 * C == qkv.size() && (output.empty() || output.size() == tokens * C));
  ATTNCERT_ASSERT(watched.empty() || watched.back() < tokens);
  if (!output.empty()) mix(shape, qkv, normalizer, output);
  if (!watch) return;
  Head head(shape, tokens);
  for (std::size_t h = 0; h < shape.NH; ++h) {
    head.select(qkv, h);
    for (std::size_t first = 0; first < watched.size(); first += attention_block_rows)
      head.attend(watched.subspan(first, std::min(attention_block_rows, watched.size() - first)), normalizer,
                  [&](std::size_t query, auto logits, auto weights) { watch(h, query, logits, weights); });
  }
}

}  // namespace attncert
