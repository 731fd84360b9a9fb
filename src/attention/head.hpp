// The query rows that read a KV head: their outputs and LSEs.
#pragma once

#include <cstddef>
#include <vector>

#include "src/attention/attention_types.hpp"
#include "src/attention/kv_head.hpp"

namespace attncert {

class AttentionHead {
 public:
  AttentionHead(const attncert_attention_arguments& arguments, const AttentionTypes& types, const KvHead& kv);

  // All query rows of a head that reads what the KV head loaded last.
  void attend(std::size_t head);

 private:
  void attend_tile(std::size_t head, const Tile& tile);
  void write(std::size_t head, std::size_t query, const RowSum& sum, float* output) const;

  const attncert_attention_arguments& a_;
  AttentionTypes types_;
  const KvHead& kv_;
  std::vector<float> queries_, scores_, outputs_;
};

}  // namespace attncert
