// Enclosures of what fused attention computes for one query row, and of all that its error bound is made of.
//   r_j = scale q . k_j    c_j = r_j or C tanh(r_j / C)    x_j = c_j + bias_j + ALiBi_j
//   p_j = e^(x_j - M) / Z    output_c = sum p_j v_jc    lse = M + ln Z    (M = max x, Z = sum e^(x - M))
#pragma once

#include "reference/attention/row.hpp"
#include "reference/interval.hpp"

namespace attncert::reference {

struct AttentionTruth {
  std::vector<std::size_t> keys;                // the kept ones, ascending
  std::vector<Interval> scaled, capped, score;  // r, c, x of each kept key, then of the sink if there is one
  std::vector<Interval> depth;                  // M - x, never below 0
  std::vector<Interval> weight;                 // p
  Interval largest, log_sum;                    // M, ln Z
  std::vector<Interval> output;                 // one a channel
  Interval lse;
};

// Asserts that a key or a sink is left (a row without either is a matter of contract, not of accuracy), that sizes fit
// and that what is read is finite.
AttentionTruth attention_truth(const AttentionRow& row, Precision precision);

// What the weights of one channel multiply: the kept keys' values, then 0 for the sink if there is one.
std::vector<double> kept_values(const AttentionRow& row, std::span<const std::size_t> keys, std::size_t channel);

// The ALiBi term of key j; 0 without a slope.
Rational alibi(const AttentionRow& row, std::size_t j);

}  // namespace attncert::reference
