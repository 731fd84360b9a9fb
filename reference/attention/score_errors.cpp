#include "reference/attention/score_errors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "reference/attention/gamma.hpp"
#include "reference/attention/softcap.hpp"

namespace attncert::reference {
namespace {

// The largest n for which 2^n divides the value, which is not 0.
int lowest_bit(double value) {
  constexpr int stored = std::numeric_limits<double>::digits - 1;  // digits that the format writes down
  constexpr std::uint64_t leading = std::uint64_t{1} << stored;    // the one that it does not
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(value)), fraction = bits % leading;
  const int exponent = static_cast<int>(bits / leading);
  constexpr int smallest = std::numeric_limits<double>::min_exponent - std::numeric_limits<double>::digits;  // -1074
  if (exponent == 0) return smallest + std::countr_zero(fraction);
  return smallest + exponent - 1 + std::countr_zero(fraction | leading);
}

// The n of 2^n <= value < 2^(n + 1); a smaller one, or none, is no harm: of a subnormal number -1023.
int exponent_of(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) - 1023; }

template <class Number>
class Scores {
 public:
  Scores(const AttentionRow& row, const AttentionTruth<Number>& truth, const RoundingClass& rounding)
      : row_(row),
        truth_(truth),
        class_(rounding),
        precision_(truth.lse.precision()),
        gamma_(rounding.single.relative, precision_),
        sum_gamma_(rounding.score_unit, precision_),
        constants_(gamma_(rounding.constants)),
        products_(gamma_(rounding.products)),
        scaled_(gamma_(rounding.constants + rounding.products + 1)),
        scale_(number(std::abs(row.scale)) * (number(1) + scaled_)),
        either_scale_(number(std::max({1.0, std::abs(row.scale), row.softcap})) * (number(1) + scaled_)),
        before_scale_(number(std::max(1.0, std::abs(row.scale)))),
        shift_(shift<Number>(row, precision_)),
        underflow_(number(std::max(rounding.single.absolute, rounding.operands.absolute))),
        underflow_of_query_(underflow_ * sum(magnitudes(row.query), precision_) +
                            number(static_cast<double>(row.query.size())) * number(rounding.single.absolute)),
        own_underflow_(number(4) * number(rounding.single.absolute)),
        with_constants_(number(1) + constants_) {
    for (const double entry : row.query) query_bit_.push_back(entry == 0 ? 0 : lowest_bit(entry));
  }

  Number number(double value) const { return {value, precision_}; }

  // Of scale q . k, before products with constants.
  Number product(std::size_t j) const {
    const auto key = row_.key(j);
    const auto [magnitude, entries, terms] = sizes(row_.query, key, precision_);
    const Truth exact = exact_sums(magnitude, key);
    if (!last_ || last_->exact != exact || last_->terms != terms) last_ = factors(exact, terms);
    return last_->products * magnitude + last_->underflow_of_key * entries + last_->underflow;
  }

  // Of the score in natural units, after all that the class does to it. k: among the kept keys.
  void add(std::size_t k, ScoreErrors<Number>& errors) const {
    const Number one = number(1), magnitude = abs(truth_.scaled[k]), capped = abs(truth_.capped[k]);
    const Number dot = product(truth_.keys[k]);
    Number delta = number(0), error = dot + products_ * magnitude;
    if (row_.softcap != 0) {
      const Number cap = number(row_.softcap), flushed = number(class_.single.absolute);  // the quotient and tanh
      Number relative = number(class_.tanh.relative) + number(3) * number(class_.single.relative);
      Number absolute = number(class_.tanh.absolute) + flushed;
      delta = dot + scaled_ * magnitude;
      if (class_.scores_stored >= 1) {  // so are the score, the quotient and tanh
        delta = stored(magnitude / cap, stored(magnitude, delta, before_scale_) / cap, one);
        relative += number(class_.stored_scores.relative) * (one + relative);
        absolute += number(class_.stored_scores.absolute);
      } else delta /= cap;
      delta += flushed;
      const Number slope = tanh_slope(max(magnitude / cap - delta, number(0)));
      error = cap * slope * delta * (one + relative) + relative * capped + absolute * cap * (one + relative);
    }
    if (class_.scores_stored >= 1) error = stored(capped, error, row_.softcap == 0 ? before_scale_ : one);
    Number bias = number(0);
    if (!row_.bias.empty() || row_.slope) {
      bias = bias_magnitude(truth_.keys[k]);
      error = error * (one + gamma_(3)) + gamma_(row_.slope ? 7 : 3) * (bias + abs(truth_.score[k]));
    }
    if (class_.scores_stored >= 2) error = stored(abs(truth_.score[k]) + shift_, error, one);
    push(errors, error, bias, delta, capped);
  }

  // A logit that is neither scaled nor capped: products with constants only. With ALiBi a kernel may leave -slope
  // (i + offset) out of all scores, and has it in the sink's.
  void add_sink(ScoreErrors<Number>& errors) const {
    const Number magnitude = abs(truth_.score.back());
    Number error = products_ * magnitude;
    if (row_.slope) error += gamma_(3) * (shift_ + magnitude);
    if (class_.scores_stored >= 1) error = stored(magnitude + shift_, error, number(1));  // beside the scores
    push(errors, error, shift_, number(0), magnitude);
  }

 private:
  // Every partial sum of every order is a multiple of the products' common power of two and has so few digits.
  Truth exact_sums(const Number& magnitude, std::span<const double> key) const {
    const Number unit = magnitude * number(class_.score_unit);
    if (class_.operands.relative != 0 || !(unit.lower() > 0)) return Truth::no;
    const int smallest = class_.single.absolute >= f32_underflow ? -126 : -149;
    const int common = common_bit(key, std::max(smallest, exponent_of(unit.lower())));
    return common < smallest ? Truth::no : less_equal(unit, number(std::ldexp(1.0, common)));
  }

  // The largest n for which 2^n divides every product; any number below `least` where that is.
  int common_bit(std::span<const double> key, int least) const {
    int common = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < key.size() && common >= least; ++i)
      if (row_.query[i] != 0 && key[i] != 0) common = std::min(common, query_bit_[i] + lowest_bit(key[i]));
    return common;
  }

  // How much the scaled sum of a score's products counts their magnitudes and the key's entries, and what underflows
  // whatever the key is: what an underflow leaves in a partial sum is rounded with it. It may be one of q or of q
  // times the scale.
  struct Factors {
    Truth exact;
    std::size_t terms;
    Number products, underflow_of_key, underflow;
  };
  Factors factors(Truth exact, std::size_t terms) const {
    const Number sums = unless(
        exact, [&] { return sum_gamma_(terms); }, number(0));
    const Number one = number(1), rounding = number(class_.operands.relative);
    const Number underflows = either_scale_ * number(2) * (one + sums);
    return {exact, terms, scale_ * (sums * (one + rounding) + rounding), underflows * underflow_,
            underflows * underflow_of_query_};
  }

  // What underflows counts `factor` times.
  Number stored(const Number& magnitude, const Number& error, const Number& factor) const {
    const Number relative = number(class_.stored_scores.relative);
    return error + relative * (magnitude + error) + factor * number(class_.stored_scores.absolute);
  }

  // ALiBi counts as slope (j + i + |offset|): a kernel may form slope j - slope i.
  Number bias_magnitude(std::size_t j) const {
    Number magnitude = row_.bias.empty() ? number(0) : number(std::abs(row_.bias[j]));
    if (!row_.slope) return magnitude;
    return magnitude + number(std::abs(*row_.slope)) * number(static_cast<double>(j)) + shift_;
  }

  void push(ScoreErrors<Number>& errors, const Number& error, const Number& bias, const Number& delta,
            const Number& capped) const {
    errors.own.push_back((error + own_underflow_) * with_constants_);
    errors.constant.push_back(constants_ * capped);
    if (row_.slope) errors.bias.push_back(bias);
    if (row_.softcap != 0) errors.capped.push_back(delta);
  }

  const AttentionRow& row_;
  const AttentionTruth<Number>& truth_;
  const RoundingClass& class_;
  PrecisionOf<Number> precision_;
  Gamma<Number> gamma_, sum_gamma_;
  // gamma of the roundings of constants, of products with them, and of both with the scale's product.
  Number constants_, products_, scaled_;
  Number scale_;         // |scale| (1 + scaled_)
  Number either_scale_;  // max(1, |scale|, C) (1 + scaled_): what underflows may be multiplied by them before or after
  Number before_scale_;  // max(1, |scale|): what is stored may be scaled afterwards
  Number shift_;         // of ALiBi; else 0
  Number underflow_, underflow_of_query_;  // by each entry of the key; by the query's, and of products and sums
  Number own_underflow_, with_constants_;  // of every score
  std::vector<int> query_bit_;             // lowest_bit of each entry
  mutable std::optional<Factors> last_;    // most keys have the same as the one before
};

}  // namespace

template <class Number>
ScoreErrors<Number> score_errors(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                 const RoundingClass& rounding) {
  const Scores<Number> scores(row, truth, rounding);
  ScoreErrors<Number> errors;
  for (auto* part : {&errors.own, &errors.constant}) part->reserve(truth.score.size());
  for (std::size_t k = 0; k < truth.keys.size(); ++k) scores.add(k, errors);
  if (row.sink) scores.add_sink(errors);
  return errors;
}

template ScoreErrors<Interval> score_errors(const AttentionRow&, const AttentionTruth<Interval>&, const RoundingClass&);
template ScoreErrors<DoubleInterval> score_errors(const AttentionRow&, const AttentionTruth<DoubleInterval>&,
                                                  const RoundingClass&);

}  // namespace attncert::reference
