#include "reference/attention/bound.hpp"

#include <algorithm>
#include <cmath>

#include "reference/attention/gamma.hpp"

namespace attncert::reference {
namespace {

// Roundings that a term of a sum of `terms` passes.
std::size_t depth(std::size_t terms, std::size_t chunk, std::size_t keys, std::size_t block) {
  if (chunk == 0) return terms;
  const std::size_t chunks = (keys + chunk - 1) / chunk, blocks = (keys + block - 1) / block;
  return std::min(terms, chunk + chunks + 1 + (block % chunk == 0 ? 0 : blocks));
}

class Bound {
 public:
  Bound(const AttentionRow& row, const AttentionTruth& truth, const RoundingClass& rounding)
      : row_(row),
        truth_(truth),
        class_(rounding),
        precision_(truth.lse.precision()),
        one_(1.0, precision_),
        weights_(weight_errors(row, truth, score_errors(row, truth, rounding), rounding)),
        rescales_(*std::max_element(weights_.rescales.begin(), weights_.rescales.end())),
        sum_(one_),
        nominal_(one_),
        all_grown_(0.0, precision_),
        all_flushed_(all_grown_),
        all_kept_(all_grown_) {
    const std::size_t count = truth.score.size(), parts = class_.merges() * (class_.parts + 1);
    const Gamma gamma(class_.single.relative, precision_);
    sum_ = gamma(depth(count, class_.sum_chunk, row.key_count(), class_.block) + rescales_ + parts);
    nominal_ = number(0);
    for (std::size_t k = 0; k < count; ++k) {
      nominal_ += truth.weight[k] * exp(-weights_.output[k]);
      moved_.push_back(truth.weight[k] * expm1(weights_.output[k]));
      grown_.push_back(truth.weight[k] + moved_.back());
      all_grown_ += grown_.back();
      all_kept_ += truth.weight[k] * exp(-weights_.lse[k]);
      all_flushed_ += weights_.flushed[k];
    }
    flushes_ = all_flushed_.upper() != 0;
    nominal_ *= one_ - sum_;  // D_min
  }

  AttentionBound all() {
    AttentionBound bound{weights_, sum_, {}, {}, {}, lse()};
    for (std::size_t c = 0; c < row_.value_size; ++c) {
      bound.product.push_back(product(c));
      bound.core.push_back(core(c, bound.product.back()));
      const Interval magnitude = abs(truth_.output[c]);
      bound.output.push_back(bound.core.back() + number(class_.output.relative) * (magnitude + bound.core.back()) +
                             number(class_.output.absolute));
    }
    return bound;
  }

  // p e^h (1 + d) over sum p e^h (1 + s), |d| <= gamma(4) of the division and |s| <= mu; then as it is rounded.
  std::vector<Interval> stored_weights() const {
    const Interval division = Gamma(class_.single.relative, precision_)(4), larger = growth(sum_);
    const Interval absolute = sum_absolute(larger), least = least_sum(absolute), beta = one_ + absolute / least;
    const Interval up = (one_ + division) * beta / if_positive(nominal_);
    const Interval down = (one_ - division) / ((one_ + sum_) * all_grown_ * beta);
    const Interval underflow = number(4 * class_.single.absolute) / least;
    std::vector<Interval> result;
    for (std::size_t k = 0; k < truth_.keys.size(); ++k) {
      const Interval& p = truth_.weight[k];
      const Interval error = max(grown_[k] * up - p, p - p * exp(-weights_.output[k]) * down) +
                             larger * weights_.flushed[k] / least + underflow;
      result.push_back(error + number(class_.weights.relative) * (p + error) + number(class_.weights.absolute));
    }
    return result;
  }

 private:
  Interval number(double value) const { return {value, precision_}; }
  Interval count(std::size_t n) const { return number(static_cast<double>(n)); }

  // nu of one channel: products, sums, rescales, four for the division, merges.
  Interval product(std::size_t channel) const {
    std::size_t terms = 0;
    for (const std::size_t j : truth_.keys) terms += row_.value(j, channel) != 0;
    const std::size_t rescales = class_.output_sum.relative > class_.single.relative ? 2 * rescales_ : rescales_;
    const Gamma gamma(class_.output_sum.relative, precision_);
    Interval factor = one_ + gamma(depth(terms, class_.output_chunk, row_.key_count(), class_.block) + rescales + 4 +
                                   class_.merges() * (class_.parts + 3));
    if (!class_.sum_of_rounded) factor *= one_ + number(class_.weights.relative);
    factor *= one_ + number(class_.values.relative);
    for (std::size_t level = 0; level < class_.merges(); ++level) factor *= one_ + number(class_.part_output.relative);
    return factor - one_;
  }

  // How much a term may grow on its way: 1 + relative for the sums, e^E0 for each rescale.
  Interval growth(const Interval& relative) const {
    return (one_ + relative) * exp(weights_.exponential * count(rescales_));
  }

  // Absolute errors of the denominator, in units of the last pivot.
  Interval sum_absolute(const Interval& growth) const {
    const Interval underflow = number(4) * count(truth_.score.size() + rescales_ + 2) * number(class_.single.absolute);
    const Interval rounded =
        class_.sum_of_rounded ? count(truth_.score.size()) * number(class_.weights.absolute) : number(0);
    return underflow + growth * (all_flushed_ + rounded);
  }

  // L: the denominator is at least so large in units of the last pivot.
  Interval least_sum(const Interval& absolute) const {
    Interval least = (one_ - sum_) * exp(-weights_.pivot - number(2) * weights_.exponential);
    if (class_.sum_of_rounded) least *= one_ - number(class_.weights.relative);
    if (class_.merges() == 0)
      least = max(least, (one_ - sum_) * exp(truth_.log_sum - weights_.excess) * all_kept_ - absolute);
    return if_positive(least);
  }

  Interval core(std::size_t channel, const Interval& nu) const {
    const Interval output = truth_.output[channel], magnitude = abs(output), larger = growth(nu);
    const std::vector<double> values = kept_values(row_, truth_.keys, channel);
    const auto [lowest, highest] = std::ranges::minmax(values);
    const std::vector<double> sizes = magnitudes(values);
    const Interval moved = weighted_distances(moved_, values, output, precision_);
    const Interval sized = dot(grown_, sizes, precision_);
    const Interval flushed = flushes_ ? dot(weights_.flushed, sizes, precision_) : number(0);
    const Interval total = class_.weights.absolute != 0 ? sum(sizes, precision_) : number(0);
    const Interval summed = nu * sized + sum_ * magnitude * all_grown_;
    const Interval farthest = max(abs(number(lowest) - output), abs(number(highest) - output));
    const Interval largest = number(std::max(std::abs(lowest), std::abs(highest)));
    const Interval bracket = sum_absolute(larger), least = least_sum(bracket), beta = bracket / least;
    const Interval rounded = number(class_.weights.absolute) * larger * total;
    const Interval underflow =
        number(4) * count(truth_.score.size() + rescales_ + 2) * number(class_.output_sum.absolute);
    Interval alpha = (underflow + larger * flushed + (class_.normalised ? number(0) : rounded)) / least;
    if (class_.normalised) alpha += rounded;
    // In units of the weights' mean: sum p e^h over the denominator is at most (1 + beta) / (1 - mu).
    const Interval stored =
        number(class_.values.absolute) + count(class_.merges()) * number(class_.part_output.absolute);
    alpha += stored * larger * (one_ + beta) / if_positive(one_ - sum_);
    const Interval theorem = (one_ + beta) * (moved + summed) / if_positive(nominal_);
    const Interval hull = (one_ + beta) * (farthest + (nu + sum_) / if_positive(one_ - sum_) * largest);
    return min(theorem, hull) + alpha + beta * magnitude;
  }

  Interval lse() const {
    const Interval bracket = sum_absolute(growth(sum_)), beta = bracket / least_sum(bracket);
    Interval mean = number(0);
    for (std::size_t k = 0; k < truth_.weight.size(); ++k) mean += truth_.weight[k] * expm1(weights_.lse[k]);
    const Interval moved = log1p(mean) - log1p(-sum_) - log1p(-beta);
    const Interval lazy = number(class_.lazy), rest = weights_.excess + lazy + moved;
    const Interval unit = number(class_.single.relative) / (one_ - number(class_.single.relative));
    return moved + number(class_.logarithm.relative) * (truth_.log_sum + rest) + number(class_.logarithm.absolute) +
           number(3) * unit * (abs(truth_.lse) + abs(truth_.largest) + rest) +
           number(4) * number(class_.single.absolute);
  }

  const AttentionRow& row_;
  const AttentionTruth& truth_;
  const RoundingClass& class_;
  Precision precision_;
  Interval one_;
  WeightErrors weights_;
  std::size_t rescales_;  // R
  Interval sum_;          // mu
  Interval nominal_;
  std::vector<Interval> moved_, grown_;  // p (e^eta - 1), p e^eta
  Interval all_grown_, all_flushed_;     // the sums of the latter and of what may be out of range
  Interval all_kept_;                    // the sum of p e^-eta of the LSE
  bool flushes_ = false;                 // an exponential may be out of range
};

}  // namespace

std::vector<Interval> stored_weight_bound(const AttentionRow& row, const AttentionTruth& truth,
                                          const RoundingClass& rounding) {
  return Bound(row, truth, rounding).stored_weights();
}

AttentionBound attention_bound(const AttentionRow& row, const AttentionTruth& truth, const RoundingClass& rounding) {
  return Bound(row, truth, rounding).all();
}

}  // namespace attncert::reference
