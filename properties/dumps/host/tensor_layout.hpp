// Where the entries of a tensor lie, in elements.
#pragma once

#include <cstddef>
#include <vector>

namespace attncert {

// `gap` elements lie behind each row, so many more behind what the next axis counts, and behind each batch, so that no
// stride follows from another. Heads are counted outside of rows, or within them: batch, row, head, entry.
struct Placement {
  std::size_t gap = 0;
  bool heads_within_rows = false;
};

// Of four axes, batch, head, row and entry. What has other axes is one row.
struct TensorLayout {
  std::size_t batches, heads, rows, size;
  Placement placement;

  static TensorLayout of(const std::vector<std::size_t>& shape, const Placement& placement) {
    if (shape.size() == 4) return {shape[0], shape[1], shape[2], shape[3], placement};
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    return {1, 1, 1, count, {}};
  }

  std::size_t row_stride() const { return placement.heads_within_rows ? heads * inner() + placement.gap : inner(); }
  std::size_t head_stride() const { return placement.heads_within_rows ? inner() : rows * inner() + placement.gap; }
  std::size_t batch_stride() const {
    return placement.heads_within_rows ? rows * row_stride() + placement.gap : heads * head_stride() + placement.gap;
  }
  std::size_t elements() const { return batches * batch_stride(); }
  std::size_t row_count() const { return batches * heads * rows; }
  std::size_t of_row(std::size_t r) const {
    return r / (heads * rows) * batch_stride() + r / rows % heads * head_stride() + r % rows * row_stride();
  }
  // Where the nth row in memory begins.
  std::size_t of_nth(std::size_t n) const {
    if (!placement.heads_within_rows) return of_row(n);
    return n / (heads * rows) * batch_stride() + n / heads % rows * row_stride() + n % heads * head_stride();
  }

 private:
  std::size_t inner() const { return size + placement.gap; }
};

}  // namespace attncert
