#include "reference/attention/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/attention/gamma.hpp"
#include "reference/attention/key_errors.hpp"

namespace attncert::reference {
namespace {

// Roundings that a term of a sum of `terms` passes.
std::size_t depth(std::size_t terms, std::size_t chunk, std::size_t keys, std::size_t block) {
  if (chunk == 0) return terms;
  const std::size_t chunks = (keys + chunk - 1) / chunk, blocks = (keys + block - 1) / block;
  return std::min(terms, chunk + chunks + 1 + (block % chunk == 0 ? 0 : blocks));
}

template <class Number>
class Bound {
 public:
  Bound(const AttentionRow& row, const AttentionTruth<Number>& truth, const RoundingClass& rounding)
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
        all_kept_(all_grown_),
        mean_growth_(all_grown_),
        rescaled_(one_),
        pivoted_(one_),
        kept_(one_),
        last_merge_(all_grown_),
        most_merged_(all_grown_) {
    const std::size_t count = truth.score.size(), parts = class_.merges() * (class_.parts + 1);
    const Gamma<Number> gamma(class_.single.relative, precision_);
    sum_ = gamma(depth(count, class_.sum_chunk, row.key_count(), class_.block) + rescales_ + parts);
    MovedWeights<Number> weights = moved_weights(truth.weight, weights_);
    moved_ = std::move(weights.moved), grown_ = std::move(weights.grown);
    all_grown_ = sum(grown_, precision_), all_flushed_ = sum(weights_.flushed, precision_);
    all_kept_ = sum(weights.kept, precision_), mean_growth_ = sum(weights.moved_of_lse, precision_);
    flushes_ = all_flushed_.upper() != 0;
    nominal_ = sum(weights.least, precision_) * (one_ - sum_);  // D_min
    rescaled_ = exp((weights_.exponential + weights_.drift) * this->count(rescales_));
    const Number later = class_.fma_rescale ? this->count(rescales_) : number(0);  // factors of the last pivot's own
    pivoted_ =
        exp(-weights_.pivot - number(2) * weights_.exponential - (weights_.pivot + weights_.exponential) * later);
    kept_ = (one_ - sum_) * exp(truth_.log_sum - weights_.excess) * all_kept_;
    // After all that lse() needs.
    if (class_.merges() != 0)
      last_merge_ = exp(weights_.merge +
                        number(lse_roundings) * unit() * (abs(truth_.lse) + shift<Number>(row_, precision_) + lse())) -
                    one_;
    earlier_merges_ = weights_.earlier_merges;
    each_expm1(earlier_merges_);
    for (const Number& one : earlier_merges_) most_merged_ = max(most_merged_, one);
  }

  AttentionBound<Number> all() && {
    const Channels channels = this->channels();
    std::vector<Number> products, cores, outputs;
    for (std::size_t c = 0; c < row_.value_size; ++c) {
      products.push_back(product(static_cast<std::size_t>(channels.sums.extents.terms[c])));
      cores.push_back(core(c, channels, products.back()));
      outputs.push_back(cores.back() + number(class_.output.relative) * (abs(truth_.output[c]) + cores.back()) +
                        number(class_.output.absolute));
    }
    const Number of_lse = lse();
    return {std::move(weights_), sum_, std::move(products), std::move(cores), std::move(outputs), of_lse};
  }

  // p e^h (1 + d) over sum p e^h (1 + s), |d| <= gamma(4) of the division and |s| <= mu; then as it is rounded.
  std::vector<Number> stored_weights() const {
    const Number division = Gamma<Number>(class_.single.relative, precision_)(4), larger = growth(sum_);
    const Number absolute = sum_absolute(larger), least = least_sum(absolute), beta = one_ + absolute / least;
    const Number up = (one_ + division) * beta / if_positive(nominal_);
    const Number down = (one_ - division) / ((one_ + sum_) * all_grown_ * beta);
    const Number underflow = number(4 * class_.single.absolute) / least;
    std::vector<Number> result;
    for (std::size_t k = 0; k < truth_.weight.size(); ++k) {
      const Number& p = truth_.weight[k];
      const Number error = max(grown_[k] * up - p, p - p * exp(-weights_.output[k]) * down) +
                           larger * weights_.flushed[k] / least + underflow;
      result.push_back(error + number(class_.weights.relative) * (p + error) + number(weights_absolute()));
    }
    return result;
  }

 private:
  Number number(double value) const { return {value, precision_}; }
  Number unit() const { return number(class_.single.relative) / (one_ - number(class_.single.relative)); }  // u'
  Number count(std::size_t n) const { return number(static_cast<double>(n)); }

  // What the values of each channel bring, kept keys' and the sink's.
  struct Channels {
    ColumnSums<Number> sums;      // distances: sum p (e^eta - 1) |v - o|; sizes: sum p e^eta |v|
    std::vector<Number> flushed;  // sum f e^lambda |v|; empty where nothing is multiplied with it
    std::vector<Number> merged;   // sum p e^eta (e^lambda - 1) |v|; empty with one merge or none
  };

  Channels channels() const {
    const std::size_t size = row_.value_size;
    const std::vector<double> of_sink(size, 0);
    std::vector<const double*> rows = rows_of(row_.values, size, truth_.keys);
    if (row_.sink) rows.push_back(of_sink.data());
    Channels result{column_sums(moved_, grown_, rows, truth_.output, precision_), {}, {}};
    const std::vector<Number> zeros(size, number(0));
    if (flushes_) result.flushed = weighted_distances(flushed_by_merges(), rows, zeros, precision_);
    if (!earlier_merges_.empty()) result.merged = weighted_distances(grown_by_merges(), rows, zeros, precision_);
    return result;
  }

  // A sum of the rows' magnitudes in doubles, each addition of which errs by at most 2^-53 of it or by 2^-1022.
  Number not_rounded(double sum) const {
    const auto additions = static_cast<double>(truth_.score.size());
    const double error = additions * (0x1p-52 * sum + std::numeric_limits<double>::min());
    return hull(number(std::max(0.0, sum - error)), number(sum + error));
  }

  // f e^lambda
  std::vector<Number> flushed_by_merges() const {
    std::vector<Number> result = weights_.flushed;
    for (std::size_t k = 0; k < earlier_merges_.size(); ++k) result[k] *= one_ + earlier_merges_[k];
    return result;
  }

  // p e^eta (e^lambda - 1)
  std::vector<Number> grown_by_merges() const {
    std::vector<Number> result = earlier_merges_;
    for (std::size_t k = 0; k < result.size(); ++k) result[k] *= grown_[k];
    return result;
  }

  // nu of one channel: products, sums, rescales, four for the division, merges.
  Number product(std::size_t terms) const {
    const std::size_t rescales = rounds_factors() ? 2 * rescales_ : rescales_;
    const Gamma<Number> gamma(class_.output_sum.relative, precision_);
    Number factor = one_ + gamma(depth(terms, class_.output_chunk, row_.key_count(), class_.block) + rescales + 4 +
                                 class_.merges() * (class_.parts + 3));
    if (!class_.sum_of_rounded) factor *= one_ + number(class_.weights.relative);
    factor *= one_ + number(class_.values.relative);
    for (std::size_t level = 0; level < class_.merges(); ++level) factor *= one_ + number(class_.part_output.relative);
    return factor - one_;
  }

  // An accumulator of fewer digits than the factor that rescales it may round that first.
  bool rounds_factors() const { return class_.output_sum.relative > class_.single.relative && rescales_ != 0; }

  // A quotient may underflow before it is rounded as the class says: then it is 0, and rounded no more.
  double weights_absolute() const {
    return class_.normalised ? std::max(class_.weights.absolute, class_.single.absolute) : class_.weights.absolute;
  }

  // How much a term may grow on its way: 1 + relative for the sums, e^(E0 + drift) for each rescale.
  Number growth(const Number& relative) const { return (one_ + relative) * rescaled_; }

  // Absolute errors of the denominator, in units of the last pivot.
  Number sum_absolute(const Number& growth) const {
    const Number underflow = number(4) * count(truth_.score.size() + rescales_ + 2) * number(class_.single.absolute);
    const Number rounded =
        class_.sum_of_rounded ? count(truth_.score.size()) * number(class_.weights.absolute) : number(0);
    return underflow + growth * (all_flushed_ + rounded);
  }

  // L: the denominator is at least so large in units of the last pivot.
  Number least_sum(const Number& absolute) const {
    Number least = (one_ - sum_) * pivoted_;
    if (class_.sum_of_rounded) least *= one_ - number(class_.weights.relative);
    if (class_.merges() == 0) least = max(least, kept_ - absolute);
    return if_positive(least);
  }

  Number core(std::size_t channel, const Channels& channels, const Number& nu) const {
    const Number output = truth_.output[channel], magnitude = abs(output), larger = growth(nu);
    const Extents& extents = channels.sums.extents;
    const double lowest = extents.lowest[channel], highest = extents.highest[channel];
    const Number flushed = channels.flushed.empty() ? number(0) : channels.flushed[channel];
    Number summed = nu * channels.sums.sizes[channel] + sum_ * magnitude * all_grown_;
    if (!earlier_merges_.empty()) summed += (one_ + nu) * channels.merged[channel];
    const Number farthest = max(abs(number(lowest) - output), abs(number(highest) - output));
    const Number largest = number(std::max(std::abs(lowest), std::abs(highest)));
    const Number bracket = sum_absolute(larger), least = least_sum(bracket), beta = bracket / least;
    const Number total = not_rounded(extents.magnitudes[channel]);
    const Number rounded = number(weights_absolute()) * larger * total;
    // A factor that underflows meets all that was summed before it.
    const Number factors =
        rounds_factors() ? count(rescales_) * number(class_.output_sum.absolute) * weights_.largest * larger * total
                         : number(0);
    const Number underflow =
        number(4) * count(truth_.score.size() + rescales_ + 2) * number(class_.output_sum.absolute);
    Number alpha = (underflow + factors + larger * flushed + (class_.normalised ? number(0) : rounded)) / least;
    if (class_.normalised) alpha += rounded;
    // In units of the weights' mean: sum p e^h over the denominator is at most (1 + beta) / (1 - mu).
    const Number stored = number(class_.values.absolute) + count(class_.merges()) * number(class_.part_output.absolute);
    alpha += stored * larger * (one_ + most_merged_) * (one_ + beta) / if_positive(one_ - sum_);
    const Number theorem = (one_ + beta) * (channels.sums.distances[channel] + summed) / if_positive(nominal_);
    const Number grown = nu + (one_ + nu) * most_merged_;
    const Number hull = (one_ + beta) * (farthest + (grown + sum_) / if_positive(one_ - sum_) * largest);
    const Number smaller = std::isinf(theorem.upper()) ? hull : min(theorem, hull);
    const Number divided = smaller + alpha + beta * magnitude;
    return divided + last_merge_ * (magnitude + divided);
  }

  Number lse() const {
    const Number bracket = sum_absolute(growth(sum_)), beta = bracket / least_sum(bracket);
    const Number moved = log1p(mean_growth_) - log1p(-sum_) - log1p(-beta);
    const Number lazy = number(class_.lazy), rest = weights_.excess + lazy + moved;
    const Number shifted = shift<Number>(row_, precision_);
    return moved + number(class_.logarithm.relative) * (truth_.log_sum + rest) + number(class_.logarithm.absolute) +
           number(row_.slope ? 4 : 3) * unit() * (abs(truth_.lse) + abs(truth_.largest) + number(2) * shifted + rest) +
           number(4) * number(class_.single.absolute);
  }

  const AttentionRow& row_;
  const AttentionTruth<Number>& truth_;
  const RoundingClass& class_;
  PrecisionOf<Number> precision_;
  Number one_;
  WeightErrors<Number> weights_;
  std::size_t rescales_;  // R
  Number sum_;            // mu
  Number nominal_;
  std::vector<Number> moved_, grown_;   // p (e^eta - 1), p e^eta
  Number all_grown_, all_flushed_;      // the sums of the latter and of what may be out of range
  Number all_kept_, mean_growth_;       // the sums of p e^-eta and p (e^eta - 1) of the LSE
  Number rescaled_, pivoted_, kept_;    // e^(R (E0 + drift)), L / (1 - mu), and the least sum by the order's weights
  Number last_merge_, most_merged_;     // e^lambda - 1 of the last merge; of those before it, the largest
  std::vector<Number> earlier_merges_;  // of those before it, of each key
  bool flushes_ = false;                // an exponential may be out of range
};

}  // namespace

template <class Number>
std::vector<Number> stored_weight_bound(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                        const RoundingClass& rounding) {
  return Bound<Number>(row, truth, rounding).stored_weights();
}

template <class Number>
AttentionBound<Number> attention_bound(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                       const RoundingClass& rounding) {
  return Bound<Number>(row, truth, rounding).all();
}

template std::vector<Interval> stored_weight_bound(const AttentionRow&, const AttentionTruth<Interval>&,
                                                   const RoundingClass&);
template std::vector<DoubleInterval> stored_weight_bound(const AttentionRow&, const AttentionTruth<DoubleInterval>&,
                                                         const RoundingClass&);
template AttentionBound<Interval> attention_bound(const AttentionRow&, const AttentionTruth<Interval>&,
                                                  const RoundingClass&);
template AttentionBound<DoubleInterval> attention_bound(const AttentionRow&, const AttentionTruth<DoubleInterval>&,
                                                        const RoundingClass&);

}  // namespace attncert::reference
