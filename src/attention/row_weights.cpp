#include "src/attention/row_weights.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/attention/every_head.hpp"
#include "src/attention/kv_head.hpp"
#include "src/attention/objection.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr float removed = -std::numeric_limits<float>::infinity();

class WholeRows {
 public:
  WholeRows(const attncert_attention_arguments& arguments, attncert_dtype dtype, const RowWeights& weights,
            const KvHead& kv)
      : a_(arguments),
        dtype_(dtype),
        weights_of_(weights),
        kv_(kv),
        queries_(numbers(tile_rows, a_.head_size)),
        outputs_(numbers(tile_rows, padded(a_.value_size))),
        blocks_(numbers(tile_rows, numbers(longest(a_) / block_keys + 1, block_keys))),
        weights_(longest(a_)) {
    kept_.reserve(weights_.size());
  }

  void attend(std::size_t head) {
    for (std::size_t first = 0; first < a_.queries; first += tile_rows) {
      const Tile tile(kv_, first, a_.queries);
      std::fill_n(outputs_.data(), tile.count * kv_.values().channels, 0.0F);
      if (tile.from < tile.to) attend(head, tile);
      write(head, tile);
    }
  }

 private:
  // A block of the tile's rows, one beside the other: scores, then weights.
  float* block(std::size_t number) { return blocks_.data() + number * tile_rows * block_keys; }

  void attend(std::size_t head, const Tile& tile) {
    const std::size_t first = tile.from / block_keys, last = (tile.to - 1) / block_keys;
    for (std::size_t r = 0; r < tile.count; ++r)
      read(dtype_, a_.q.data, offset_of(a_.q, kv_.batch(), head, tile.first + r), a_.head_size,
           queries_.data() + r * a_.head_size);
    for (std::size_t n = first; n <= last; ++n) {
      multiply_keys(queries_.data(), tile.count, a_.head_size, kv_.keys().transposed_block(n), a_.scale, block(n));
      cap_scores(block(n), tile.count * block_keys, a_.softcap);
      for (std::size_t r = 0; r < tile.count; ++r)
        kv_.finish_scores(head, tile.first + r, tile.rows[r], n, block(n) + r * block_keys);
    }
    for (std::size_t r = 0; r < tile.count; ++r) weigh(first, last, r);
    std::array<float, tile_rows> once;
    once.fill(1);
    for (std::size_t n = first; n <= last; ++n) {
      const std::size_t keys = std::min(block_keys, tile.to - n * block_keys);
      add_values(block(n), tile.count, kv_.values().block(n, keys), once.data(), outputs_.data());
    }
  }

  // visit(entry) with what the row has in the blocks, key by key.
  template <class Visit>
  void each_entry(std::size_t first, std::size_t last, std::size_t row, Visit visit) {
    for (std::size_t n = first; n <= last; ++n)
      for (std::size_t j = 0; j < block_keys; ++j) visit(block(n)[row * block_keys + j]);
  }

  void weigh(std::size_t first, std::size_t last, std::size_t row) {
    kept_.clear();
    each_entry(first, last, row, [&](float score) {
      if (score != removed) kept_.push_back(score);
    });
    if (!kept_.empty()) weights_of_(kept_, std::span(weights_).first(kept_.size()));
    const float* next = weights_.data();
    each_entry(first, last, row, [&](float& score) { score = score != removed ? *next++ : 0; });
  }

  void write(std::size_t head, const Tile& tile) const {
    for (std::size_t r = 0; r < tile.count; ++r)
      attncert::write(dtype_, a_.o.data, offset_of(a_.o, kv_.batch(), head, tile.first + r), a_.value_size,
                      outputs_.data() + r * kv_.values().channels);
  }

  const attncert_attention_arguments& a_;
  attncert_dtype dtype_;
  const RowWeights& weights_of_;
  const KvHead& kv_;
  std::vector<float> queries_, outputs_, blocks_, weights_, kept_;
};

}  // namespace

attncert_attention_status attention_with(const attncert_attention_arguments& arguments, attncert_dtype dtype,
                                         const RowWeights& weights) {
  if (!objection(arguments).empty() || arguments.lse != nullptr || arguments.sinks != nullptr)
    return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  return where_memory_is([&] {
    KvHead kv(arguments, dtype, KvHead::For::forward);
    WholeRows rows(arguments, dtype, weights, kv);
    each_kv_head(arguments, kv, [&](std::size_t first, std::size_t last) {
      for (std::size_t head = first; head < last; ++head) rows.attend(head);
    });
  });
}

}  // namespace attncert
