// Queries in blocks: keys after a block are never multiplied, and a block of logits stays in cache.
// Logits are summed in double: an error there goes through exp. It brings the worst weight of the tiny model, over the
// instruction sets of the softmax kernel, from 1.7e-6 to 1.0e-6 of the float64 one.
#include "src/gpt2/attention.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
using Out = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

constexpr std::size_t block_rows = 64;  // 64 x 1024 logits of f32 are 256 kB: they fit a second-level cache

Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

struct Head {
  In queries, keys, values;
  Out output;
};

Head head_of(const Shape& shape, std::span<const float> qkv, std::span<float> output, std::size_t head) {
  const std::size_t tokens = output.size() / shape.C, from = head * shape.head_size();
  const auto slice = [&](std::size_t part) {
    return In(qkv.data() + part * shape.C + from, index(tokens), index(shape.head_size()),
              Eigen::OuterStride<>(index(3 * shape.C)));
  };
  return {slice(0), slice(1), slice(2),
          Out(output.data() + from, index(tokens), index(shape.head_size()), Eigen::OuterStride<>(index(shape.C)))};
}

}  // namespace

void causal_attention(const Shape& shape, std::span<const float> qkv, const Normalizer& normalizer,
                      const RowWatch& watch, std::span<float> output) {
  const std::size_t tokens = output.size() / shape.C;
  ATTNCERT_ASSERT(tokens * shape.C == output.size() && qkv.size() == 3 * output.size());
  const double scale = 1.0 / std::sqrt(static_cast<double>(shape.head_size()));
  Matrix logits, weights;
  for (std::size_t h = 0; h < shape.NH; ++h) {
    Head head = head_of(shape, qkv, output, h);
    const Eigen::MatrixXd queries = scale * head.queries.cast<double>(), keys = head.keys.cast<double>();
    for (std::size_t first = 0; first < tokens; first += block_rows) {
      const std::size_t rows = std::min(block_rows, tokens - first), visible = first + rows;
      logits = (queries.middleRows(index(first), index(rows)) * keys.topRows(index(visible)).transpose()).cast<float>();
      weights.setZero(index(rows), index(visible));
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t length = first + r + 1;
        const std::span<const float> z(&logits(index(r), 0), length);
        const std::span<float> p(&weights(index(r), 0), length);
        normalizer(z, p);
        if (watch) watch(h, first + r, z, p);
      }
      head.output.middleRows(index(first), index(rows)).noalias() = weights * head.values.topRows(index(visible));
    }
  }
}

}  // namespace attncert
