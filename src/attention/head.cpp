#include "src/attention/head.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// Queries at a time: a multiple of what the blocks take side by side, and their scores stay in the cache.
constexpr std::size_t tile_rows = 48;
// No position is so far: where the diagonal is farther, all keys are on one side of it.
constexpr std::int64_t farthest = std::int64_t{1} << 61;
constexpr float infinity = std::numeric_limits<float>::infinity();

std::size_t offset_of(const attncert_tensor& tensor, std::size_t batch, std::size_t head, std::size_t row) {
  return batch * tensor.batch_stride + head * tensor.head_stride + row * tensor.row_stride;
}

// `count` elements from `first` on; f32 as it is.
void read(attncert_dtype dtype, const void* data, std::size_t first, std::size_t count, float* to) {
  if (dtype == ATTNCERT_F32) {
    std::copy_n(static_cast<const float*>(data) + first, count, to);
    return;
  }
  for (std::size_t e = 0; e < count; ++e) to[e] = static_cast<float>(load_element(dtype, data, first + e));
}

std::size_t blocks_of(std::size_t keys) { return keys / block_keys + (keys % block_keys == 0 ? 0 : 1); }

// Numbers of a buffer; where memory has no place for so many, std::length_error.
std::size_t numbers(std::size_t rows, std::size_t columns) {
  if (columns != 0 && rows > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float) / columns)
    throw std::length_error("attention");
  return rows * columns;
}

// The keys that some row may keep.
std::size_t longest(const attncert_attention_arguments& a) {
  return a.lengths == nullptr ? a.keys : *std::max_element(a.lengths, a.lengths + a.batches);
}

}  // namespace

AttentionHead::AttentionHead(const attncert_attention_arguments& arguments, attncert_dtype dtype)
    : a_(arguments),
      dtype_(dtype),
      channels_(numbers((a_.value_size - 1) / channel_multiple + 1, channel_multiple)),
      keys_(numbers(numbers(blocks_of(longest(a_)), block_keys), a_.head_size)),
      values_(numbers(numbers(blocks_of(longest(a_)), block_keys), channels_)),
      finite_(blocks_of(longest(a_))),
      key_(a_.head_size),
      queries_(numbers(tile_rows, a_.head_size)),
      scores_(numbers(tile_rows, block_keys)),
      outputs_(numbers(tile_rows, channels_)) {}

void AttentionHead::load(std::size_t batch, std::size_t kv_head) {
  batch_ = batch;
  kv_head_ = kv_head;
  length_ = a_.lengths != nullptr ? a_.lengths[batch] : a_.keys;
  for (std::size_t block = 0; block < blocks_of(length_); ++block) load_block(block);
}

// Behind the length stand zeros; each row removes them.
void AttentionHead::load_block(std::size_t block) {
  float* const keys = keys_.data() + block * block_keys * a_.head_size;
  float* const values = values_.data() + block * block_keys * channels_;
  std::fill_n(keys, block_keys * a_.head_size, 0.0F);
  std::fill_n(values, block_keys * channels_, 0.0F);
  const std::size_t first = block * block_keys, count = std::min(block_keys, length_ - first);
  bool finite = true;
  for (std::size_t j = 0; j < count; ++j) {
    read(dtype_, a_.k.data, offset_of(a_.k, batch_, kv_head_, first + j), a_.head_size, key_.data());
    for (std::size_t e = 0; e < a_.head_size; ++e) keys[e * block_keys + j] = key_[e];
    float* const to = values + j * channels_;
    read(dtype_, a_.v.data, offset_of(a_.v, batch_, kv_head_, first + j), a_.value_size, to);
    finite = finite && std::all_of(to, to + a_.value_size, [](float v) { return std::isfinite(v); });
  }
  finite_[block] = finite;
}

AttentionHead::Row AttentionHead::row_of(std::size_t query) const {
  const std::int64_t offset = std::clamp(a_.causal_offset, -farthest, farthest);
  Row row{0, length_, static_cast<std::int64_t>(query) + offset};
  const auto keys = static_cast<std::int64_t>(length_);
  if ((a_.flags & ATTNCERT_CAUSAL) != 0)
    row.end = static_cast<std::size_t>(std::clamp<std::int64_t>(row.diagonal + 1, 0, keys));
  if (a_.window != 0 && row.diagonal + 1 > 0 && static_cast<std::uint64_t>(row.diagonal) + 1 > a_.window)
    row.first = std::min(row.end, static_cast<std::size_t>(row.diagonal) + 1 - a_.window);
  return row;
}

void AttentionHead::attend(std::size_t head) {
  for (std::size_t first = 0; first < a_.queries; first += tile_rows)
    attend_rows(head, first, std::min(tile_rows, a_.queries - first));
}

void AttentionHead::attend_rows(std::size_t head, std::size_t first, std::size_t count) {
  std::array<Row, tile_rows> rows;
  std::array<RowSum, tile_rows> sums;
  std::array<float, tile_rows> rescale;
  std::size_t from = a_.keys, to = 0;  // what some row keeps
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = row_of(first + r);
    sums[r] = {-infinity, 0};
    if (rows[r].first < rows[r].end) from = std::min(from, rows[r].first), to = std::max(to, rows[r].end);
    read(dtype_, a_.q.data, offset_of(a_.q, batch_, head, first + r), a_.head_size, queries_.data() + r * a_.head_size);
  }
  std::fill_n(outputs_.data(), count * channels_, 0.0F);
  for (std::size_t block = from / block_keys; block * block_keys < to; ++block) {
    multiply_keys(queries_.data(), count, a_.head_size, keys_.data() + block * block_keys * a_.head_size,
                  scores_.data());
    scale_scores(scores_.data(), count * block_keys, a_.scale, a_.softcap);
    for (std::size_t r = 0; r < count; ++r) {
      float* const scores = scores_.data() + r * block_keys;
      finish_scores(head, first + r, rows[r], block, scores);
      rescale[r] = absorb_scores(scores, sums[r]);
    }
    const std::size_t keys = std::min(block_keys, to - block * block_keys);
    add_values(scores_.data(), count,
               {values_.data() + block * block_keys * channels_, keys, channels_, finite_[block] != 0}, rescale.data(),
               outputs_.data());
  }
  for (std::size_t r = 0; r < count; ++r) write(head, first + r, sums[r], outputs_.data() + r * channels_);
}

void AttentionHead::finish_scores(std::size_t head, std::size_t query, const Row& row, std::size_t block,
                                  float* scores) const {
  const std::size_t first = block * block_keys;
  const std::size_t begin = std::clamp(row.first, first, first + block_keys) - first,
                    end = std::clamp(row.end, first, first + block_keys) - first;
  std::fill(scores, scores + begin, -infinity);
  std::fill(scores + std::max(begin, end), scores + block_keys, -infinity);
  if (a_.bias.data != nullptr) {
    const float* const bias = static_cast<const float*>(a_.bias.data) + offset_of(a_.bias, batch_, head, query) + first;
    for (std::size_t j = begin; j < end; ++j) scores[j] = bias[j] == -infinity ? -infinity : scores[j] + bias[j];
  }
  if (a_.slopes != nullptr)
    for (std::size_t j = begin; j < end; ++j) {
      const std::int64_t distance = static_cast<std::int64_t>(first + j) - row.diagonal;
      const bool causal = (a_.flags & ATTNCERT_CAUSAL) != 0;
      scores[j] += a_.slopes[head] * static_cast<float>(causal || distance < 0 ? distance : -distance);
    }
  if (a_.mask.data == nullptr) return;
  const auto* const mask =
      static_cast<const unsigned char*>(a_.mask.data) + offset_of(a_.mask, batch_, head, query) + first;
  for (std::size_t j = begin; j < end; ++j)
    if (mask[j] == 0) scores[j] = -infinity;
}

void AttentionHead::write(std::size_t head, std::size_t query, const RowSum& found, float* output) const {
  RowSum sum = found;
  if (a_.sinks != nullptr) {
    const float factor = absorb_sink(a_.sinks[head], sum);
    for (std::size_t c = 0; c < a_.value_size; ++c) output[c] *= factor;
  }
  const bool empty = sum.sum == 0;
  const std::size_t at = offset_of(a_.o, batch_, head, query);
  for (std::size_t c = 0; c < a_.value_size; ++c)
    store_element(dtype_, a_.o.data, at + c, empty ? 0 : output[c] / sum.sum);
  if (a_.lse == nullptr) return;
  const double lse = static_cast<double>(sum.largest) + std::log(static_cast<double>(sum.sum));
  a_.lse[(batch_ * a_.heads + head) * a_.queries + query] = empty ? -infinity : static_cast<float>(lse);
}

}  // namespace attncert
