#include "reference/attention/weight_errors.hpp"

#include <algorithm>
#include <optional>

#include "reference/attention/gamma.hpp"

namespace attncert::reference {
namespace {

// Blocks in which some score may be a new maximum, by its block's number; `forward`: blocks ascend. For each block, how
// many of those that come after it.
template <class Number>
std::vector<std::size_t> records_after(const AttentionTruth<Number>& truth, const std::vector<Number>& error,
                                       std::size_t block, std::size_t blocks, bool forward) {
  std::vector<bool> changes(blocks, false);
  std::optional<Number> largest;  // of the scores before this block, as small as they may be
  const std::size_t keys = truth.keys.size();
  for (std::size_t n = 0; n < keys; ++n) {
    const std::size_t k = forward ? n : keys - 1 - n;
    if (!largest || less_equal(truth.score[k] + error[k], *largest) != Truth::yes)
      changes[truth.keys[k] / block] = true;
    const Number low = truth.score[k] - error[k];
    largest = largest ? max(*largest, low) : low;
  }
  std::vector<std::size_t> after(blocks, 0);
  for (std::size_t n = 1; n < blocks; ++n) {
    const std::size_t b = forward ? blocks - 1 - n : n, next = forward ? b + 1 : b - 1;
    after[b] = after[next] + (changes[next] ? 1 : 0);
  }
  return after;
}

// The parts of a split are maxima of their own, of keys that only the kernel knows: no order helps there.
template <class Number>
std::vector<std::size_t> rescales(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                  const std::vector<Number>& error, const RoundingClass& rounding) {
  std::vector<std::size_t> result(truth.score.size(), 0);
  if (rounding.three_pass) return result;
  const std::size_t sink = row.sink ? 1 : 0;
  const std::size_t blocks = std::max<std::size_t>(1, (row.key_count() + rounding.block - 1) / rounding.block);
  if (rounding.order == BlockOrder::any || rounding.parts > 1) {
    std::fill(result.begin(), result.end(), blocks - 1 + sink);
    return result;
  }
  const bool ascends = rounding.order == BlockOrder::ascending;
  std::vector<std::size_t> after;  // by block
  for (std::size_t b = 0; b < blocks; ++b) after.push_back(ascends ? blocks - 1 - b : b);
  if (!rounding.fma_rescale) {
    const auto records = records_after(truth, error, rounding.block, blocks, ascends);
    // A pivot that lags behind may be raised in a block without a record, as where other rows decide: once for all
    // records before.
    const std::size_t late = rounding.lazy > 0 ? 1 : 0;
    for (std::size_t b = 0; b < blocks; ++b) after[b] = std::min(after[b], records[b] + late);
  }
  std::size_t most = sink;  // the sink may come first
  for (std::size_t k = 0; k < truth.keys.size(); ++k) {
    result[k] = after[truth.keys[k] / rounding.block] + sink;
    most = std::max(most, result[k]);
  }
  if (row.sink) result.back() = most;
  return result;
}

template <class Number>
struct Common {  // what enters every key's error
  Number one, unit, exponential, per_unit, excess, lazy, log_sum;
  Number largest;  // no pivot is larger in magnitude,
  Number last;     // nor is one near the largest score
};

template <class Number>
Common<Number> common(const AttentionRow& row, const AttentionTruth<Number>& truth, const ScoreErrors<Number>& scores,
                      const std::vector<Number>& total, const RoundingClass& rounding) {
  const PrecisionOf<Number> precision = truth.lse.precision();
  const auto number = [&](double value) { return Number(value, precision); };
  const Number one = number(1), zero = number(0);
  const auto& e = rounding.exponential;
  const Number left = if_positive(one - number(e.relative) - number(e.per_unit) * number(e.range));
  const Number unit = number(rounding.single.relative) / (one - number(rounding.single.relative));
  Number largest = zero, excess = zero;
  for (std::size_t k = 0; k < total.size(); ++k) {
    const Number magnitude = abs(truth.score[k]) + total[k];
    largest = max(largest, row.slope ? magnitude + scores.bias[k] : magnitude);
    excess = max(excess, total[k] - truth.depth[k]);
  }
  largest += number(rounding.lazy);
  return {one,
          unit,
          number(e.relative) / left,
          number(e.per_unit) / left,
          excess,
          number(rounding.lazy),
          rounding.merges() == 0 ? zero : truth.log_sum,
          largest,
          row.slope ? largest : abs(truth.largest) + excess + number(rounding.lazy)};
}

// What rounding a pivot costs key k: that of its block lies between its own score and the largest, but for errors and
// lag. With slopes magnitudes that cancel in a score may be in a pivot, whose key is not known.
template <class Number>
Number pivot_error(const Common<Number>& c, const AttentionRow& row, const AttentionTruth<Number>& truth,
                   const Number& error, std::size_t k) {
  return c.unit * (row.slope ? c.largest : max(abs(truth.score[k]) + error + c.lazy, c.last));
}

// What the LSE of a part brings to its keys, at each level of merges, but for its magnitude's roundings.
template <class Number>
Number lse_error(const Common<Number>& c, const AttentionTruth<Number>& truth, const RoundingClass& rounding) {
  const PrecisionOf<Number> precision = truth.lse.precision();
  const auto number = [&](double value) { return Number(value, precision); };
  const Number logarithm = log(number(2 * static_cast<double>(truth.score.size()))) + c.lazy;
  return c.exponential + (number(rounding.logarithm.relative) + number(2) * c.unit) * logarithm +
         number(rounding.logarithm.absolute);
}

// Those of the largest LSE in magnitude of parts that have the key: it lies between the key's score and the row's LSE.
template <class Number>
Number lse_rounding(const Common<Number>& c, const AttentionRow& row, const AttentionTruth<Number>& truth,
                    const Number& error, std::size_t k) {
  return Number(lse_roundings, truth.lse.precision()) * c.unit *
         (max(abs(truth.score[k]), abs(truth.lse)) + shift<Number>(row, truth.lse.precision()) + error + c.excess +
          c.lazy);
}

// lambda, but for the roundings of the LSE's magnitude: exponentials of the sum of the weights, then of the weights,
// whose arguments' weighted mean is at most ln(parts).
template <class Number>
Number merge_error(const Common<Number>& c, const Number& of_lse, const Number& by_argument,
                   const RoundingClass& rounding) {
  const PrecisionOf<Number> precision = of_lse.precision();
  const Number parts(static_cast<double>(rounding.parts), precision);
  const Gamma<Number> gamma(rounding.single.relative, precision);
  return of_lse + c.exponential + gamma(rounding.parts + 1) + Number(2, precision) * by_argument * (log(parts) + c.one);
}

}  // namespace

template <class Number>
WeightErrors<Number> weight_errors(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                   const ScoreErrors<Number>& scores, const RoundingClass& rounding) {
  const PrecisionOf<Number> precision = truth.lse.precision();
  const auto number = [&](double value) { return Number(value, precision); };
  std::vector<Number> total;  // sigma^L
  for (std::size_t k = 0; k < scores.own.size(); ++k) total.push_back(scores.own[k] + scores.constant[k]);
  const Common<Number> c = common(row, truth, scores, total, rounding);
  // What an exponential costs by its argument.
  const Number by_argument = (c.unit + c.per_unit) * (c.one + number(rounding.single.relative));
  WeightErrors<Number> errors{{},
                              {},
                              {},
                              rescales(row, truth, total, rounding),
                              c.excess,
                              c.unit * c.last,
                              c.exponential,
                              rounding.fma_rescale ? c.unit * c.largest : number(0),
                              exp((c.lazy + c.unit * c.largest) * (c.one + by_argument)),
                              number(0),
                              {}};
  const bool shift = row.bias.empty() && !row.slope && !row.sink;  // constants multiply M and x alike
  const Gamma<Number> gamma(rounding.single.relative, precision);
  const Number constants = gamma(rounding.constants), range = number(rounding.exponential.range);
  // What every key's path has.
  const Number lag = c.excess + number(2) * c.lazy, shared = lag + c.log_sum;
  const Number rounded = rounding.sum_of_rounded ? -log(c.one - number(rounding.weights.relative)) : number(0);
  for (auto* part : {&errors.output, &errors.lse, &errors.flushed}) part->reserve(total.size());
  const std::size_t merges = rounding.merges();
  const Number of_lse = merges == 0 ? number(0) : lse_error(c, truth, rounding);
  if (merges != 0) errors.merge = merge_error(c, of_lse, by_argument, rounding);
  for (std::size_t k = 0; k < total.size(); ++k) {
    const Number pivot = pivot_error(c, row, truth, total[k], k);
    const Number times = number(static_cast<double>(1 + errors.rescales[k]));
    const Number pivots = rounding.fma_rescale ? pivot * times : pivot;  // of the key's block, and of those after it
    Number path = truth.depth[k] + total[k] + shared + pivots, merged = number(0);
    if (merges != 0) {
      const Number magnitude = lse_rounding(c, row, truth, total[k], k);
      merged = number(static_cast<double>(merges)) * (of_lse + magnitude);
      path += merged + errors.merge + magnitude;  // the LSEs are off, that of the whole too
      if (merges > 1)
        errors.earlier_merges.push_back(number(static_cast<double>(merges - 1)) * (errors.merge + magnitude));
    }
    const Number psi = by_argument * path + pivots + c.exponential * times + merged;
    const Number constant = shift ? constants * truth.depth[k] : scores.constant[k];
    errors.output.push_back(scores.own[k] + constant + psi + rounded);
    errors.lse.push_back(total[k] + psi + rounded);
    // What is computed of a weight that is out of range on its way, and what it nominally is.
    errors.flushed.push_back(unless(
        less_equal(path, range),
        [&] {
          const Number before = (c.lazy + pivot) * (c.one + by_argument) + c.exponential;
          return number(2) * exp(before - range) + exp(total[k] + lag + psi - truth.depth[k]);
        },
        number(0)));
  }
  return errors;
}

template WeightErrors<Interval> weight_errors(const AttentionRow&, const AttentionTruth<Interval>&,
                                              const ScoreErrors<Interval>&, const RoundingClass&);
template WeightErrors<DoubleInterval> weight_errors(const AttentionRow&, const AttentionTruth<DoubleInterval>&,
                                                    const ScoreErrors<DoubleInterval>&, const RoundingClass&);

}  // namespace attncert::reference
