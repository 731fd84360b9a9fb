// How far each output and the LSE of a kernel may be from the truth, by the rounding class that it declares: bounds of
// all orders of the unit, proved in docs/attention-bounds.md. A bound is the upper end of its interval, +inf where the
// class promises nothing. They hold for finite inputs where nothing overflows (the same page, "Range").
#pragma once

#include "reference/attention/weight_errors.hpp"

namespace attncert::reference {

struct AttentionBound {
  WeightErrors weights;
  Interval sum;                   // mu: relative error of the sum of the weights, term by term
  std::vector<Interval> product;  // nu: the same of sums p v, one a channel
  std::vector<Interval> core;     // before the output's own rounding
  std::vector<Interval> output;   // with it
  Interval lse;
};

AttentionBound attention_bound(const AttentionRow& row, const AttentionTruth& truth, const RoundingClass& rounding);

// How far the weights may be from p that a kernel keeps after it has divided them by their sum, rounded as the class
// rounds weights; one a kept key.
std::vector<Interval> stored_weight_bound(const AttentionRow& row, const AttentionTruth& truth,
                                          const RoundingClass& rounding);

}  // namespace attncert::reference
