// The backward pass of the query rows that read a KV head: dq, and what they add to dk, dv and dsinks.
#pragma once

#include <cstddef>
#include <vector>

#include "src/attention/attention_types.hpp"
#include "src/attention/kv_head.hpp"

namespace attncert {

class GradientHead {
 public:
  GradientHead(const attncert_attention_arguments& arguments, const attncert_attention_gradients& gradients,
               const AttentionTypes& types, const KvHead& kv);

  void start();  // for what the KV head loaded last
  // All query rows of a head that reads it: writes their dq. Returns what they add to the gradient of the head's sink.
  double add(std::size_t head);
  void finish();  // writes dk and dv

 private:
  // A tile's rows of queries or of dO: as products with a block read them, and padded.
  struct Rows {
    std::size_t size, channels;
    std::vector<float> plain, padded;
    explicit Rows(std::size_t of_row);
  };
  void load(Rows& rows, attncert_dtype dtype, const attncert_tensor& tensor, std::size_t head, const Tile& tile) const;
  void load_tile(std::size_t head, const Tile& tile);
  void add_block(std::size_t head, const Tile& tile, std::size_t block);
  // scale times the numbers; zeros where there are none.
  void write(attncert_dtype dtype, const attncert_tensor& tensor, std::size_t head, std::size_t row,
             const float* numbers, std::size_t size, float scale) const;

  const attncert_attention_arguments& a_;
  const attncert_attention_gradients& g_;
  AttentionTypes types_;
  const KvHead& kv_;
  Rows queries_, gradients_;
  std::vector<float> output_, lse_, differences_;  // one row of o; of each row its LSE and D, which are 0 where it
                                                   // keeps no key: then nothing of it counts, nor its q and dO
  std::vector<float> scores_, slopes_, products_, dq_, dk_, dv_;
};

}  // namespace attncert
