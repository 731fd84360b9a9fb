#include "properties/conformance/external/host/matrix.hpp"

#include <cstring>

namespace attncert::external {
namespace {

std::size_t extent(Shape shape, std::size_t stride) {
  return shape.elements() == 0 ? 0 : (shape.rows - 1) * stride + shape.length;
}

}  // namespace

Matrix::Matrix(Buffer what, std::size_t bytes, Shape shape, std::size_t padding, Side side, std::uint64_t between)
    : bytes_(bytes),
      shape_(shape),
      stride_(shape.length + padding),
      between_(between),
      buffer_(what, extent(shape, stride_) * bytes, bytes, side) {
  const std::size_t size = buffer_.bytes().size();
  for (std::size_t at = 0; at < size; at += bytes_) std::memcpy(buffer_.data() + at, &between_, bytes_);
}

void Matrix::fill(const std::byte* dense) {
  for (std::size_t r = 0; r < shape_.rows && shape_.length > 0; ++r)
    std::memcpy(buffer_.data() + r * stride_ * bytes_, dense + r * shape_.length * bytes_, shape_.length * bytes_);
}

std::vector<std::byte> Matrix::dense() const {
  std::vector<std::byte> rows(shape_.elements() * bytes_);
  for (std::size_t r = 0; r < shape_.rows && shape_.length > 0; ++r)
    std::memcpy(rows.data() + r * shape_.length * bytes_, buffer_.bytes().data() + r * stride_ * bytes_,
                shape_.length * bytes_);
  return rows;
}

std::int64_t Matrix::changed_around() const {
  if (const std::int64_t margin = buffer_.changed_margin(); margin != 0) return margin;
  for (std::size_t r = 0; r + 1 < shape_.rows && shape_.length > 0; ++r)
    for (std::size_t i = shape_.length; i < stride_; ++i)
      if (std::memcmp(buffer_.bytes().data() + (r * stride_ + i) * bytes_, &between_, bytes_) != 0)
        return static_cast<std::int64_t>((i - shape_.length) * bytes_ + 1);
  return 0;
}

}  // namespace attncert::external
