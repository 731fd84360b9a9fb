#include "src/attention/gradient_head.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/kernel/dtype.hpp"

namespace attncert {
GradientHead::Rows::Rows(std::size_t of_row)
    : size(of_row),
      channels(attncert::padded(of_row)),
      plain(numbers(tile_rows, size)),
      padded(numbers(tile_rows, channels)) {}

GradientHead::GradientHead(const attncert_attention_arguments& arguments, const attncert_attention_gradients& gradients,
                           const AttentionTypes& types, const KvHead& kv)
    : a_(arguments),
      g_(gradients),
      types_(types),
      kv_(kv),
      queries_(a_.head_size),
      gradients_(a_.value_size),
      output_(a_.value_size),
      lse_(tile_rows),
      differences_(tile_rows),
      scores_(numbers(tile_rows, block_keys)),
      slopes_(scores_.size()),
      products_(scores_.size()),
      dq_(numbers(tile_rows, queries_.channels)),
      dk_(kv.keys().rows.size()),
      dv_(kv.values().rows.size()) {}

void GradientHead::start() {
  std::fill(dk_.begin(), dk_.end(), 0.0F);
  std::fill(dv_.begin(), dv_.end(), 0.0F);
}

void GradientHead::load(Rows& rows, attncert_dtype dtype, const attncert_tensor& tensor, std::size_t head,
                        const Tile& tile) const {
  for (std::size_t r = 0; r < tile.count; ++r) {
    float* const row = rows.plain.data() + r * rows.size;
    read(dtype, tensor.data, offset_of(tensor, kv_.batch(), head, tile.first + r), rows.size, row);
    std::copy_n(row, rows.size, rows.padded.data() + r * rows.channels);
  }
}

void GradientHead::load_tile(std::size_t head, const Tile& tile) {
  load(queries_, types_.q, a_.q, head, tile);
  load(gradients_, types_.out, g_.d_o, head, tile);
  for (std::size_t r = 0; r < tile.count; ++r) {
    lse_[r] = differences_[r] = 0;
    if (!kv_.keeps_any(head, tile.first + r, tile.rows[r])) {
      for (Rows* const rows : {&queries_, &gradients_}) {
        std::fill_n(rows->plain.data() + r * rows->size, rows->size, 0.0F);
        std::fill_n(rows->padded.data() + r * rows->channels, rows->size, 0.0F);
      }
      continue;
    }
    const float* const gradient = gradients_.plain.data() + r * a_.value_size;
    lse_[r] = a_.lse[(kv_.batch() * a_.heads + head) * a_.queries + tile.first + r];
    read(types_.out, a_.o.data, offset_of(a_.o, kv_.batch(), head, tile.first + r), a_.value_size, output_.data());
    for (std::size_t c = 0; c < a_.value_size; ++c) differences_[r] += gradient[c] * output_[c];
  }
}

double GradientHead::add(std::size_t head) {
  double sink = 0;
  for (std::size_t first = 0; first < a_.queries; first += tile_rows) {
    const Tile tile(kv_, first, a_.queries);
    load_tile(head, tile);
    std::fill_n(dq_.data(), tile.count * queries_.channels, 0.0F);
    for (std::size_t block = tile.from / block_keys; block * block_keys < tile.to; ++block)
      add_block(head, tile, block);
    for (std::size_t r = 0; r < tile.count; ++r) {
      write(types_.q, g_.dq, head, first + r, dq_.data() + r * queries_.channels, a_.head_size, a_.scale);
      if (a_.sinks != nullptr && differences_[r] != 0)
        sink -= std::exp(static_cast<double>(a_.sinks[head]) - static_cast<double>(lse_[r])) *
                static_cast<double>(differences_[r]);
    }
  }
  return sink;
}

void GradientHead::add_block(std::size_t head, const Tile& tile, std::size_t block) {
  const std::size_t count = tile.count, keys = std::min(block_keys, tile.to - block * block_keys);
  multiply_keys(queries_.plain.data(), count, a_.head_size, kv_.keys().transposed_block(block), a_.scale,
                scores_.data());
  cap_scores(scores_.data(), count * block_keys, a_.softcap);
  const bool capped = a_.softcap > 0;
  if (capped) softcap_slopes(scores_.data(), count * block_keys, a_.softcap, slopes_.data());
  multiply_keys(gradients_.plain.data(), count, a_.value_size, kv_.values().transposed_block(block), 1,
                products_.data());
  for (std::size_t r = 0; r < count; ++r) {
    float* const scores = scores_.data() + r * block_keys;
    kv_.finish_scores(head, tile.first + r, tile.rows[r], block, scores);
    weigh_scores(scores, lse_[r]);
    score_gradients(scores, differences_[r], capped ? slopes_.data() + r * block_keys : nullptr,
                    products_.data() + r * block_keys);
  }
  std::array<float, tile_rows> once;
  once.fill(1);
  add_values(products_.data(), count, kv_.keys().block(block, keys), once.data(), dq_.data());
  add_rows_to_keys(products_.data(), queries_.padded.data(), count, queries_.channels,
                   dk_.data() + block * block_keys * queries_.channels);
  add_rows_to_keys(scores_.data(), gradients_.padded.data(), count, gradients_.channels,
                   dv_.data() + block * block_keys * gradients_.channels);
}

void GradientHead::finish() {
  for (std::size_t j = 0; j < a_.keys; ++j) {  // behind the length are zeros
    const bool kept = j < kv_.length();
    write(types_.kv, g_.dk, kv_.kv_head(), j, kept ? dk_.data() + j * queries_.channels : nullptr, a_.head_size,
          a_.scale);
    write(types_.kv, g_.dv, kv_.kv_head(), j, kept ? dv_.data() + j * gradients_.channels : nullptr, a_.value_size, 1);
  }
}

void GradientHead::write(attncert_dtype dtype, const attncert_tensor& tensor, std::size_t head, std::size_t row,
                         const float* numbers, std::size_t size, float scale) const {
  const std::vector<float> zeros(numbers == nullptr ? size : 0);
  attncert::write(dtype, tensor.data, offset_of(tensor, kv_.batch(), head, row), size,
                  numbers == nullptr ? zeros.data() : numbers, numbers == nullptr ? 1 : scale);
}

}  // namespace attncert
