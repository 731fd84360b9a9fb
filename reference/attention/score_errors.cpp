#include "reference/attention/score_errors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "reference/attention/gamma.hpp"
#include "reference/attention/softcap.hpp"

namespace attncert::reference {
namespace {

// The largest n for which 2^n divides the value, which is not 0.
int lowest_bit(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  constexpr int digits = std::numeric_limits<double>::digits;
  return exponent - digits + std::countr_zero(static_cast<std::uint64_t>(std::ldexp(std::abs(fraction), digits)));
}

class Scores {
 public:
  Scores(const AttentionRow& row, const AttentionTruth& truth, const RoundingClass& rounding)
      : row_(row),
        truth_(truth),
        class_(rounding),
        precision_(truth.lse.precision()),
        gamma_(rounding.single.relative, precision_),
        query_(magnitudes(row.query)),
        query_sum_(sum(query_, precision_)) {
    for (const double entry : row.query) query_bit_.push_back(entry == 0 ? 0 : lowest_bit(entry));
  }

  Interval number(double value) const { return {value, precision_}; }
  Interval gamma(std::size_t n) const { return gamma_(n); }

  // Of scale q . k, before products with constants.
  Interval product(std::size_t j) const {
    std::size_t terms = 0;
    int common = std::numeric_limits<int>::max();  // 2^common divides every product
    const auto key = row_.key(j);
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (row_.query[i] == 0 || key[i] == 0) continue;
      common = std::min(common, query_bit_[i] + lowest_bit(key[i]));
      ++terms;
    }
    const std::vector<double> sizes = magnitudes(key);
    const Interval magnitude = dot(query_, sizes, precision_), operands = query_sum_ + sum(sizes, precision_);
    const Interval scale = number(std::abs(row_.scale)), one = number(1), two = number(2);
    const Interval sums = exact_sums(magnitude, common) ? number(0) : Gamma(class_.score_unit, precision_)(terms);
    const Interval rounding = number(class_.operands.relative);
    const Interval underflow = number(std::max(class_.single.absolute, class_.operands.absolute)) * operands +
                               number(static_cast<double>(key.size())) * number(class_.single.absolute);
    // What an underflow leaves in a partial sum is rounded with it: the factor 1 + gamma.
    return scale * (magnitude * (sums * (one + rounding) + rounding) + two * underflow * (one + sums)) *
           (one + gamma(class_.constants + class_.products + 1));
  }

  // Of the score in natural units, after all that the class does to it. k: among the kept keys.
  void add(std::size_t k, ScoreErrors& errors) const {
    const Interval one = number(1), magnitude = abs(truth_.scaled[k]), capped = abs(truth_.capped[k]);
    const Interval dot = product(truth_.keys[k]);
    Interval delta = number(0), error = dot + gamma(class_.products) * magnitude;
    if (row_.softcap != 0) {
      const Interval cap = number(row_.softcap);
      const Interval relative = number(class_.tanh.relative) + number(3) * number(class_.single.relative);
      delta = (dot + gamma(class_.constants + class_.products + 1) * magnitude) / cap;
      const Interval slope = tanh_slope(max(magnitude / cap - delta, number(0)));
      error = cap * slope * delta * (one + relative) + relative * capped +
              number(class_.tanh.absolute) * cap * (one + relative);
    }
    if (class_.scores_stored >= 1) error = stored(capped, error);
    Interval bias = number(0);
    if (!row_.bias.empty() || row_.slope) {
      bias = bias_magnitude(truth_.keys[k]);
      error = error * (one + gamma(3)) + gamma(row_.slope ? 7 : 3) * (bias + abs(truth_.score[k]));
    }
    if (class_.scores_stored >= 2) error = stored(abs(truth_.score[k]), error);
    push(errors, error, bias, delta, capped);
  }

  // A logit that is neither scaled nor capped: products with constants only.
  void add_sink(ScoreErrors& errors) const {
    const Interval magnitude = abs(truth_.score.back());
    push(errors, gamma(class_.products) * magnitude, number(0), number(0), magnitude);
  }

 private:
  // Every partial sum of every order is a multiple of the products' common power of two and has so few digits.
  bool exact_sums(const Interval& magnitude, int common) const {
    if (class_.operands.relative != 0 || common == std::numeric_limits<int>::max()) return false;
    if (common < (class_.single.absolute >= f32_underflow ? -126 : -149)) return false;
    return less_equal(magnitude * number(class_.score_unit), number(std::ldexp(1.0, common))) == Truth::yes;
  }

  Interval stored(const Interval& magnitude, const Interval& error) const {
    const Interval relative = number(class_.stored_scores.relative);
    return error + relative * (magnitude + error) + number(class_.stored_scores.absolute);
  }

  // ALiBi counts as slope (j + i + |offset|): a kernel may form slope j - slope i.
  Interval bias_magnitude(std::size_t j) const {
    Interval magnitude = row_.bias.empty() ? number(0) : number(std::abs(row_.bias[j]));
    if (row_.slope)
      magnitude +=
          number(std::abs(*row_.slope)) *
          number(static_cast<double>(static_cast<std::int64_t>(j) + std::abs(row_.position) + std::abs(row_.offset)));
    return magnitude;
  }

  void push(ScoreErrors& errors, const Interval& error, const Interval& bias, const Interval& delta,
            const Interval& capped) const {
    const Interval constants = gamma(class_.constants);
    errors.own.push_back((error + number(4) * number(class_.single.absolute)) * (number(1) + constants));
    errors.constant.push_back(constants * capped);
    errors.bias.push_back(bias);
    errors.capped.push_back(delta);
  }

  const AttentionRow& row_;
  const AttentionTruth& truth_;
  const RoundingClass& class_;
  Precision precision_;
  Gamma gamma_;
  std::vector<double> query_;   // magnitudes of its entries
  Interval query_sum_;          // of them
  std::vector<int> query_bit_;  // lowest_bit of each
};

}  // namespace

ScoreErrors score_errors(const AttentionRow& row, const AttentionTruth& truth, const RoundingClass& rounding) {
  const Scores scores(row, truth, rounding);
  ScoreErrors errors;
  for (std::size_t k = 0; k < truth.keys.size(); ++k) scores.add(k, errors);
  if (row.sink) scores.add_sink(errors);
  return errors;
}

}  // namespace attncert::reference
