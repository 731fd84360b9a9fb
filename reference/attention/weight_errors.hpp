// Errors of the weights: a kernel's weights are p_j e^(h_j) up to a factor that all keys share, and |h_j| <= eta_j.
#pragma once

#include "reference/attention/score_errors.hpp"

namespace attncert::reference {

// One a kept key, then one for the sink. The upper ends are the bounds.
template <class Number>
struct WeightErrors {
  std::vector<Number> output;         // eta: in the output, where what all keys share cancels
  std::vector<Number> lse;            // eta^L: in the LSE, where it does not
  std::vector<Number> flushed;        // f: absolute, in units of the last pivot; 0 where no exponential is out of range
  std::vector<std::size_t> rescales;  // R: blocks after the key's in which the running maximum may still change, or all
  Number excess;                      // sigma*: how far the computed maximum may exceed M
  Number pivot;                       // u' X_M: of a rounded pivot near the largest score
  Number exponential;                 // E0: one exponential at 0, as a logarithm
  Number drift;                       // what one rescale leaves besides: u' of the largest pivot, or 0
  Number largest;                     // e^E0 of this is the most that a weight is in units of its block's pivot
  Number merge;                       // lambda of a merge, but for lse_roundings u' of the LSE that it makes
  std::vector<Number> earlier_merges;  // lambda of all merges of a key but the last; empty where there is one or none
};

template <class Number>  // Interval or DoubleInterval
WeightErrors<Number> weight_errors(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                   const ScoreErrors<Number>& scores, const RoundingClass& rounding);

}  // namespace attncert::reference
