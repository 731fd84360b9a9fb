// exp(-t_i) / (exp(-max z / T) + 1 + R), t and R as for softmax: all terms positive, and the one of the added logit may
// be beyond every exponent on either side without harm.
#include "reference/normalizers/softmax1.hpp"

#include <cmath>

#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

// At this logit (and T = 1) m tied entries have 1 / (m + exp(-2000)): within 2^-2885 of 1 / m, the limit at infinity.
constexpr double saturated = 2000;

}  // namespace

Interval Softmax1Weights::weight(double logit, Precision precision) {
  Interval whole = exp(-Interval(row().largest(), precision) / Interval(row().row().temperature, precision));
  whole += Interval(1.0, precision);
  whole += sum_.rest(precision);
  return sum_.exponential(logit, precision) / whole;
}

double Softmax1Weights::screen_weight(double logit) {
  const double lead = row().largest() / row().row().temperature, depth = sum_.screen_depth(logit);
  // With exp(lead) taken out where it is small: 1 / exp(-lead) would overflow.
  if (lead > 0) return std::exp(-depth) / (std::exp(-lead) + 1 + sum_.screen_rest());
  return std::exp(lead - depth) / (1 + std::exp(lead) * (1 + sum_.screen_rest()));
}

const Normalizer softmax1_normalizer{
    .name = "softmax1",
    .place = 6,
    .formula = "exp(z_i) / (1 + sum_j exp(z_j))",
    .laws = {Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = weight_truth<Softmax1Weights>,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row, saturated); }};

}  // namespace attncert::reference
