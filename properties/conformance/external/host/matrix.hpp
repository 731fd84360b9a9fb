// Rows in a guarded buffer, with `padding` elements of a known pattern between them.
#pragma once

#include <vector>

#include "properties/conformance/external/host/guarded_buffer.hpp"

namespace attncert::external {

struct Shape {
  std::size_t rows, length;
  std::size_t elements() const { return rows * length; }
};

class Matrix {
 public:
  // Every element starts as `between`; elements have `bytes` bytes.
  Matrix(Buffer what, std::size_t bytes, Shape shape, std::size_t padding, Side side, std::uint64_t between);

  void fill(const std::byte* dense);
  std::vector<std::byte> dense() const;
  // Where a byte around the matrix or between its rows was changed: bytes behind the end (1 = the first) of the matrix
  // or of a row, or before the start of the matrix (< 0); 0 = nowhere.
  std::int64_t changed_around() const;
  GuardedBuffer& buffer() { return buffer_; }
  std::size_t stride() const { return stride_; }

 private:
  std::size_t bytes_;
  Shape shape_;
  std::size_t stride_;
  std::uint64_t between_;
  GuardedBuffer buffer_;
};

}  // namespace attncert::external
