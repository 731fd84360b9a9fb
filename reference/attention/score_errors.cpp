#include "reference/attention/score_errors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "reference/attention/gamma.hpp"
#include "reference/attention/softcap.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/attention/score_errors.cpp"
#include "hwy/foreach_target.h"
#include "reference/attention/keys-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::reference::HWY_NAMESPACE {

// The largest n for which 2^n divides the value, which is not 0.
HWY_INLINE int lowest_bit(double value) {
  constexpr int stored = std::numeric_limits<double>::digits - 1;  // digits that the format writes down
  constexpr std::uint64_t leading = std::uint64_t{1} << stored;    // the one that it does not
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(value)), fraction = bits % leading;
  const int exponent = static_cast<int>(bits / leading);
  constexpr int smallest = std::numeric_limits<double>::min_exponent - std::numeric_limits<double>::digits;  // -1074
  if (exponent == 0) return smallest + std::countr_zero(fraction);
  return smallest + exponent - 1 + std::countr_zero(fraction | leading);
}

// The n of 2^n <= value < 2^(n + 1); a smaller one, or none, is no harm: of a subnormal number -1023.
HWY_INLINE int exponent_of(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) - 1023; }

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
        one_(number(1)),
        with_constants_(one_ + constants_) {
    for (const double entry : row.query) query_bit_.push_back(entry == 0 ? 0 : lowest_bit(entry));
  }

  // Of scale q . k of each key, before products with constants.
  std::vector<Number> products() const {
    std::vector<Number> result;
    const auto all = sizes(row_.query, rows_of(row_.keys, row_.query.size(), truth_.keys), precision_);
    result.reserve(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) result.push_back(product(all[k], row_.key(truth_.keys[k])));
    return result;
  }

  // The sum of the magnitudes that bias and ALiBi of each key are made of; empty without either.
  std::vector<Number> biases() const {
    std::vector<Number> result;
    if (row_.bias.empty() && !row_.slope) return result;
    for (const std::size_t j : truth_.keys) result.push_back(bias_magnitude(j));
    return result;
  }

  // What is left of `errors` where all else is found: errors.own begin as `products`, errors.bias as `biases`.
  template <class Keys>
  HWY_INLINE void add(Keys keys, std::size_t k, const std::vector<Number>& biases, ScoreErrors<Number>& errors) const {
    const auto capped = abs(keys(truth_.capped, k)), magnitude = abs(keys(truth_.scaled, k));
    auto error = keys(errors.own, k) + keys.all(products_) * magnitude;
    if (row_.softcap != 0) {
      const auto delta = capped_error(keys, magnitude, keys(errors.own, k) + keys.all(scaled_) * magnitude);
      error = capped_by(keys, magnitude, capped, delta);
      keys.put(delta, errors.capped, k);
    }
    if (class_.scores_stored >= 1) error = stored(keys, capped, error, row_.softcap == 0 ? before_scale_ : one_);
    if (!biases.empty()) {
      const auto score = abs(keys(truth_.score, k));
      error = error * keys.all(one_ + gamma_(3)) + keys.all(gamma_(row_.slope ? 7 : 3)) * (keys(biases, k) + score);
    }
    if (class_.scores_stored >= 2) error = stored(keys, abs(keys(truth_.score, k)) + keys.all(shift_), error, one_);
    keys.put((error + keys.all(own_underflow_)) * keys.all(with_constants_), errors.own, k);
    keys.put(keys.all(constants_) * capped, errors.constant, k);
  }

  // A logit that is neither scaled nor capped: products with constants only. With ALiBi a kernel may leave -slope
  // (i + offset) out of all scores, and has it in the sink's.
  void add_sink(ScoreErrors<Number>& errors) const {
    const Number magnitude = abs(truth_.score.back());
    Number error = products_ * magnitude;
    if (row_.slope) error += gamma_(3) * (shift_ + magnitude);
    if (class_.scores_stored >= 1) error = stored(OneKey(), magnitude + shift_, error, one_);  // beside the scores
    errors.own.push_back((error + own_underflow_) * with_constants_);
    errors.constant.push_back(constants_ * magnitude);
    if (row_.slope) errors.bias.push_back(shift_);
    if (row_.softcap != 0) errors.capped.push_back(number(0));
  }

 private:
  Number number(double value) const { return {value, precision_}; }

  Number product(const Sizes<Number>& of, std::span<const double> key) const {
    const Truth exact = exact_sums(of.products, key);
    if (!last_ || last_->exact != exact || last_->terms != of.terms) last_ = factors(exact, of.terms);
    return last_->products * of.products + last_->underflow_of_key * of.second + last_->underflow;
  }

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
    const Number rounding = number(class_.operands.relative);
    const Number underflows = either_scale_ * number(2) * (one_ + sums);
    return {exact, terms, scale_ * (sums * (one_ + rounding) + rounding), underflows * underflow_,
            underflows * underflow_of_query_};
  }

  // What underflows counts `factor` times.
  template <class Keys, class Value>
  HWY_INLINE Value stored(Keys keys, const Value& magnitude, const Value& error, const Number& factor) const {
    return error + keys.all(number(class_.stored_scores.relative)) * (magnitude + error) +
           keys.all(factor * number(class_.stored_scores.absolute));
  }

  // Of the softcap's argument, by that of the scaled score.
  template <class Keys, class Value>
  HWY_INLINE Value capped_error(Keys keys, const Value& magnitude, const Value& error) const {
    const Value cap = keys.all(number(row_.softcap)), flushed = keys.all(number(class_.single.absolute));
    if (class_.scores_stored == 0) return error / cap + flushed;
    // The score, the quotient and tanh are stored too.
    return stored(keys, magnitude / cap, stored(keys, magnitude, error, before_scale_) / cap, one_) + flushed;
  }

  // Of the softcapped score, by that of its argument.
  template <class Keys, class Value>
  HWY_INLINE Value capped_by(Keys keys, const Value& magnitude, const Value& capped, const Value& delta) const {
    Number relative = number(class_.tanh.relative) + number(3) * number(class_.single.relative);
    Number absolute = number(class_.tanh.absolute) + number(class_.single.absolute);  // what the quotient is flushed to
    if (class_.scores_stored >= 1) {
      relative += number(class_.stored_scores.relative) * (one_ + relative);
      absolute += number(class_.stored_scores.absolute);
    }
    const Value cap = keys.all(number(row_.softcap)), larger = keys.all(one_ + relative);
    const Value argument = max(magnitude / cap - delta, keys.all(number(0)));
    const Value slope = keys.each(argument, [](const Number& y) { return tanh_slope(y); });
    return cap * slope * delta * larger + keys.all(relative) * capped + keys.all(absolute) * cap * larger;
  }

  // ALiBi counts as slope (j + i + |offset|): a kernel may form slope j - slope i.
  Number bias_magnitude(std::size_t j) const {
    Number magnitude = row_.bias.empty() ? number(0) : number(std::abs(row_.bias[j]));
    if (!row_.slope) return magnitude;
    return magnitude + number(std::abs(*row_.slope)) * number(static_cast<double>(j)) + shift_;
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
  Number underflow_, underflow_of_query_;        // by each entry of the key; by the query's, and of products and sums
  Number own_underflow_, one_, with_constants_;  // of every score
  std::vector<int> query_bit_;                   // lowest_bit of each entry
  mutable std::optional<Factors> last_;          // most keys have the same as the one before
};

template <class Number>
ScoreErrors<Number> errors_of(const AttentionRow& row, const AttentionTruth<Number>& truth,
                              const RoundingClass& rounding) {
  const Scores<Number> scores(row, truth, rounding);
  const std::vector<Number> biases = scores.biases();
  ScoreErrors<Number> errors{scores.products(), {}, {}, {}};
  errors.constant = errors.own;
  if (row.slope) errors.bias = biases;
  if (row.softcap != 0) errors.capped = errors.own;
  each_key<Number>(truth.keys.size(), [&](auto keys, std::size_t k) HWY_ATTR { scores.add(keys, k, biases, errors); });
  if (row.sink) scores.add_sink(errors);
  return errors;
}

ScoreErrors<DoubleInterval> double_errors(const AttentionRow& row, const AttentionTruth<DoubleInterval>& truth,
                                          const RoundingClass& rounding) {
  return errors_of(row, truth, rounding);
}

}  // namespace attncert::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::reference {

HWY_EXPORT(double_errors);

ScoreErrors<DoubleInterval> score_errors(const AttentionRow& row, const AttentionTruth<DoubleInterval>& truth,
                                         const RoundingClass& rounding) {
  return HWY_DYNAMIC_DISPATCH(double_errors)(row, truth, rounding);
}
ScoreErrors<Interval> score_errors(const AttentionRow& row, const AttentionTruth<Interval>& truth,
                                   const RoundingClass& rounding) {
  return HWY_STATIC_DISPATCH(errors_of)(row, truth, rounding);
}

}  // namespace attncert::reference
#endif
