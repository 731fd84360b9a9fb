// The Gram matrix of a set of tokens, computed once and shared by all rows of weights over the same tokens (or over the first L
// of them, as in causal attention). Inner products are summed in f64 and rounded to T once:
//   |entry(i, j) - x_i . x_j| <= error ||x_i|| ||x_j|| + floor,   in units in which the largest norm is about 1.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "src/bounds/row.hpp"

namespace attncert::bounds {

template <class T>
class Gram {
 public:
  explicit Gram(Tokens<T> tokens);  // keeps the view: the tokens must outlive it. O(count^2) memory.

  std::size_t count() const { return tokens_.count; }
  Tokens<T> tokens() const { return tokens_; }
  const T* row(std::size_t i) const { return entries_.get() + i * stride_; }  // 64-byte aligned, zero beyond count
  std::size_t stride() const { return stride_; }
  int exponent() const { return exponent_; }  // x_i = 2^exponent times the token the matrix is of
  const std::vector<double>& squared_norms() const { return squared_norms_; }  // of the scaled tokens, in f64
  double error() const { return error_; }
  double floor() const { return floor_; }

  // Squared distances over the pairs among the first n tokens, scaled: the smallest and the largest, from inner products before they are
  // rounded to T, near pairs from the vectors: each within distance_error() relative and 2^-1020. +infinity and 0 for n < 2.
  double closest(std::size_t n) const { return closest_[n]; }
  double farthest(std::size_t n) const { return farthest_[n]; }
  double distance_error() const { return distance_error_; }

 private:
  void mirror();
  struct Free {
    void operator()(T* entries) const;
  };
  Tokens<T> tokens_;
  std::size_t stride_ = 0;
  int exponent_ = 0;
  std::unique_ptr<T[], Free> entries_;
  std::vector<double> squared_norms_, closest_, farthest_;
  double error_ = 0, floor_ = 0, distance_error_ = 0;
};

extern template class Gram<float>;
extern template class Gram<double>;

}  // namespace attncert::bounds
