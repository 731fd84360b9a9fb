#include "src/attention/head.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

AttentionHead::AttentionHead(const attncert_attention_arguments& arguments, const AttentionTypes& types,
                             const KvHead& kv)
    : a_(arguments),
      types_(types),
      kv_(kv),
      queries_(numbers(tile_rows, a_.head_size)),
      scores_(numbers(tile_rows, block_keys)),
      outputs_(numbers(tile_rows, padded(a_.value_size))) {}

void AttentionHead::attend(std::size_t head) {
  for (std::size_t first = 0; first < a_.queries; first += tile_rows) attend_tile(head, Tile(kv_, first, a_.queries));
}

void AttentionHead::attend_tile(std::size_t head, const Tile& tile) {
  std::array<RowSum, tile_rows> sums;
  std::array<float, tile_rows> rescale;
  sums.fill({-infinity, 0});
  const std::size_t channels = kv_.values().channels;
  for (std::size_t r = 0; r < tile.count; ++r)
    read(types_.q, a_.q.data, offset_of(a_.q, kv_.batch(), head, tile.first + r), a_.head_size,
         queries_.data() + r * a_.head_size);
  std::fill_n(outputs_.data(), tile.count * channels, 0.0F);
  for (std::size_t block = tile.from / block_keys; block * block_keys < tile.to; ++block) {
    multiply_keys(queries_.data(), tile.count, a_.head_size, kv_.keys().transposed_block(block), a_.scale,
                  scores_.data());
    cap_scores(scores_.data(), tile.count * block_keys, a_.softcap);
    for (std::size_t r = 0; r < tile.count; ++r)
      kv_.finish_scores(head, tile.first + r, tile.rows[r], block, scores_.data() + r * block_keys);
    absorb_scores(scores_.data(), tile.count, sums.data(), rescale.data());
    const std::size_t keys = std::min(block_keys, tile.to - block * block_keys);
    add_values(scores_.data(), tile.count, kv_.values().block(block, keys), rescale.data(), outputs_.data());
  }
  for (std::size_t r = 0; r < tile.count; ++r) write(head, tile.first + r, sums[r], outputs_.data() + r * channels);
}

void AttentionHead::write(std::size_t head, std::size_t query, const RowSum& found, float* output) const {
  RowSum sum = found;
  if (a_.sinks != nullptr) {
    const float factor = absorb_sink(a_.sinks[head], sum);
    for (std::size_t c = 0; c < a_.value_size; ++c) output[c] *= factor;
  }
  const bool empty = sum.sum == 0;
  const std::size_t at = offset_of(a_.o, kv_.batch(), head, query);
  for (std::size_t c = 0; c < a_.value_size; ++c) output[c] = empty ? 0 : output[c] / sum.sum;
  attncert::write(types_.out, a_.o.data, at, a_.value_size, output);
  if (a_.lse == nullptr) return;
  const double lse = static_cast<double>(sum.largest) + std::log(static_cast<double>(sum.sum));
  a_.lse[(kv_.batch() * a_.heads + head) * a_.queries + query] = empty ? -infinity : static_cast<float>(lse);
}

}  // namespace attncert
