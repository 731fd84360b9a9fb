// exp(x - m) / (1 + exp(x)) for x <= 0, 1 / (1 + exp(-x)) for x > 0 (then m = 0), x = z / T: no exponential above 1, no
// quotient of two numbers below every exponent.
#include "reference/normalizers/sigmoid_normalized.hpp"

#include <algorithm>
#include <cmath>

#include "reference/normalizers/sigmoid.hpp"
#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
Interval SigmoidSum::compute(double logit, Precision precision) {
  const Interval one(1.0, precision), z(logit, precision), temperature(row().row().temperature, precision);
  if (logit > 0) return one / (one + exp(-z / temperature));
  const Interval top(std::min(row().largest(), 0.0), precision);
  return exp((z - top) / temperature) / (one + exp(z / temperature));
}

long double SigmoidSum::screen_term(double logit) {
  const long double z = logit, temperature = row().row().temperature, top = std::min(row().largest(), 0.0);
  if (logit > 0) return 1 / (1 + std::exp(-z / temperature));
  return std::exp((z - top) / temperature) / (1 + std::exp(z / temperature));
}

const Normalizer sigmoid_normalized_normalizer{
    .name = "sigmoid-normalized",
    .place = 8,
    .formula = "sigma(z_i) / sum_j sigma(z_j), sigma(z) = 1 / (1 + exp(-z))",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone,
             Law::ties_equal, Law::mask_is_removal},
    .truth = weight_truth<SigmoidSum>,
    .at_infinity = [](const LogitRow& row) { return std::optional(saturate(row, 0)); }};

}  // namespace attncert::reference
