// Enclosures of what fused attention computes for one query row, and of all that its error bound is made of.
//   r_j = scale q . k_j    c_j = r_j or C tanh(r_j / C)    x_j = c_j + bias_j + ALiBi_j
//   p_j = e^(x_j - M) / Z    output_c = sum p_j v_jc    lse = M + ln Z    (M = max x, Z = sum e^(x - M))
#pragma once

#include "reference/attention/row.hpp"
#include "reference/double_interval.hpp"
#include "reference/interval.hpp"

namespace attncert::reference {

template <class Number>  // Interval or DoubleInterval
struct AttentionTruth {
  std::vector<std::size_t> keys;              // the kept ones, ascending
  std::vector<Number> scaled, capped, score;  // r, c, x of each kept key, then of the sink if there is one
  std::vector<Number> depth;                  // M - x, never below 0
  std::vector<Number> weight;                 // p
  Number largest, log_sum;                    // M, ln Z
  std::vector<Number> output;                 // one a channel
  Number lse;
};

// Asserts that a key or a sink is left (a row without either is a matter of contract, not of accuracy), that sizes fit
// and that what is read is finite.
AttentionTruth<Interval> attention_truth(const AttentionRow& row, Precision precision);
AttentionTruth<DoubleInterval> attention_truth(const AttentionRow& row, DoublePrecision precision);

}  // namespace attncert::reference
