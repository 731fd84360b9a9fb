// Horner's rule in intervals: 1 + x (1 + x/2 (1 + x/3 (...))). For x < 0 the terms cancel, so the working precision is
// doubled until the relative width is what was asked for. That ends: F_n is irreducible over the rationals (Schur), so
// the only rational root of all orders is -1, of F_1, and there the quotient z / T and the value 0 are exact points.
#include "reference/normalizers/taylor_softmax.hpp"

#include <algorithm>
#include <cmath>

#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

Interval horner(std::uint32_t order, const Interval& x) {
  const Interval one(1.0, x.precision());
  Interval value = one;
  for (std::uint32_t k = order; k >= 1; --k) value = one + value * x / Interval(static_cast<double>(k), x.precision());
  return value;
}

}  // namespace

TaylorSum::TaylorSum(const LogitRow& row) : TermSum(row), order_(row.parameters.order) {
  ATTNCERT_ASSERT(order_ >= 2 && order_ % 2 == 0);
  const auto& distinct = this->row().distinct();
  const long double most = std::max(std::fabs(distinct.front()), std::fabs(distinct.back()));
  scale_ = std::max(1.0L, most / row.temperature);
}

Interval TaylorSum::polynomial(std::uint32_t order, double logit, Precision precision) const {
  Precision working{precision.bits + 16};
  for (;; working = working.doubled()) {
    const Interval x = Interval(logit, working) / Interval(row().row().temperature, working);
    const Interval value = horner(order, x);
    // Beyond MPFR's exponents (2^30 bits) more digits do not help.
    if (logit >= 0 || !value.is_finite() || value.relative_width() <= std::ldexp(1.0, -precision.bits))
      return value.rounded(precision);
  }
}

Interval TaylorSum::compute(double logit, Precision precision) { return polynomial(order_, logit, precision); }

// Divided by scale^order, so that powers of x stay in range: Horner's rule with 1 replaced by powers of 1 / scale.
long double TaylorSum::screen_polynomial(std::uint32_t order, double logit) const {
  const long double ratio = logit / static_cast<long double>(row().row().temperature) / scale_;
  long double value = 1, power = 1;
  for (std::uint32_t k = order; k >= 1; --k) {
    power /= scale_;
    value = power + value * ratio / static_cast<long double>(k);
  }
  return value;
}

long double TaylorSum::screen_term(double logit) { return screen_polynomial(order_, logit); }

double TaylorSum::screen_slope_ratio(double logit) const {
  return static_cast<double>(screen_polynomial(order_ - 1, logit) / screen_polynomial(order_, logit) / scale_);
}

const Normalizer taylor_softmax_normalizer{
    .name = "taylor-softmax",
    .place = 10,
    .formula = "F_n(z_i) / sum_j F_n(z_j), F_n(z) = sum of z^k / k! for k <= n, n even",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal,
             Law::mask_is_removal},
    .truth = weight_truth<TaylorSum>,
    .parameter = ReadsParameter::order,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference
