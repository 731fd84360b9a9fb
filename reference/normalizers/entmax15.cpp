// All doubles of the row that matter are integers D = max z - z and 2T in one unit, a power of two. Entry i is in the
// support iff sum over D_j < D_i of (D_i - D_j)^2 < (2T)^2: for the prefix with count n and sums S1, S2 of D and D^2
// that is n D^2 - 2 S1 D + S2. The threshold is t = (S1 + sqrt(r)) / n, r = S1^2 - n S2 + n (2T)^2, and
// t - D = (sqrt(r) - A) / n, A = n D - S1; where A > 0 that is ((2T)^2 - sum over the support
// (D - D_j)^2) / (sqrt(r) + A), free of cancellation.
#include "reference/normalizers/entmax15.hpp"

#include <algorithm>
#include <cmath>

#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

constexpr int significand = 53;

// The exponent of the last bit of a double's significand.
int last_exponent(double value) { return value == 0 ? 1024 : std::max(std::ilogb(value), -1022) - significand + 1; }

mpz_class in_units(double value, int unit) {
  if (value == 0) return 0;
  const int last = last_exponent(value);
  mpz_class integer(std::ldexp(value, -last));  // below 2^53
  mpz_mul_2exp(integer.get_mpz_t(), integer.get_mpz_t(), static_cast<mp_bitcnt_t>(last - unit));
  return integer;
}

}  // namespace

ThreeHalvesRoots::ThreeHalvesRoots(const LogitRow& row) : row_(row) {
  const auto& distinct = row_.distinct();
  const double temperature = row.temperature;
  // D < 2T is necessary, and rounding is monotone: a superset of the support.
  std::size_t candidates = 0;
  unit_ = last_exponent(temperature) + 1;
  for (; candidates < distinct.size() && row_.largest() - distinct[candidates] <= 2 * temperature; ++candidates)
    unit_ = std::min(unit_, last_exponent(distinct[candidates]));
  scale_ = in_units(temperature, unit_ - 1);
  const mpz_class limit = scale_ * scale_;
  for (; distinct_ < candidates; ++distinct_) {
    const mpz_class d = deficit(distinct[distinct_]);
    if (excess(d) >= limit) break;
    const auto count = static_cast<unsigned long>(row_.count()[distinct_]);
    count_ += count;
    sum_ += d * count;
    squares_ += d * d * count;
  }
  radicand_ = sum_ * sum_ - count_ * squares_ + count_ * limit;
}

mpz_class ThreeHalvesRoots::deficit(double logit) const {
  return in_units(row_.largest(), unit_) - in_units(logit, unit_);
}

mpz_class ThreeHalvesRoots::excess(const mpz_class& deficit) const {
  return (count_ * deficit - 2 * sum_) * deficit + squares_;
}

bool ThreeHalvesRoots::in_support(double logit) const { return logit >= row_.distinct()[distinct_ - 1]; }

Interval ThreeHalvesRoots::root(double logit, Precision precision) {
  auto at = square_root_.find(precision.bits);
  if (at == square_root_.end())
    at = square_root_.emplace(precision.bits, sqrt(Interval(Rational(radicand_), precision))).first;
  const mpz_class d = deficit(logit), above = count_ * d - sum_;
  Interval value = at->second;
  if (above > 0) {
    value += Interval(Rational(above), precision);
    value = Interval(Rational(scale_ * scale_ - excess(d)), precision) / value;
  } else {
    value -= Interval(Rational(above), precision);
    value /= Interval(Rational(count_), precision);
  }
  return value / Interval(Rational(scale_), precision);
}

double ThreeHalvesRoots::screen_root(double logit) {
  if (screen_threshold_ < 0) screen_threshold_ = root(row_.largest(), {64}).midpoint();
  const long double deficit = (static_cast<long double>(row_.largest()) - logit) / row_.row().temperature / 2;
  return static_cast<double>(std::max(0.0L, screen_threshold_ - deficit));
}

const Normalizer entmax15_normalizer{
    .name = "entmax-1.5",
    .place = 3,
    .formula = "max(z_i / 2 - tau, 0)^2 with sum 1",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal, Law::optimal},
    .truth = weight_truth<ThreeHalvesRoots>,
    .exact_support = true,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference
