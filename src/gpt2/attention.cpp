// Rows with weights go in blocks: keys after a block are never multiplied, and a block of logits stays in cache. Their
// logits are summed in double: an error there goes through exp. It brings the worst weight of the tiny model, over
// OpenBLAS's kernels from Nehalem to SkylakeX, from 1.6e-6 to 0.9e-6 of the float64 one.
#include "src/gpt2/attention.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/core/assert.hpp"
#include "src/gpt2/products.hpp"

namespace attncert {
namespace {

// Queries, keys or values of one head, rows adjacent, times a factor.
template <class T>
void take_slice(std::span<const float> qkv, std::size_t stride, std::size_t from, double factor, std::size_t width,
                std::vector<T>& slice) {
  slice.resize(qkv.size() / stride * width);
  T* to = slice.data();
  for (const float* row = qkv.data() + from; to < slice.data() + slice.size(); row += stride)
    for (std::size_t i = 0; i < width; ++i) *to++ = static_cast<T>(factor * static_cast<double>(row[i]));
}

class Head {
 public:
  Head(const Shape& shape, std::size_t tokens)
      : shape_(shape),
        chosen_(attention_block_rows * shape.head_size()),
        logits_(std::min(attention_block_rows, tokens) * tokens),
        weights_(logits_.size()),
        row_(tokens) {}

  void select(std::span<const float> qkv, std::size_t head) {
    const std::size_t size = shape_.head_size(), from = head * size, stride = 3 * shape_.C;
    take_slice(qkv, stride, from, 1 / std::sqrt(static_cast<double>(size)), size, queries_);
    take_slice(qkv, stride, shape_.C + from, 1, size, keys_);
    take_slice(qkv, stride, 2 * shape_.C + from, 1, size, values_);
  }

  // Logits and weights of at most attention_block_rows queries, ascending: zeros after each one's own key.
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
      const std::span<float> p(weights_.data() + r * visible, visible);
      normalizer(z, p.first(length));
      std::fill(p.begin() + static_cast<std::ptrdiff_t>(length), p.end(), 0.0F);
      watch(queries[r], z, p.first(length));
    }
  }

  // The weights of attend() times the values.
  void mix(std::size_t rows, std::size_t visible, MatrixView<float> output) const {
    const std::size_t size = shape_.head_size();
    multiply({weights_.data(), rows, visible, visible}, {values_.data(), visible, size, size}, output);
  }

 private:
  const Shape& shape_;
  std::vector<double> queries_, keys_, chosen_, logits_;
  std::vector<float> values_, weights_, row_;
};

// All heads without their weights.
void fused_attention(const Shape& shape, std::span<const float> qkv, std::span<float> output) {
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
  const attncert_attention_status status = attention(arguments, ATTNCERT_F32);
  if (status == ATTNCERT_ATTENTION_NO_RESOURCES) throw std::bad_alloc();
  ATTNCERT_ASSERT(status == ATTNCERT_ATTENTION_OK);
}

// Weights and, where they are wanted, outputs of the rows of all heads.
void attention_by_rows(const Shape& shape, std::span<const float> qkv, const RowNormalizer& normalizer,
                       const RowWatch& watch, std::span<const std::size_t> queries, std::span<float> output) {
  const std::size_t C = shape.C, size = shape.head_size();
  Head head(shape, qkv.size() / (3 * C));
  for (std::size_t h = 0; h < shape.NH; ++h) {
    head.select(qkv, h);
    for (std::size_t first = 0; first < queries.size(); first += attention_block_rows) {
      const auto block = queries.subspan(first, std::min(attention_block_rows, queries.size() - first));
      head.attend(block, normalizer, [&](std::size_t query, auto logits, auto weights) {
        if (watch) watch(h, query, logits, weights);
      });
      if (!output.empty())
        head.mix(block.size(), block.back() + 1, {output.data() + first * C + h * size, block.size(), size, C});
    }
  }
}

}  // namespace

void causal_attention(const Shape& shape, std::span<const float> qkv, const RowNormalizer& normalizer,
                      const RowWatch& watch, std::span<const std::size_t> watched, std::span<float> output) {
  const std::size_t C = shape.C, tokens = qkv.size() / (3 * C);
  ATTNCERT_ASSERT(tokens * 3 * C == qkv.size() && (output.empty() || output.size() == tokens * C));
  ATTNCERT_ASSERT(watched.empty() || watched.back() < tokens);
  if (normalizer.is_softmax || output.empty()) {
    if (!output.empty()) fused_attention(shape, qkv, output);
    if (watch) attention_by_rows(shape, qkv, normalizer, watch, watched, {});
    return;
  }
  std::vector<std::size_t> all(tokens);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto seen = [&](std::size_t head, std::size_t query, auto logits, auto weights) {
    if (watch && std::binary_search(watched.begin(), watched.end(), query)) watch(head, query, logits, weights);
  };
  attention_by_rows(shape, qkv, normalizer, seen, all, output);
}

}  // namespace attncert
