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
template <class Number>
struct Parts {
  std::vector<std::size_t> keys;
  std::vector<Number> weight, dP, difference, slope;  // p, dP, dP - D, s
  Number D;
  std::optional<Number> sink;  // its weight

  GradientTerms<Number> terms() const {
    GradientTerms<Number> result{keys, weight, {}, {}};
    for (std::size_t k = 0; k < keys.size(); ++k) result.dS.push_back(weight[k] * difference[k] * slope[k]);
    if (sink) result.sink = -(*sink * D);
    return result;
  }
};

bool is_empty(const GradientRow& row) { return kept_keys(row.row).empty() && !row.row.sink; }

template <class Number>
Parts<Number> parts(const GradientRow& row, const AttentionTruth<Number>& truth, bool unfused,
                    PrecisionOf<Number> precision) {
  ATTNCERT_ASSERT(row.output_gradient.size() == row.row.value_size);
  ATTNCERT_ASSERT(unfused || row.output.size() == row.row.value_size);
  const Number lse(row.lse, precision), one(1.0, precision);
  Number D = unfused ? Number(0.0, precision) : dot(row.output_gradient, row.output, precision);
  const auto values = rows_of(row.row.values, row.row.value_size, truth.keys);
  Parts<Number> result{truth.keys, {}, dots(row.output_gradient, values, precision), {}, {}, D, {}};
  for (std::size_t k = 0; k < truth.keys.size(); ++k) {
    result.weight.push_back(unfused ? truth.weight[k] : exp(truth.score[k] - lse));
    if (unfused) D += result.weight[k] * result.dP[k];
    result.slope.push_back(
        row.row.softcap == 0 ? one : tanh_slope(abs(truth.scaled[k]) / Number(row.row.softcap, precision)));
  }
  for (const Number& dP : result.dP) result.difference.push_back(dP - D);
  result.D = D;
  if (row.row.sink) result.sink = unfused ? truth.weight.back() : exp(truth.score.back() - lse);
  return result;
}

template <class Number>
class Errors {
 public:
  Errors(const GradientRow& row, const GradientRounding& rounding, PrecisionOf<Number> precision)
      : row_(row), class_(rounding), precision_(precision), gamma_(rounding.common.single.relative, precision) {}

  GradientErrors<Number> all() const {
    const AttentionTruth<Number> truth = attention_truth(row_.row, precision_);
    const ScoreErrors<Number> scores = score_errors(row_.row, truth, class_.common);
    const Parts<Number> p = parts<Number>(row_, truth, class_.unfused, precision_);
    GradientErrors<Number> errors{p.terms(), {}, {}, {}, {}, {}};
    if (class_.unfused) errors.weight = stored_weight_bound(row_.row, truth, class_.common);
    for (std::size_t k = 0; k < truth.score.size(); ++k) {  // the sink's, if there is one, is the last
      const Number& p_k = k < p.keys.size() ? p.weight[k] : *p.sink;
      if (class_.unfused) errors.most.push_back(p_k + errors.weight[k]);
      else add_weight(truth.score[k], scores.own[k] + scores.constant[k], p_k, errors);
    }
    const Sizes<Number> output =
        class_.unfused ? Sizes<Number>{number(0), number(0), 0} : sizes(row_.output_gradient, row_.output, precision_);
    const Number given_D = class_.unfused ? number(0) : dot_error(output, class_.common.single.relative);
    const Number start = abs(p.D) + given_D;  // the sums of a fused kernel may start at -D
    std::vector<Number> dP;
    const auto values = sizes(row_.output_gradient, rows_of(row_.row.values, row_.row.value_size, p.keys), precision_);
    for (std::size_t k = 0; k < p.keys.size(); ++k) {
      const Number error = dot_error(values[k], class_.common.score_unit, class_.unfused ? nullptr : &start);
      dP.push_back(error + number(class_.dP.relative) * (abs(p.dP[k]) + error) + number(class_.dP.absolute));
    }
    const Number D = class_.unfused ? weighted_error(p, dP, errors) : given_D;
    const Number uncapped = number(0);
    for (std::size_t k = 0; k < p.keys.size(); ++k)
      add_score(p, k, dP[k] + D, scores.capped.empty() ? uncapped : scores.capped[k], errors);
    if (p.sink) add_sink(p, D, errors);
    return errors;
  }

 private:
  Number number(double value) const { return {value, precision_}; }

  // Of sum_c dO_c y_c in any order, with one term more of magnitude `start`; subnormal inputs may be read as 0, and
  // what underflows passes the sum.
  Number dot_error(const Sizes<Number>& of, double unit, const Number* start = nullptr) const {
    const std::size_t factors = row_.output_gradient.size();
    const Number inputs = sum(magnitudes(row_.output_gradient), precision_) + of.second;
    const Number count = number(static_cast<double>(factors));
    const Number sums = Gamma<Number>(unit, precision_)(factors + (start != nullptr ? 1 : 0));
    return sums * (start != nullptr ? of.products + *start : of.products) +
           number(2 * class_.common.single.absolute) * (inputs + count) * (number(1) + sums);
  }

  // Of D = sum p dP in any order, from stored weights.
  Number weighted_error(const Parts<Number>& p, const std::vector<Number>& dP,
                        const GradientErrors<Number>& errors) const {
    const Number sums = gamma_(p.keys.size()), one = number(1);
    Number total = number(2 * static_cast<double>(p.keys.size()) * class_.common.single.absolute) * (one + sums);
    for (std::size_t k = 0; k < p.keys.size(); ++k) {
      const Number size = abs(p.dP[k]), product = errors.most[k] * (size + dP[k]), stored = stored_product(product);
      total += errors.most[k] * dP[k] + errors.weight[k] * size + stored + sums * (product + stored);
    }
    return total;
  }

  // p dP, where it is a tensor of its own.
  Number stored_product(const Number& size) const {
    return number(class_.products.relative) * size + number(class_.products.absolute);
  }

  // e^(x - lse), lse in another base: a rounded constant and a product, then the difference and the exponential.
  void add_weight(const Number& score, const Number& error, const Number& weight,
                  GradientErrors<Number>& errors) const {
    const auto& e = class_.common.exponential;
    const Number one = number(1), unit = number(class_.common.single.relative), lse = number(row_.lse);
    const Number left = if_positive(one - number(e.relative) - number(e.per_unit) * number(e.range));
    const Number read = number(row_.lse_error);
    const Number moved =
        error + read + gamma_(2) * (max(abs(score), abs(lse) + read) + shift<Number>(row_.row, precision_));
    const Number argument = abs(score - lse) + moved;
    const Number phi =
        moved + (unit / (one - unit) + number(e.per_unit) / left) * (one + unit) * argument + number(e.relative) / left;
    const Number range = number(e.range), flushed = unless(
                                              less_equal(lse - score + phi, range),
                                              [&] { return number(3) * exp(phi + phi - range); }, number(0));
    errors.most.push_back(weight * exp(phi) + flushed);
    errors.weight.push_back(weight * expm1(phi) + flushed);
  }

  // The error of a weight as dS has it, and the most that it is: a fused kernel may take those that it stored for dV.
  std::pair<Number, Number> in_scores(const Number& weight, const Number& theta, const Number& most) const {
    if (class_.unfused) return {theta, most};
    const Rounding& stored = class_.common.weights;
    const Number error = theta + number(stored.relative) * most + number(stored.absolute);
    return {error, weight + error};
  }

  void add_score(const Parts<Number>& p, std::size_t k, const Number& error, const Number& capped,
                 GradientErrors<Number>& errors) const {
    const Number one = number(1), unit = number(class_.common.single.relative), three = number(3) * unit;
    const Number underflow = early() * number(class_.common.single.absolute), difference = abs(p.difference[k]);
    const auto [theta, most] = in_scores(p.weight[k], errors.weight[k], errors.most[k]);
    Number moved = most * (one + three) * (error + underflow) + difference * (theta + three * most) + underflow;
    const Number product = most * (abs(p.dP[k]) + error);  // it may be p dP - p D
    moved += three * (product + most * (abs(p.D) + error)) + early() * stored_product(product) * (one + three);
    const Number size = p.weight[k] * difference * p.slope[k];
    if (row_.row.softcap != 0) {
      const Number kappa = slope_error(capped);
      moved =
          (moved * (p.slope[k] + kappa) + p.weight[k] * difference * kappa + unit * size) * (one + unit) + underflow;
      if (class_.common.scores_stored >= 1) moved += stored_on_the_way(size + moved, kappa);
    }
    // Where scores are stored it may be stored once more behind the scale, as its factors' rounding has it otherwise.
    const Number times = class_.common.scores_stored >= 1 ? one + by_scale() : early();
    const Number stored = number(class_.dS.relative) * (size + moved) + times * number(class_.dS.absolute);
    errors.dS.push_back(moved + stored + underflow);
  }

  // Of 1 - tanh^2, whose argument errs by `argument`.
  Number slope_error(const Number& argument) const {
    const RoundingClass& common = class_.common;
    const Number one = number(1), unit = number(common.single.relative);
    Number own = number(common.tanh.relative) + number(3) * unit + number(common.tanh.absolute);
    if (common.scores_stored >= 1)
      own += number(common.stored_scores.relative) * (one + own) + number(common.stored_scores.absolute);
    return number(2) * (argument + own) * (one + own) + number(4) * unit;
  }

  // An unfused softcap stores p (dP - D), that times the cap, that times its slope, before it divides by the cap.
  Number stored_on_the_way(const Number& size, const Number& kappa) const {
    const Number one = number(1), once = one + number(class_.dS.relative),
                 by_cap = one + number(class_.common.single.relative);
    const Number relative = once * once * once * by_cap * by_cap - one;
    const Number absolute =
        early() * number(2 * class_.dS.absolute) * number(1 + 2 * std::max(1.0, 1 / row_.row.softcap));
    return relative * size + absolute * (one + relative) * (one + kappa);
  }

  // What an underflow may cost in units of dS: a kernel may have multiplied with the scale before.
  Number early() const { return max(number(1), by_scale()); }
  Number by_scale() const {
    const double scale = std::abs(row_.row.scale);
    return scale > 0 ? number(1) / number(scale) : number(1);
  }

  // p_s D: an unfused kernel's is the gradient of one more score, stored as those are.
  void add_sink(const Parts<Number>& p, const Number& error, GradientErrors<Number>& errors) const {
    const Number most = errors.most.back(), theta = errors.weight.back(), D = abs(p.D);
    errors.most.pop_back(), errors.weight.pop_back();
    const Number size = *p.sink * D, moved = most * (error + number(class_.common.single.absolute)) + theta * D;
    errors.sink = moved;
    errors.sink_most = most * (D + error);
    if (!class_.unfused) return;
    const Number rounded = moved + number(class_.common.single.relative) * *errors.sink_most;  // before it is stored
    errors.sink = rounded + number(class_.dS.relative) * (size + rounded) + number(class_.dS.absolute);
    errors.sink_most = size + *errors.sink;
  }

  const GradientRow& row_;
  const GradientRounding& class_;
  PrecisionOf<Number> precision_;
  Gamma<Number> gamma_;
};

}  // namespace

template <class Number>
GradientTerms<Number> gradient_terms(const GradientRow& row, bool unfused, PrecisionOf<Number> precision) {
  if (is_empty(row)) return {};
  return parts<Number>(row, attention_truth(row.row, precision), unfused, precision).terms();
}

template <class Number>
GradientErrors<Number> gradient_errors(const GradientRow& row, const GradientRounding& rounding,
                                       PrecisionOf<Number> precision) {
  return is_empty(row) ? GradientErrors<Number>{} : Errors<Number>(row, rounding, precision).all();
}

template GradientTerms<Interval> gradient_terms(const GradientRow&, bool, Precision);
template GradientTerms<DoubleInterval> gradient_terms(const GradientRow&, bool, DoublePrecision);
template GradientErrors<Interval> gradient_errors(const GradientRow&, const GradientRounding&, Precision);
template GradientErrors<DoubleInterval> gradient_errors(const GradientRow&, const GradientRounding&, DoublePrecision);

}  // namespace attncert::reference
