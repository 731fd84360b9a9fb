// The Gram matrix of a set of tokens, computed once and shared by all rows of weights over the same tokens (or over the
// first L of them, as in causal attention). Inner products are summed in f64 and rounded to T once:
//   |entry(i, j) - x_i . x_j| <= error ||x_i|| ||x_j|| + floor,   in units in which the largest norm is about 1.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "src/bounds/row.hpp"

namespace attncert::bounds {

// Squared distances over the pairs among the first n tokens, by n: the smallest and the largest, each within `error`
// relative and 2^-1020. From inner products before they are rounded, near pairs from the vectors. +infinity and 0 for
// n < 2.
struct PairDistances {
  std::vector<double> closest, farthest;
  double error = 0;
};
// Distances of tokens scaled by 2^-exponent; O(count) memory beside them.
template <class T>
PairDistances pair_distances(Tokens<T> tokens, int exponent);

// A process-wide setting goes with it: OpenBLAS is told to use one thread, since the suite's jobs are its threads.
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

  const PairDistances& pairs() const { return pairs_; }  // scaled

 private:
  void mirror();
  struct Free {
    void operator()(T* entries) const;
  };
  Tokens<T> tokens_;
  std::size_t stride_ = 0;
  int exponent_ = 0;
  std::unique_ptr<T[], Free> entries_;
  std::vector<double> squared_norms_;
  PairDistances pairs_;
  double error_ = 0, floor_ = 0;
};

extern template PairDistances pair_distances<float>(Tokens<float>, int);
extern template PairDistances pair_distances<double>(Tokens<double>, int);
extern template class Gram<float>;
extern template class Gram<double>;

}  // namespace attncert::bounds
