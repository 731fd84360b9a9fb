// One KV head of one batch, laid out for the blocks, and the query rows that read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attncert/attention.h"
#include "src/attention/blocks.hpp"

namespace attncert {

class AttentionHead {
 public:
  AttentionHead(const attncert_attention_arguments& arguments, attncert_dtype dtype);

  void load(std::size_t batch, std::size_t kv_head);
  // All query rows of a head that reads what was loaded last.
  void attend(std::size_t head);

 private:
  struct Row {  // which keys it may keep: [first, end), and the diagonal's key
    std::size_t first, end;
    std::int64_t diagonal;
  };
  Row row_of(std::size_t query) const;
  void load_block(std::size_t block);
  void attend_rows(std::size_t head, std::size_t first, std::size_t count);
  // Adds bias and slope, and makes -inf what the row removes; `scores` are those of one block.
  void finish_scores(std::size_t head, std::size_t query, const Row& row, std::size_t block, float* scores) const;
  void write(std::size_t head, std::size_t query, const RowSum& sum, float* output) const;

  const attncert_attention_arguments& a_;
  attncert_dtype dtype_;
  std::size_t channels_, batch_ = 0, kv_head_ = 0, length_ = 0;
  std::vector<float> keys_, values_;  // by block: head_size x block_keys, and block_keys x channels_
  std::vector<char> finite_;          // whether a block's values are
  std::vector<float> key_;            // one, as it is stored
  std::vector<float> queries_, scores_, outputs_;
};

}  // namespace attncert
