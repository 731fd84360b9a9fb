// Where the entries of a tensor lie, in elements.
#pragma once

#include <cstddef>
#include <vector>

namespace attncert {

// Of four axes, batch, head, row and entry: `gap` elements behind each row, so many more behind each head, and behind
// each batch, so that no stride follows from another. What has other axes is one row.
struct TensorLayout {
  std::size_t batches, heads, rows, size, gap;

  static TensorLayout of(const std::vector<std::size_t>& shape, std::size_t gap) {
    if (shape.size() == 4) return {shape[0], shape[1], shape[2], shape[3], gap};
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    return {1, 1, 1, count, 0};
  }

  std::size_t row_stride() const { return size + gap; }
  std::size_t head_stride() const { return rows * row_stride() + gap; }
  std::size_t batch_stride() const { return heads * head_stride() + gap; }
  std::size_t elements() const { return batches * batch_stride(); }
  std::size_t row_count() const { return batches * heads * rows; }
  std::size_t of_row(std::size_t r) const {
    return r / (heads * rows) * batch_stride() + r / rows % heads * head_stride() + r % rows * row_stride();
  }
};

}  // namespace attncert
