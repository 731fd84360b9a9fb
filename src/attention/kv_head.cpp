#include "src/attention/kv_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "src/core/float8.hpp"
#include "src/core/position.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::size_t blocks_of(std::size_t keys) { return keys / block_keys + (keys % block_keys == 0 ? 0 : 1); }

}  // namespace

std::size_t longest(const attncert_attention_arguments& a) {
  return a.lengths == nullptr ? a.keys : *std::max_element(a.lengths, a.lengths + a.batches);
}

std::size_t offset_of(const attncert_tensor& tensor, std::size_t batch, std::size_t head, std::size_t row) {
  return batch * tensor.batch_stride + head * tensor.head_stride + row * tensor.row_stride;
}

namespace {

void read_float8(const Float8& format, const void* data, std::size_t first, std::size_t count, float* to) {
  const auto* const codes = static_cast<const std::uint8_t*>(data) + first;
  for (std::size_t e = 0; e < count; ++e) to[e] = static_cast<float>(widened(format, codes[e]));
}

}  // namespace

void read(attncert_dtype dtype, const void* data, std::size_t first, std::size_t count, float* to) {
  if (dtype == ATTNCERT_F32) {
    std::copy_n(static_cast<const float*>(data) + first, count, to);
    return;
  }
  if (dtype == ATTNCERT_E4M3 || dtype == ATTNCERT_E5M2) {
    read_float8(dtype == ATTNCERT_E4M3 ? e4m3 : e5m2, data, first, count, to);
    return;
  }
  for (std::size_t e = 0; e < count; ++e) to[e] = static_cast<float>(load_element(dtype, data, first + e));
}

void write(attncert_dtype dtype, void* data, std::size_t first, std::size_t count, const float* from, float scale) {
  if (dtype == ATTNCERT_F32) {
    auto* const to = static_cast<float*>(data) + first;
    for (std::size_t e = 0; e < count; ++e) to[e] = scale * from[e];
    return;
  }
  for (std::size_t e = 0; e < count; ++e) store_element(dtype, data, first + e, scale * from[e]);
}

std::size_t numbers(std::size_t rows, std::size_t columns) {
  if (columns != 0 && rows > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float) / columns)
    throw std::length_error("attention");
  return rows * columns;
}

std::size_t padded(std::size_t channels) { return numbers((channels - 1) / channel_multiple + 1, channel_multiple); }

Blocks::Blocks(std::size_t of_row, std::size_t blocks, bool with_rows, bool with_transposed)
    : size(of_row),
      channels(padded(of_row)),
      rows(with_rows ? numbers(numbers(blocks, block_keys), channels) : 0),
      transposed(with_transposed ? numbers(numbers(blocks, block_keys), size) : 0),
      finite(blocks) {}

KvHead::KvHead(const attncert_attention_arguments& arguments, attncert_dtype dtype, For what)
    : a_(arguments),
      dtype_(dtype),
      keys_(a_.head_size, blocks_of(longest(a_)), what == For::backward, true),
      values_(a_.value_size, blocks_of(longest(a_)), true, what == For::backward),
      row_(std::max(a_.head_size, a_.value_size)),
      as_they_are_(a_.bias.data == nullptr && a_.slopes == nullptr && a_.mask.data == nullptr) {}

void KvHead::load(std::size_t batch, std::size_t kv_head) {
  batch_ = batch;
  kv_head_ = kv_head;
  length_ = a_.lengths != nullptr ? a_.lengths[batch] : a_.keys;
  load(keys_, a_.k, a_.k_scale);
  load(values_, a_.v, a_.v_scale);
}

void KvHead::load(Blocks& blocks, const attncert_tensor& tensor, const float* scales) {
  std::fill(blocks.finite.begin(), blocks.finite.end(), 1);
  for (std::size_t j = 0; j < length_; ++j) {
    const std::size_t block = j / block_keys, in_block = j % block_keys;
    float* const row = blocks.rows.empty() ? row_.data() : blocks.rows.data() + j * blocks.channels;
    read(dtype_, tensor.data, offset_of(tensor, batch_, kv_head_, j), blocks.size, row);
    for (std::size_t e = 0; e < blocks.size && scales != nullptr; ++e) row[e] *= scales[kv_head_];
    if (!std::all_of(row, row + blocks.size, [](float x) { return std::isfinite(x); })) blocks.finite[block] = 0;
    if (blocks.transposed.empty()) continue;
    float* const to = blocks.transposed.data() + block * block_keys * blocks.size + in_block;
    for (std::size_t e = 0; e < blocks.size; ++e) to[e * block_keys] = row[e];
  }
  clear_behind_length(blocks);
}

// What an earlier head left in the block in which the length lies; no block behind it is looked at.
void KvHead::clear_behind_length(Blocks& blocks) const {
  const std::size_t block = length_ / block_keys, in_block = length_ % block_keys;
  if (in_block == 0) return;
  if (!blocks.rows.empty())
    std::fill_n(blocks.rows.data() + length_ * blocks.channels, (block_keys - in_block) * blocks.channels, 0.0F);
  if (blocks.transposed.empty()) return;
  float* const columns = blocks.transposed.data() + block * block_keys * blocks.size;
  for (std::size_t e = 0; e < blocks.size; ++e)
    std::fill(columns + e * block_keys + in_block, columns + (e + 1) * block_keys, 0.0F);
}

KvHead::Row KvHead::row_of(std::size_t query) const {
  Row row{0, length_, position(query, a_.causal_offset, 0)};
  const auto keys = static_cast<std::int64_t>(length_);
  if ((a_.flags & ATTNCERT_CAUSAL) != 0)
    row.end = static_cast<std::size_t>(std::clamp<std::int64_t>(row.diagonal + 1, 0, keys));
  if (a_.window_after != 0) {
    const std::int64_t end = position(query, raised(a_.causal_offset, a_.window_after), 0);
    row.end = std::min(row.end, static_cast<std::size_t>(std::clamp<std::int64_t>(end, 0, keys)));
  }
  if (a_.window != 0) {
    const std::int64_t first = position(query, a_.causal_offset, a_.window) + 1;
    row.first = std::min(row.end, static_cast<std::size_t>(std::clamp<std::int64_t>(first, 0, keys)));
  }
  return row;
}

bool KvHead::keeps_any(std::size_t head, std::size_t query, const Row& row) const {
  const std::size_t bias_at = offset_of(a_.bias, batch_, head, query),
                    mask_at = offset_of(a_.mask, batch_, head, query);
  for (std::size_t j = row.first; j < row.end; ++j) {
    const bool masked = a_.mask.data != nullptr && static_cast<const unsigned char*>(a_.mask.data)[mask_at + j] == 0;
    const bool removed = a_.bias.data != nullptr && static_cast<const float*>(a_.bias.data)[bias_at + j] == -infinity;
    if (!masked && !removed) return true;
  }
  return false;
}

void KvHead::finish_scores(std::size_t head, std::size_t query, const Row& row, std::size_t block,
                           float* scores) const {
  const std::size_t first = block * block_keys;
  if (as_they_are_ && row.first <= first && first + block_keys <= row.end) return;
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

Tile::Tile(const KvHead& kv, std::size_t first_query, std::size_t queries)
    : first(first_query), count(std::min(tile_rows, queries - first_query)), from(kv.length()), to(0) {
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = kv.row_of(first + r);
    if (rows[r].first < rows[r].end) from = std::min(from, rows[r].first), to = std::max(to, rows[r].end);
  }
}

}  // namespace attncert
