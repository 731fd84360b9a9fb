#include "reference/attention/gradient.hpp"

#include <algorithm>
#include <cmath>

#include "reference/attention/gamma.hpp"
#include "reference/attention/gradient_row.hpp"
#include "src/core/assert.hpp"

namespace attncert::reference {
namespace {

Gradients zeros(std::span<const GradientRow> rows, Precision precision) {
  ATTNCERT_ASSERT(!rows.empty());
  const Interval zero(0.0, precision);
  const AttentionRow& first = rows[0].row;
  return {std::vector(rows.size(), std::vector(first.query.size(), zero)), std::vector(first.keys.size(), zero),
          std::vector(first.values.size(), zero)};
}

// How a sum of terms errs: each term's own error, then all that it passes.
class Sums {
 public:
  Sums(const GradientRounding& rounding, Precision precision) : class_(rounding), precision_(precision) {}
  Interval number(double value) const { return {value, precision_}; }

  // One term dS k or dS q of a sum of `count`, its factor's flush included.
  Interval score_term(const Interval& size, const Interval& error, double factor, std::size_t count) const {
    const Interval factors = number(class_.factors), one = number(1), most = size + error;
    const Interval sums = gamma(count + 1 + class_.common.constants);
    return (error + (sums * (one + factors) + factors) * most) * number(std::abs(factor)) +
           number(2) * underflow() * most * (one + sums);
  }
  Interval weight_term(const Interval& most, const Interval& error, double factor, std::size_t count) const {
    // The weights of an unfused kernel are stored before, and have that error already.
    const Rounding& stored = class_.unfused ? Rounding{} : class_.common.weights;
    const Interval relative = number(stored.relative), absolute = number(stored.absolute);
    const Interval one = number(1), sums = gamma(count + 1 + class_.common.constants);
    const Interval used = most * (one + relative) + absolute;
    return (error + relative * most + absolute + sums * used) * number(std::abs(factor)) +
           number(2) * underflow() * used * (one + sums);
  }

  // The products' and sums' own underflow, and the result's format, in which it may be stored before it is scaled.
  Interval finished(const Interval& error, const Interval& truth, std::optional<double> scale,
                    std::size_t count) const {
    const std::size_t steps = count + 1 + class_.common.constants;
    const Interval one = number(1), size = number(scale ? std::abs(*scale) : 1);
    const Interval total =
        error + number(2 * static_cast<double>(steps)) * (size + one) * underflow() * (one + gamma(steps));
    Interval factor = one + number(class_.common.output.relative), absolute = number(class_.common.output.absolute);
    if (scale && class_.root_of_scale) {
      factor *= factor * (one + number(*class_.root_of_scale));
      absolute += absolute * max(one, size) * factor;
    }
    return total + (factor - one) * (abs(truth) + total) + absolute;
  }

 private:
  Interval gamma(std::size_t n) const { return Gamma(class_.common.output_sum.relative, precision_)(n); }
  Interval underflow() const {
    return number(std::max(class_.common.single.absolute, class_.common.output_sum.absolute));
  }
  const GradientRounding& class_;
  Precision precision_;
};

std::vector<std::size_t> rows_of_keys(std::span<const GradientRow> rows) {
  std::vector<std::size_t> count(rows[0].row.key_count(), 0);
  for (const GradientRow& row : rows)
    for (const std::size_t j : kept_keys(row.row)) ++count[j];
  return count;
}

}  // namespace

Gradients gradient_truth(std::span<const GradientRow> rows, bool unfused, Precision precision, Side side) {
  Gradients total = zeros(rows, precision);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AttentionRow& row = rows[i].row;
    const std::size_t d = row.query.size();
    const GradientTerms terms = gradient_terms(rows[i], unfused, precision);
    for (std::size_t k = 0; k < terms.keys.size(); ++k) {
      const std::size_t j = terms.keys[k];
      const Interval scaled = Interval(row.scale, precision) * terms.dS[k];
      for (std::size_t e = 0; e < d && side != Side::keys; ++e)
        total.dQ[i][e] += scaled * Interval(row.key(j)[e], precision);
      if (side == Side::queries) continue;
      for (std::size_t e = 0; e < d; ++e) total.dK[j * d + e] += scaled * Interval(row.query[e], precision);
      for (std::size_t c = 0; c < row.value_size; ++c)
        total.dV[j * row.value_size + c] += terms.weight[k] * Interval(rows[i].output_gradient[c], precision);
    }
  }
  return total;
}

Gradients gradient_bound(std::span<const GradientRow> rows, const Gradients& truth, const GradientRounding& rounding,
                         Precision precision, Side side) {
  Gradients total = zeros(rows, precision);
  const Sums sums(rounding, precision);
  const auto count = rows_of_keys(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AttentionRow& row = rows[i].row;
    const std::size_t d = row.query.size();
    const GradientErrors errors = gradient_errors(rows[i], rounding, precision);
    const Interval scale(std::abs(row.scale), precision);
    for (std::size_t k = 0; k < errors.terms.keys.size(); ++k) {
      const std::size_t j = errors.terms.keys[k];
      const Interval size = abs(errors.terms.dS[k]);
      for (std::size_t e = 0; e < d && side != Side::keys; ++e)
        total.dQ[i][e] += scale * sums.score_term(size, errors.dS[k], row.key(j)[e], errors.terms.keys.size());
      if (side == Side::queries) continue;
      for (std::size_t e = 0; e < d; ++e)
        total.dK[j * d + e] += scale * sums.score_term(size, errors.dS[k], row.query[e], count[j]);
      for (std::size_t c = 0; c < row.value_size; ++c)
        total.dV[j * row.value_size + c] +=
            sums.weight_term(errors.most[k], errors.weight[k], rows[i].output_gradient[c], count[j]);
    }
    for (std::size_t e = 0; e < d && side != Side::keys; ++e)
      total.dQ[i][e] = sums.finished(total.dQ[i][e], truth.dQ[i][e], row.scale, errors.terms.keys.size());
  }
  const AttentionRow& row = rows[0].row;
  for (std::size_t n = 0; n < total.dK.size() && side != Side::queries; ++n)
    total.dK[n] = sums.finished(total.dK[n], truth.dK[n], row.scale, count[n / row.query.size()]);
  for (std::size_t n = 0; n < total.dV.size() && side != Side::queries; ++n)
    total.dV[n] = sums.finished(total.dV[n], truth.dV[n], std::nullopt, count[n / row.value_size]);
  return total;
}

}  // namespace attncert::reference
