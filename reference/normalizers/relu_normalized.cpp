// Terms are the positive logits themselves: exact points, so only the sum and the quotient round.
#include "reference/normalizers/relu_normalized.hpp"

#include <algorithm>

#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
Interval ReluSum::compute(double logit, Precision precision) { return Interval(std::max(logit, 0.0), precision); }
long double ReluSum::screen_term(double logit) { return std::max(logit, 0.0); }

// sums_to_one is left out: a row without positive logits is all zeros.
const Normalizer relu_normalized_normalizer{
    .name = "relu-normalized",
    .place = 9,
    .formula = "max(z_i, 0) / sum_j max(z_j, 0); 0 where no logit is positive",
    .laws = {Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = weight_truth<ReluSum>,
    .exact_support = true,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row, 1); }};

}  // namespace attncert::reference
