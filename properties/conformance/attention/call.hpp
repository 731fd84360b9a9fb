// A call of an attention kernel, its inputs read into doubles: which keys a row keeps and what a score is made of, for
// kernels that are written plainly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "attncert/attention.h"
#include "properties/dumps/host/case_arguments.hpp"

namespace attncert {

class AttentionCall {
 public:
  AttentionCall(const attncert_attention_arguments& arguments, attncert_dtype dtype);

  const attncert_attention_arguments& arguments() const { return a_; }
  attncert_dtype dtype() const { return dtype_; }
  std::size_t rows() const { return a_.batches * a_.heads * a_.queries; }

  // Rows of q in the order batch, head, query; keys by batch, KV head and key.
  std::span<const double> query(std::size_t row) const { return of(q_, row, a_.head_size); }
  std::span<const double> key(std::size_t batch, std::size_t kv_head, std::size_t j) const {
    return of(k_, (batch * a_.kv_heads + kv_head) * a_.keys + j, a_.head_size);
  }
  std::span<const double> value(std::size_t batch, std::size_t kv_head, std::size_t j) const {
    return of(v_, (batch * a_.kv_heads + kv_head) * a_.keys + j, a_.value_size);
  }

  // All of them, one row after another.
  std::span<const double> keys() const { return k_; }
  std::span<const double> values() const { return v_; }

  std::size_t length(std::size_t batch) const { return a_.lengths != nullptr ? a_.lengths[batch] : a_.keys; }
  bool masked(std::size_t batch, std::size_t head, std::size_t query, std::size_t j) const;  // by the tensor
  double bias(std::size_t batch, std::size_t head, std::size_t query, std::size_t j) const;  // 0 where there is none
  // ALiBi's term of a score where the causal diagonal has this offset; 0 without slopes.
  double alibi(std::size_t head, std::size_t query, std::size_t j, std::int64_t offset) const;
  // As attention.h says, with another offset of the diagonal and window.
  bool keeps(std::size_t batch, std::size_t query, std::size_t j, std::int64_t offset, std::size_t window) const {
    return in_reach(a_, batch, query, j, offset, window);
  }

  void write(std::size_t row, std::span<const double> output, double lse) const;  // rounded to nearest
  // All of a tensor of the type, in the order batch, head, row.
  std::vector<double> numbers(const attncert_tensor& tensor, std::size_t heads, std::size_t rows,
                              std::size_t size) const;
  void store(const attncert_tensor& tensor, std::size_t heads, std::size_t rows, std::size_t size,
             std::span<const double> numbers) const;

 private:
  static std::span<const double> of(const std::vector<double>& numbers, std::size_t row, std::size_t size) {
    return std::span(numbers).subspan(row * size, size);
  }

  const attncert_attention_arguments& a_;
  attncert_dtype dtype_;
  std::vector<double> q_, k_, v_;
};

}  // namespace attncert
