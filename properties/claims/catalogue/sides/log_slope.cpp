#include "properties/claims/catalogue/sides/log_slope.hpp"

#include <algorithm>

namespace attncert::sides {
namespace {

mpz_class power(const mpz_class& base, const mpz_class& exponent) {
  mpz_class result;
  mpz_pow_ui(result.get_mpz_t(), base.get_mpz_t(), exponent.get_ui());
  return result;
}

}  // namespace

Slope::Slope(const Rational& value, const Rational& other_value, const Rational& difference)
    : ratio_(std::max(Rational(value / other_value), Rational(other_value / value))), distance_(abs(difference)) {}

Interval Slope::at(Precision precision) const {
  return log1p(Interval(Rational(ratio_ - 1), precision)) / Interval(distance_, precision);
}

// ratio^d = other ratio^n where the distances are as n : d in lowest terms. Then the ratios are the n-th and the d-th
// power of one rational, so that they have more bits than n and d say: powers beyond that need not be computed.
bool operator==(const Slope& a, const Slope& b) {
  if (a.ratio_ == 1 || b.ratio_ == 1) return a.ratio_ == b.ratio_;
  const Rational quotient = a.distance_ / b.distance_;
  const mpz_class &n = quotient.get_num(), &d = quotient.get_den();
  if (n > bits(a.ratio_) || d > bits(b.ratio_)) return false;
  return power(a.ratio_.get_num(), d) == power(b.ratio_.get_num(), n) &&
         power(a.ratio_.get_den(), d) == power(b.ratio_.get_den(), n);
}

}  // namespace attncert::sides
