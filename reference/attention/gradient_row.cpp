#include "reference/attention/gradient_row.hpp"

#include <cmath>

#include "reference/attention/bound.hpp"
#include "reference/attention/gamma.hpp"
#include "reference/attention/score_errors.hpp"
#include "reference/attention/softcap.hpp"
#include "src/core/assert.hpp"

namespace attncert::reference {
namespace {

// The row's own numbers, before and after the weights.
struct Parts {
  std::vector<std::size_t> keys;
  std::vector<Interval> weight, dP, difference, slope;  // p, dP, dP - D, s

  GradientTerms terms() const {
    GradientTerms result{keys, weight, {}};
    for (std::size_t k = 0; k < keys.size(); ++k) result.dS.push_back(weight[k] * difference[k] * slope[k]);
    return result;
  }
};

bool is_empty(const GradientRow& row) { return kept_keys(row.row).empty(); }

Interval value_dot(const GradientRow& row, std::size_t j, Precision precision) {
  return dot(row.output_gradient, row.row.values.subspan(j * row.row.value_size, row.row.value_size), precision);
}

Parts parts(const GradientRow& row, const AttentionTruth& truth, bool unfused, Precision precision) {
  ATTNCERT_ASSERT(row.output_gradient.size() == row.row.value_size);
  ATTNCERT_ASSERT(unfused || row.output.size() == row.row.value_size);
  Parts result{truth.keys, {}, {}, {}, {}};
  const Interval lse(row.lse, precision), one(1.0, precision);
  Interval D = unfused ? Interval(0.0, precision) : dot(row.output_gradient, row.output, precision);
  for (std::size_t k = 0; k < truth.keys.size(); ++k) {
    result.weight.push_back(unfused ? truth.weight[k] : exp(truth.score[k] - lse));
    result.dP.push_back(value_dot(row, truth.keys[k], precision));
    if (unfused) D += result.weight[k] * result.dP[k];
    result.slope.push_back(
        row.row.softcap == 0 ? one : tanh_slope(abs(truth.scaled[k]) / Interval(row.row.softcap, precision)));
  }
  for (const Interval& dP : result.dP) result.difference.push_back(dP - D);
  return result;
}

class Errors {
 public:
  Errors(const GradientRow& row, const GradientRounding& rounding, Precision precision)
      : row_(row), class_(rounding), precision_(precision), gamma_(rounding.common.single.relative, precision) {}

  GradientErrors all() const {
    const AttentionTruth truth = attention_truth(row_.row, precision_);
    const ScoreErrors scores = score_errors(row_.row, truth, class_.common);
    const Parts p = parts(row_, truth, class_.unfused, precision_);
    GradientErrors errors{p.terms(), {}, {}, {}};
    if (class_.unfused) errors.weight = stored_weight_bound(row_.row, truth, class_.common);
    std::vector<Interval> dP;
    for (std::size_t k = 0; k < p.keys.size(); ++k) {
      if (class_.unfused) errors.most.push_back(p.weight[k] + errors.weight[k]);
      else add_weight(truth.score[k], scores.own[k] + scores.constant[k], p.weight[k], errors);
      const Interval error = dot_error(row_.row.values.subspan(p.keys[k] * row_.row.value_size, row_.row.value_size),
                                       class_.common.score_unit);
      dP.push_back(error + number(class_.dP.relative) * (abs(p.dP[k]) + error) + number(class_.dP.absolute));
    }
    const Interval D =
        class_.unfused ? weighted_error(p, dP, errors) : dot_error(row_.output, class_.common.single.relative);
    for (std::size_t k = 0; k < p.keys.size(); ++k) add_score(p, k, dP[k] + D, scores.capped[k], errors);
    return errors;
  }

 private:
  Interval number(double value) const { return {value, precision_}; }

  // Of sum_c dO_c y_c in any order; subnormal inputs may be read as 0, and what underflows passes the sum.
  Interval dot_error(std::span<const double> factors, double unit) const {
    const std::vector<double> gradients = magnitudes(row_.output_gradient), others = magnitudes(factors);
    const Interval size = dot(gradients, others, precision_);
    const Interval inputs = sum(gradients, precision_) + sum(others, precision_);
    const Interval count = number(static_cast<double>(factors.size()));
    const Interval sums = Gamma(unit, precision_)(factors.size());
    return sums * size + number(2 * class_.common.single.absolute) * (inputs + count) * (number(1) + sums);
  }

  // Of D = sum p dP in any order, from stored weights.
  Interval weighted_error(const Parts& p, const std::vector<Interval>& dP, const GradientErrors& errors) const {
    const Interval sums = gamma_(p.keys.size()), one = number(1);
    Interval total = number(2 * static_cast<double>(p.keys.size()) * class_.common.single.absolute) * (one + sums);
    for (std::size_t k = 0; k < p.keys.size(); ++k) {
      const Interval size = abs(p.dP[k]);
      total += errors.most[k] * (dP[k] + sums * (size + dP[k])) + errors.weight[k] * size;
    }
    return total;
  }

  // e^(x - lse), lse in another base: a rounded constant and a product, then the difference and the exponential.
  void add_weight(const Interval& score, const Interval& error, const Interval& weight, GradientErrors& errors) const {
    const auto& e = class_.common.exponential;
    const Interval one = number(1), unit = number(class_.common.single.relative), lse = number(row_.lse);
    const Interval left = if_positive(one - number(e.relative) - number(e.per_unit) * number(e.range));
    const Interval read = number(row_.lse_error);
    const Interval moved = error + read + gamma_(2) * max(abs(score), abs(lse) + read);
    const Interval argument = abs(score - lse) + moved;
    const Interval phi =
        moved + (unit / (one - unit) + number(e.per_unit) / left) * (one + unit) * argument + number(e.relative) / left;
    const bool in_range = less_equal(lse - score + phi, number(e.range)) == Truth::yes;
    const Interval flushed = in_range ? number(0) : number(3) * exp(phi + phi - number(e.range));
    errors.most.push_back(weight * exp(phi) + flushed);
    errors.weight.push_back(weight * expm1(phi) + flushed);
  }

  void add_score(const Parts& p, std::size_t k, const Interval& error, const Interval& capped,
                 GradientErrors& errors) const {
    const Interval one = number(1), unit = number(class_.common.single.relative), three = number(3) * unit;
    const Interval underflow = number(class_.common.single.absolute), difference = abs(p.difference[k]);
    const Interval &most = errors.most[k], &theta = errors.weight[k];
    Interval moved = most * (one + three) * (error + underflow) + difference * (theta + three * most) + underflow;
    const Interval size = p.weight[k] * difference * p.slope[k];
    if (row_.row.softcap != 0) {
      const Interval own = number(class_.common.tanh.relative) + three + number(class_.common.tanh.absolute);
      const Interval kappa = number(2) * (capped + own) * (one + own) + number(4) * unit;
      moved =
          (moved * (p.slope[k] + kappa) + p.weight[k] * difference * kappa + unit * size) * (one + unit) + underflow;
    }
    errors.dS.push_back(moved + number(class_.dS.relative) * (size + moved) + number(class_.dS.absolute) + underflow);
  }

  const GradientRow& row_;
  const GradientRounding& class_;
  Precision precision_;
  Gamma gamma_;
};

}  // namespace

GradientTerms gradient_terms(const GradientRow& row, bool unfused, Precision precision) {
  if (is_empty(row)) return {};
  return parts(row, attention_truth(row.row, precision), unfused, precision).terms();
}

GradientErrors gradient_errors(const GradientRow& row, const GradientRounding& rounding, Precision precision) {
  return is_empty(row) ? GradientErrors{} : Errors(row, rounding, precision).all();
}

}  // namespace attncert::reference
