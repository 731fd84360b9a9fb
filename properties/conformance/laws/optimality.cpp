// G(t) = sum of max(t - d_i, 0)^beta increases, so the exact t lies in [low, high] exactly when G(low) <= 1 <= G(high).
// low is the largest lower bound that a positive weight gives, high the smallest upper bound that any entry gives; of
// the zeros only the one with the largest logit counts.
#include "properties/conformance/laws/optimality.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "properties/conformance/accuracy/entry_bounds.hpp"
#include "reference/ulp.hpp"

namespace attncert {
namespace {

using Kind = OptimalityVerdict::Kind;

constexpr Precision first{128}, last{1024};
constexpr unsigned long largest_root = 64;  // above it exp(log x * exponent) is faster than MPFR's exact root and power

// x^(p / q) of x >= 0.
Interval power(const Interval& x, unsigned long p, unsigned long q) {
  const Interval zero(0.0, x.precision()), base = max(x, zero);
  if (less_equal(x, zero) == Truth::yes) return zero;
  if (std::max(p, q) <= largest_root) return pow(base, static_cast<long>(p), q);
  return exp(log(base) * Interval(Rational(p, q), x.precision()));
}

class Conditions {
 public:
  Conditions(const Normalizer& normalizer, const LogitRow& row, std::span<const double> computed, const Format& format,
             const Budget& budget)
      : row_(row), bounds_(normalizer, row), computed_(computed), format_(format), budget_(budget) {
    std::uint64_t p = 2, q = 1;  // sparsemax
    if (normalizer.name == "entmax-1.5") p = 3, q = 2;
    if (normalizer.name == "entmax") p = row.parameters.alpha_numerator, q = row.parameters.alpha_denominator;
    const std::uint64_t common = std::gcd(p - q, q);
    rise_ = (p - q) / common;
    run_ = q / common;
    for (std::size_t i = 0; i < row.logits.size(); ++i)
      if (row.present(i)) present_.push_back(i);
  }

  std::optional<OptimalityVerdict> not_a_row_of_weights() const {
    for (std::size_t i = 0; i < computed_.size(); ++i) {
      if (!row_.present(i) && computed_[i] != 0) return violated(i, "a weight where nothing takes part");
      if (!std::isfinite(computed_[i]) || computed_[i] < 0) return violated(i, "no number in [0, infinity)");
    }
    for (const std::size_t i : present_)
      if (computed_[i] > 0) return std::nullopt;
    return violated(present_[0], "all weights are 0");
  }

  OptimalityVerdict judge(Precision precision) const {
    std::optional<Interval> low, high;
    std::size_t low_at = 0, high_at = 0, least = present_[0], first_zero = row_.logits.size();
    const auto lower = [&](std::size_t i, const Interval& bound) {
      if (!low || bound.lower() > low->lower()) low_at = i;
      low = low ? max(*low, bound) : bound;
    };
    const auto upper = [&](std::size_t i, const Interval& bound) {
      if (!high || bound.upper() < high->upper()) high_at = i;
      high = high ? min(*high, bound) : bound;
    };
    bool least_reaches_zero = false;
    for (const std::size_t i : present_) {
      if (computed_[i] == 0) {
        if (first_zero == row_.logits.size() || row_.logits[i] > row_.logits[first_zero]) first_zero = i;
        continue;
      }
      const Interval d = depth(row_.logits[i], precision), from = least_exact(i, precision);
      const bool reaches_zero = from.lower() <= 0;
      if (!reaches_zero || has_exact_support()) lower(i, reaches_zero ? d : d + power(from, rise_, run_));
      upper(i, d + power(most_exact(i, precision), rise_, run_));
      if (row_.logits[i] <= row_.logits[least] || computed_[least] == 0) least = i, least_reaches_zero = reaches_zero;
    }
    if (first_zero != row_.logits.size()) {  // an exact weight below the smallest number may be 0
      const Interval smallest =
          Interval(std::ldexp(1.0, format_.min_exponent - format_.digits), precision) + absolute(first_zero, precision);
      upper(first_zero, depth(row_.logits[first_zero], precision) + power(smallest, rise_, run_));
    }
    if (!low) low = Interval(0.0, precision);  // no weight is far enough above its allowance to say more
    const Interval one(1.0, precision);
    if (less(*high, *low) == Truth::yes) return violated(low_at, "too large beside entry " + std::to_string(high_at));
    const Interval mass_low = mass(*low, precision), mass_high = mass(*high, precision);
    if (less(one, mass_low) == Truth::yes) return violated(low_at, "too large: the sum would be above 1");
    if (less(mass_high, one) == Truth::yes) return violated(high_at, "too small: the sum would be below 1");
    bool certain = less_equal(*low, *high) == Truth::yes && less_equal(mass_low, one) == Truth::yes &&
                   less_equal(one, mass_high) == Truth::yes;
    if (least_reaches_zero && has_exact_support()) {
      const Truth inside = has_less_than_one_above(row_.logits[least], precision);
      if (inside == Truth::no) return violated(least, "positive, but off the support");
      certain = certain && inside == Truth::yes;
    }
    return {certain ? Kind::optimal : Kind::undecided, 0, certain ? "" : "not told by this precision"};
  }

 private:
  static OptimalityVerdict violated(std::size_t entry, std::string reason) {
    return {Kind::violated, entry, std::move(reason)};
  }

  Interval depth(double logit, Precision precision) const {
    return (Interval(bounds_.largest(), precision) - Interval(logit, precision)) /
           Interval(row_.temperature, precision) * Interval(Rational(rise_, run_), precision);
  }

  Interval mass(const Interval& t, Precision precision) const {
    // The quotient in double errs by less than 2^-50, so beyond this margin the exact depth exceeds t as well.
    const double reach = t.upper() * (1 + 0x1p-40), slope = static_cast<double>(rise_) / static_cast<double>(run_);
    Interval total(0.0, precision);
    for (const std::size_t i : present_) {
      if ((bounds_.largest() - row_.logits[i]) / row_.temperature * slope > reach) continue;
      total += power(t - depth(row_.logits[i], precision), run_, rise_);
    }
    return total;
  }

  // The support condition of an entry: the sum over larger logits of (d_i - d_j)^beta is < 1. At the last precision it
  // is decided exactly if beta is a small whole number.
  Truth has_less_than_one_above(double logit, Precision precision) const {
    const Truth quick = less(mass(depth(logit, precision), precision), Interval(1.0, precision));
    if (quick != Truth::unknown || precision < last || rise_ != 1 || run_ > 8) return quick;
    const Rational slope = Rational(rise_, run_) / exact(row_.temperature);
    Rational total;
    for (const std::size_t i : present_) {
      if (row_.logits[i] <= logit) continue;
      const Rational height = (exact(row_.logits[i]) - exact(logit)) * slope;
      Rational term(1);
      for (unsigned long k = 0; k < run_; ++k) term *= height;
      total += term;
    }
    return truth(total < 1);
  }

  // The largest error allowed at entry i if the unit of the exact weight is 2^exponent.
  Interval allowed(std::size_t i, int exponent, Precision precision) const {
    const double bound = bounds_.of(budget_);
    const Interval unit(std::ldexp(1.0, exponent), precision);
    const Interval final_rounding = Interval(budget_.last, precision) * unit + absolute(i, precision);
    if (!budget_.narrowed) return final_rounding + Interval(bound, precision) * unit;
    const int inner = std::max(exponent + format_.digits - ulp_format<float>.digits,
                               ulp_format<float>.min_exponent - ulp_format<float>.digits);
    return final_rounding + Interval((budget_.inner_last + bound) * std::ldexp(1.0, inner), precision);
  }

  // A class of budgets lets a threshold be computed: an entry next to it may be on either side.
  bool has_exact_support() const { return budget_.arithmetic == nullptr; }
  Interval absolute(std::size_t i, Precision precision) const {
    return Interval(bounds_.absolute(budget_, i, -1000), precision) * Interval(std::ldexp(1.0, -1000), precision);
  }

  int exponent_of(double value) const { return ulp_exponent(value, {format_.digits, format_.min_exponent}); }

  // The ends of {v : |v - computed| <= allowed at v}. The unit is that of v, which may lie in the next binade.
  Interval least_exact(std::size_t i, Precision precision) const {
    const Interval value(computed_[i], precision);
    const int exponent = exponent_of(computed_[i]);
    const Interval end = value - allowed(i, exponent, precision);
    const double below = end.lower();
    if (below <= 0 || exponent_of(below) == exponent) return end;
    const Interval bottom(std::ldexp(1.0, exponent + format_.digits - 1), precision);
    return min(bottom, value - allowed(i, exponent - 1, precision));
  }
  Interval most_exact(std::size_t i, Precision precision) const {
    const Interval value(computed_[i], precision);
    const int exponent = exponent_of(computed_[i]);
    const Interval wider = value + allowed(i, exponent + 1, precision);
    return exponent_of(wider.lower()) > exponent ? wider : value + allowed(i, exponent, precision);
  }

  const LogitRow& row_;
  EntryBounds bounds_;
  std::span<const double> computed_;
  const Format& format_;
  const Budget& budget_;
  unsigned long rise_ = 1, run_ = 1;  // alpha - 1 = rise / run, beta = run / rise
  std::vector<std::size_t> present_;
};

}  // namespace

bool has_optimality_conditions(const Normalizer& normalizer) {
  return normalizer.name == "sparsemax" || normalizer.name == "entmax-1.5" || normalizer.name == "entmax";
}

OptimalityVerdict check_optimality(const Normalizer& normalizer, const LogitRow& row, std::span<const double> computed,
                                   const Format& format, const Budget& budget) {
  ATTNCERT_ASSERT(has_optimality_conditions(normalizer) && kind(row) == RowKind::ordinary);
  ATTNCERT_ASSERT(computed.size() == row.logits.size());
  const Conditions conditions(normalizer, row, computed, format, budget);
  if (const auto violation = conditions.not_a_row_of_weights()) return *violation;
  for (Precision precision = first;; precision = precision.doubled()) {
    OptimalityVerdict verdict = conditions.judge(precision);
    if (verdict.kind != Kind::undecided || precision >= last) return verdict;
  }
}

}  // namespace attncert
