// The matrix products of one layer of GPT-2, by OpenBLAS on one thread: what a forward pass is at least made of.
// Attention's products are taken whole, not by causal blocks of their lower half.
#pragma once

#include <cstddef>
#include <vector>

namespace attncert::bench {

class ForwardProducts {
 public:
  ForwardProducts(std::size_t context, std::size_t width, std::size_t heads);
  void layer() const;

 private:
  std::size_t context_, width_, heads_;
  std::vector<float> input_, weights_;
  mutable std::vector<float> output_, scores_;
};

}  // namespace attncert::bench
