// Errors of the scores: how far a computed score may be from x, apart from what all scores share.
#pragma once

#include "reference/attention/rounding_class.hpp"
#include "reference/attention/truth.hpp"

namespace attncert::reference {

// One a kept key, then one for the sink. The upper ends are the bounds.
struct ScoreErrors {
  std::vector<Interval> own;       // sigma: errors of this score alone
  std::vector<Interval> constant;  // of the constants that multiply all scores: gamma(r_c) |c|
  std::vector<Interval> bias;      // sum of the magnitudes that bias and ALiBi are made of
  std::vector<Interval> capped;    // Delta: error of the softcap's argument; 0 without one
};

ScoreErrors score_errors(const AttentionRow& row, const AttentionTruth& truth, const RoundingClass& rounding);

}  // namespace attncert::reference
