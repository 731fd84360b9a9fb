// Queries in blocks: keys after a block are never multiplied, and a block of logits stays in cache.
// Logits are summed in double, 6% of a pass: an error there goes through exp. It brings the worst weight of the tiny
// model, over OpenBLAS's kernels from Nehalem to SkylakeX, from 1.6e-6 to 0.9e-6 of the float64 one.
#include "src/gpt2/attention.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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
        logits_(std::min(attention_block_rows, tokens) * tokens),
        weights_(logits_.size()),
        row_(tokens) {}

  void select(std::span<const float> qkv, std::size_t head) {
    const std::size_t size = shape_.head_size(), from = head * size, stride = 3 * shape_.C;
    take_slice(qkv, stride, from, 1 / std::sqrt(static_cast<double>(size)), size, queries_);
    take_slice(qkv, stride, shape_.C + from, 1, size, keys_);
    take_slice(qkv, stride, 2 * shape_.C + from, 1, size, values_);
  }

  // Logits and weights of queries [first, first + rows): zeros after the query's own key.
  template <class Watch>
  void attend(std::size_t first, std::size_t rows, const RowNormalizer& normalizer, const Watch& watch) {
    const std::size_t size = shape_.head_size(), visible = first + rows;
    multiply_transposed({queries_.data() + first * size, rows, size, size}, {keys_.data(), visible, size, size},
                        {logits_.data(), rows, visible, visible});
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t length = first + r + 1;
      const double* exact = logits_.data() + r * visible;
      for (std::size_t i = 0; i < length; ++i) row_[i] = static_cast<float>(exact[i]);
      const std::span<const float> z(row_.data(), length);
      const std::span<float> p(weights_.data() + r * visible, visible);
      normalizer(z, p.first(length));
      std::fill(p.begin() + static_cast<std::ptrdiff_t>(length), p.end(), 0.0F);
      watch(first + r, z, p.first(length));
    }
  }

  // The weights of attend() times the values.
  void mix(std::size_t rows, std::size_t visible, MatrixView<float> output) const {
    const std::size_t size = shape_.head_size();
    multiply({weights_.data(), rows, visible, visible}, {values_.data(), visible, size, size}, output);
  }

 private:
  const Shape& shape_;
  std::vector<double> queries_, keys_, logits_;
  std::vector<float> values_, weights_, row_;
};

}  // namespace

void causal_attention(const Shape& shape, std::span<const float> qkv, const RowNormalizer& normalizer,
                      const RowWatch& watch, std::span<float> output) {
  const std::size_t C = shape.C, tokens = qkv.size() / (3 * C);
  ATTNCERT_ASSERT(tokens * 3 * C == qkv.size() && (output.empty() || output.size() == tokens * C));
  Head head(shape, tokens);
  for (std::size_t h = 0; h < shape.NH; ++h) {
    head.select(qkv, h);
    for (std::size_t first = 0; first < tokens; first += attention_block_rows) {
      const std::size_t rows = std::min(attention_block_rows, tokens - first);
      head.attend(first, rows, normalizer, [&](std::size_t query, auto logits, auto weights) {
        if (watch) watch(h, query, logits, weights);
      });
      if (!output.empty())
        head.mix(rows, first + rows, {output.data() + first * C + h * shape.head_size(), rows, shape.head_size(), C});
    }
  }
}

}  // namespace attncert
