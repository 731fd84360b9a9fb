// How far each output and the LSE of a kernel may be from the truth, by the rounding class that it declares: bounds of
// all orders of the unit, proved in docs/attention-bounds.md. A bound is the upper end of its interval, +inf where the
// class promises nothing. They hold for finite inputs where nothing overflows (the same page, "Range").
#pragma once

#include "reference/attention/weight_errors.hpp"

namespace attncert::reference {

template <class Number>
struct AttentionBound {
  WeightErrors<Number> weights;
  Number sum;                   // mu: relative error of the sum of the weights, term by term
  std::vector<Number> product;  // nu: the same of sums p v, one a channel
  std::vector<Number> core;     // before the output's own rounding
  std::vector<Number> output;   // with it
  Number lse;
};

template <class Number>  // Interval or DoubleInterval
AttentionBound<Number> attention_bound(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                       const RoundingClass& rounding);

// How far the weights may be from p that a kernel keeps after it has divided them by their sum, rounded as the class
// rounds weights; one a kept key.
template <class Number>
std::vector<Number> stored_weight_bound(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                        const RoundingClass& rounding);

}  // namespace attncert::reference
