// Which rows of the softmax family take which way, and which batches of any family go past the caches. Sizes are
// guesses at a common machine (L1 32 KiB, L2 1 MiB, a share of L3 of 32 MiB): a wrong guess costs time, never a bit.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"

namespace attncert {

constexpr std::size_t kGroup = 4;
constexpr std::size_t kGroupLength = 1024;  // beyond it a row keeps the machine busy alone, and four would not fit L1
constexpr std::size_t kShortestPipelined = 65;
constexpr std::size_t kLongRowBytes = std::size_t{1} << 19;  // above, a row does not stay in L2 from pass to pass
constexpr std::size_t kCacheBytes = std::size_t{1} << 25;    // input and output together

template <class T>
constexpr bool is_long(std::size_t length) {
  return length > kLongRowBytes / sizeof(T);
}

template <class T>
constexpr bool beyond_caches(std::size_t rows, std::size_t length) {
  return rows > kCacheBytes / (2 * sizeof(T)) / (length == 0 ? 1 : length);
}

template <class T>
constexpr bool is_pipelined(std::size_t rows, std::size_t length) {
  return length >= kShortestPipelined && !is_long<T>(length) && beyond_caches<T>(rows, length);
}

// Elements of one of the two rows of exponentials that a pipeline holds; whole cache lines.
template <class T>
constexpr std::size_t held(std::size_t length) {
  return (length * sizeof(T) + 63) / 64 * 64 / sizeof(T);
}

// Rows of exponentials that a batch holds beside its output: none, the two of a pipeline, or that of a long row, which
// stays in L3 from pass to pass.
template <class T>
std::size_t rows_held(std::size_t rows, std::size_t length) {
  if (is_pipelined<T>(rows, length)) return 2;
  return is_long<T>(length) && beyond_caches<T>(rows, length) && length <= kCacheBytes / 4 / sizeof(T) ? 1 : 0;
}

template <class T>
std::size_t softmax_scratch(const attncert_arguments* arguments) {
  if (arguments == nullptr) return 0;
  if (arguments->mask != nullptr && !is_long<T>(arguments->length)) return 0;  // in parts that stay in caches
  return rows_held<T>(arguments->rows, arguments->length) * held<T>(arguments->length) * sizeof(T);
}

}  // namespace attncert
