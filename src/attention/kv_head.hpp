// One KV head of one batch, laid out for the blocks, and which keys its query rows keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attncert/attention.h"
#include "src/attention/blocks.hpp"

namespace attncert {

// Queries at a time: a multiple of what the blocks take side by side, and their scores stay in the cache.
inline constexpr std::size_t tile_rows = 48;

std::size_t offset_of(const attncert_tensor& tensor, std::size_t batch, std::size_t head, std::size_t row);
// `count` elements from `first` on; f32 as it is. Every type but f64.
void read(attncert_dtype dtype, const void* data, std::size_t first, std::size_t count, float* to);
// The reverse, each number times the scale; of types of 16 bits or more.
void write(attncert_dtype dtype, void* data, std::size_t first, std::size_t count, const float* from, float scale = 1);
// Numbers of a buffer; where memory has no place for so many, std::length_error.
std::size_t numbers(std::size_t rows, std::size_t columns);
std::size_t padded(std::size_t channels);                            // to a multiple of channel_multiple
std::size_t longest(const attncert_attention_arguments& arguments);  // how many keys some row may keep

// Keys or values, by block. Behind the length stand zeros.
struct Blocks {
  std::size_t size, channels;     // of a row; padded
  std::vector<float> rows;        // of each block block_keys x channels, where they are wanted
  std::vector<float> transposed;  // size x block_keys, where they are wanted
  std::vector<char> finite;       // whether a block's numbers are

  Blocks(std::size_t size, std::size_t blocks, bool with_rows, bool with_transposed);
  ValueBlock block(std::size_t number, std::size_t keys) const {
    return {rows.data() + number * block_keys * channels, keys, channels, finite[number] != 0};
  }
  const float* transposed_block(std::size_t number) const { return transposed.data() + number * block_keys * size; }
};

class KvHead {
 public:
  enum class For { forward, backward };  // the backward pass wants both layouts of both
  KvHead(const attncert_attention_arguments& arguments, attncert_dtype dtype, For what);

  void load(std::size_t batch, std::size_t kv_head);
  std::size_t batch() const { return batch_; }
  std::size_t kv_head() const { return kv_head_; }
  std::size_t length() const { return length_; }  // in keys
  const Blocks& keys() const { return keys_; }
  const Blocks& values() const { return values_; }

  struct Row {  // which keys it may keep: [first, end), and the diagonal's key
    std::size_t first, end;
    std::int64_t diagonal;
  };
  Row row_of(std::size_t query) const;
  // Whether the row keeps a key: of those that diagonal, window and length leave, one that mask and bias keep.
  bool keeps_any(std::size_t head, std::size_t query, const Row& row) const;
  // Adds bias and slope, and makes -inf what the row removes; `scores` are those of one block, scaled and capped.
  void finish_scores(std::size_t head, std::size_t query, const Row& row, std::size_t block, float* scores) const;

 private:
  void load(Blocks& blocks, const attncert_tensor& tensor, const float* scales);
  void clear_behind_length(Blocks& blocks) const;

  const attncert_attention_arguments& a_;
  attncert_dtype dtype_;
  std::size_t batch_ = 0, kv_head_ = 0, length_ = 0;
  Blocks keys_, values_;
  std::vector<float> row_;  // one, as it is stored
  bool as_they_are_;        // no bias, slope or mask changes scores that length, diagonal and window keep
};

// Query rows of a tile, and the keys that some of them keep: blocks from / block_keys to (to - 1) / block_keys.
struct Tile {
  KvHead::Row rows[tile_rows];
  std::size_t first, count, from, to;  // from >= to: none keeps any
  Tile(const KvHead& kv, std::size_t first_query, std::size_t queries);
};

}  // namespace attncert
