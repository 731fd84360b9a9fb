// Sides that the claims about softmax share (docs/specification.md#largest-eigenvalue): J = (diag p - p p^T) / T, and
// the odds of p_max.
#pragma once

#include "properties/claims/catalogue/sides/exact.hpp"

namespace attncert::sides {

Interval spectral_norm(const Instance& instance, Precision precision);           // lambda_1(diag p - p p^T) / T
Interval quarter_or_root_of_two(const Instance& instance, Precision precision);  // min{1/(4T), sqrt 2}
bool all_logits_equal(const Instance& instance);

// log(p1 (L-1) / (1 - p1)), p1 the largest weight; L >= 2. Not below 0, and 0 only at equal logits.
Interval log_odds_over_uniform(const Instance& instance, Precision precision);
bool one_logit_above_equal_others(const Instance& instance);  // the others equal, the largest at least as large; L >= 2

}  // namespace attncert::sides
