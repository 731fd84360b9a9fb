// Errors of the scores: how far a computed score may be from x, apart from what all scores share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reference/attention/rounding_class.hpp"
#include "reference/attention/truth.hpp"

namespace attncert::reference {

// One a kept key, then one for the sink. The upper ends are the bounds.
template <class Number>
struct ScoreErrors {
  std::vector<Number> own;       // sigma: errors of this score alone
  std::vector<Number> constant;  // of the constants that multiply all scores: gamma(r_c) |c|
  std::vector<Number> bias;      // sum of the magnitudes that bias and ALiBi are made of; empty without ALiBi
  std::vector<Number> capped;    // Delta: error of the softcap's argument; empty without one
};

// |slope| times |i| + |offset|, or the number of keys where that is larger: a kernel may compute with slope j, or slope
// (j - Lk), and leave the rest out of all scores, its LSE and its sink.
template <class Number>
Number shift(const AttentionRow& row, PrecisionOf<Number> precision) {
  const auto number = [&](double value) { return Number(value, precision); };
  if (!row.slope) return number(0);
  const double own = static_cast<double>(std::abs(row.position)) + static_cast<double>(std::abs(row.offset));
  return number(std::abs(*row.slope)) * number(std::max(own, static_cast<double>(row.key_count())));
}

ScoreErrors<Interval> score_errors(const AttentionRow&, const AttentionTruth<Interval>&, const RoundingClass&);
ScoreErrors<DoubleInterval> score_errors(const AttentionRow&, const AttentionTruth<DoubleInterval>&,
                                         const RoundingClass&);

}  // namespace attncert::reference
