#include "reference/normalizers/softmax.hpp"

#include <cmath>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/exponents.hpp"
#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

std::vector<Interval> softmax(Exponents x, Precision precision) {
  std::vector<Interval> weights = std::move(x.distinct);
  for (Interval& weight : weights) weight = exp(weight);
  const Interval total = sum_of_exponentials(x, weights, false);
  for (Interval& weight : weights) weight = (weight /= total).rounded(precision);
  return by_position(std::move(x), std::move(weights), Interval(0.0, precision));
}

}  // namespace

std::vector<Interval> softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                              std::span<const std::uint8_t> mask) {
  return softmax(exponents(logits, temperature, working(precision), mask), precision);
}

std::vector<Interval> softmax(std::span<const double> logits, double temperature, Precision precision,
                              std::span<const std::uint8_t> mask) {
  return softmax(exponents(logits, temperature, working(precision), mask), precision);
}

const Normalizer softmax_normalizer{
    .name = "softmax",
    .place = 0,
    .formula = "exp(z_i) / sum_j exp(z_j)",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal},
    .truth = weight_truth<ExponentialSum>,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference
