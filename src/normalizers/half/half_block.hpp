// Blocks of rows of 16 bits that stay in L1 while they become f32, go through an f32 kernel and come back; a row longer
// than a block is a block of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/cache_lines.hpp"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "src/normalizers/half/half_convert.hpp"

namespace attncert {

// Floats of a block: a third of L1 on the machines this was measured on. With fewer a kernel is called too often (a
// call costs as much as a sparse row of 1024), with more the rows leave L1 between the steps.
inline constexpr std::size_t kHalfBlock = 4096;

inline bool is_derivative(const attncert_kernel& kernel) {
  return direction_of(kernel.normalizer) == Direction::derivative;
}

inline std::size_t rows_in_block(std::size_t rows, std::size_t length) {
  const std::size_t most = std::max<std::size_t>(1, kHalfBlock / std::max<std::size_t>(1, length));
  return std::min(rows, most < 4 ? most : most / 4 * 4);  // kernels take short rows in groups of four
}

inline std::size_t block_bytes(std::size_t rows, std::size_t length) {
  return (rows_in_block(rows, length) * length * sizeof(float) + kLine - 1) / kLine * kLine;
}

// One block of f32 rows, dense, in the caller's scratch. The kernel works in place.
class HalfBlock {
 public:
  HalfBlock(const attncert_kernel& single, attncert_dtype half, const attncert_arguments& given)
      : single_(single),
        half_(half),
        given_(given),
        inner_(given),
        past_caches_(beyond_caches<std::uint16_t>(given.rows, given.length)) {
    unsigned char* scratch = static_cast<unsigned char*>(given.scratch);
    const std::size_t bytes = block_bytes(given.rows, given.length), buffers = is_derivative(single) ? 2 : 1;
    logits_ = reinterpret_cast<float*>(scratch);
    upstream_ = is_derivative(single) ? reinterpret_cast<float*>(scratch + bytes) : nullptr;
    inner_.input = inner_.output = logits_;
    inner_.input_stride = inner_.output_stride = inner_.upstream_stride = given.length;
    inner_.upstream = upstream_;
    inner_.scratch = scratch + buffers * bytes;
    inner_.scratch_bytes = given.scratch_bytes - buffers * bytes;
  }

  attncert_status run(std::size_t first, std::size_t rows) {
    widen_rows(given_.input, given_.input_stride, first, rows, logits_);
    if (upstream_ != nullptr) {
      widen_rows(given_.upstream, given_.upstream_stride, first, rows, upstream_);
    }
    inner_.rows = rows;
    const attncert_status status = single_.run(&inner_);
    if (status == ATTNCERT_OK) narrow_rows(first, rows);
    return status;
  }

 private:
  // The rows after these are brought into cache meanwhile.
  void widen_rows(const void* halves, std::size_t stride, std::size_t first, std::size_t rows, float* y) const {
    const std::size_t length = given_.length, after = std::min(rows, given_.rows - first - rows);
    const std::uint16_t* x = static_cast<const std::uint16_t*>(halves) + first * stride;
    const std::uint16_t* next = past_caches_ && after == rows ? x + rows * stride : nullptr;
    if (stride == length) return widen(half_, x, y, rows * length, next);
    for (std::size_t r = 0; r < rows; ++r) {
      widen(half_, x + r * stride, y + r * length, length, next == nullptr ? nullptr : next + r * stride);
    }
  }

  void narrow_rows(std::size_t first, std::size_t rows) const {
    const std::size_t length = given_.length, stride = given_.output_stride;
    std::uint16_t* y = static_cast<std::uint16_t*>(given_.output) + first * stride;
    if (stride == length) return narrow(half_, logits_, y, rows * length, past_caches_);
    for (std::size_t r = 0; r < rows; ++r) narrow(half_, logits_ + r * length, y + r * stride, length, past_caches_);
  }

  const attncert_kernel& single_;
  attncert_dtype half_;
  const attncert_arguments& given_;
  attncert_arguments inner_;
  float *logits_, *upstream_;
  bool past_caches_;
};

}  // namespace attncert
