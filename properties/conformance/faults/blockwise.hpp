// Softmax in one pass over blocks, with a running maximum and a sum that is rescaled when the maximum grows (Milakov
// and Gimelshein 2018), and in splits whose log-sum-exps are merged (Dao et al. 2022): the forms attention kernels use.
#pragma once

#include <cmath>
#include <functional>
#include <span>

#include "properties/conformance/faults/plain_contract.hpp"

namespace attncert::plain {

using Rounding = std::function<Real(Real)>;
inline Real unrounded(Real value) { return value; }

struct Blockwise {
  std::size_t block = 64;
  Rounding carried_maximum = unrounded,
           carried_sum = unrounded;  // roundings of the values that pass from block to block
  Rounding rescale = [](Real x) -> Real { return std::exp(x); };
  bool skips_empty_blocks = true;  // otherwise an empty block computes exp(-inf - -inf)
};
Reals blockwise_weights(const Row& row, const Blockwise& form);
RowFunction blockwise_softmax(Blockwise form, Contract contract = default_contract("softmax"));

// `parts` log-sum-exps in natural logarithm, merged by `merge`, then weights exp(z / T - lse).
using Merge = std::function<Real(std::span<const Real> part_lse)>;
Real log_of_sum_of_exponentials(std::span<const Real> terms);
Reals split_weights(const Row& row, std::size_t parts, const Merge& merge);
RowFunction split_softmax(std::size_t parts, Merge merge = log_of_sum_of_exponentials);

}  // namespace attncert::plain
