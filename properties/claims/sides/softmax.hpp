// Sides that the claims about softmax's Jacobian share (claims.md section 8): J = (diag p - p p^T) / T.
#pragma once

#include "properties/claims/claim.hpp"

namespace attncert::sides {

std::vector<Hypothesis> softmax_hypotheses();                           // T > 0
Interval spectral_norm(const Instance& instance, Precision precision);  // lambda_1(diag p - p p^T) / T
Interval over_temperature(long numerator, unsigned long denominator, const Instance& instance, Precision precision);
bool all_logits_equal(const Instance& instance);

}  // namespace attncert::sides
