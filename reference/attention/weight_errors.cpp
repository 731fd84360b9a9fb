#include "reference/attention/weight_errors.hpp"

#include <algorithm>
#include <optional>

#include "reference/attention/gamma.hpp"
#include "reference/attention/key_errors.hpp"

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

// What the LSE of a part brings to its keys, at each level of merges, but for its magnitude's roundings.
template <class Number>
Number lse_error(const SharedErrors<Number>& shared, const AttentionTruth<Number>& truth,
                 const RoundingClass& rounding) {
  const auto number = [&](double value) { return Number(value, shared.one.precision()); };
  const Number logarithm = log(number(2 * static_cast<double>(truth.score.size()))) + shared.lazy;
  return shared.exponential + (number(rounding.logarithm.relative) + number(2) * shared.unit) * logarithm +
         number(rounding.logarithm.absolute);
}

// lambda, but for the roundings of the LSE's magnitude: exponentials of the sum of the weights, then of the weights,
// whose arguments' weighted mean is at most ln(parts).
template <class Number>
Number merge_error(const SharedErrors<Number>& shared, const RoundingClass& rounding) {
  const PrecisionOf<Number> precision = shared.one.precision();
  const Number parts(static_cast<double>(rounding.parts), precision);
  const Gamma<Number> gamma(rounding.single.relative, precision);
  return shared.merge_of_lse + shared.exponential + gamma(rounding.parts + 1) +
         Number(2, precision) * shared.by_argument * (log(parts) + shared.one);
}

// How far the computed maximum may exceed M, and the largest magnitude of a score or of what it is made of.
template <class Number>
struct Extent {
  Number excess, largest;
};
template <class Number>
Extent<Number> extent(const AttentionTruth<Number>& truth, const ScoreErrors<Number>& scores,
                      const std::vector<Number>& total, bool slopes) {
  const Number zero(0.0, truth.lse.precision());
  Extent<Number> result{zero, zero};
  for (std::size_t k = 0; k < total.size(); ++k) {
    const Number magnitude = abs(truth.score[k]) + total[k];
    result.largest = max(result.largest, slopes ? magnitude + scores.bias[k] : magnitude);
    result.excess = max(result.excess, total[k] - truth.depth[k]);
  }
  return result;
}

template <class Number>
SharedErrors<Number> shared_errors(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                   const Extent<Number>& extent, const RoundingClass& rounding) {
  const PrecisionOf<Number> precision = truth.lse.precision();
  const auto number = [&](double value) { return Number(value, precision); };
  const Number one = number(1), relative = number(rounding.single.relative);
  const auto& e = rounding.exponential;
  const Number left = if_positive(one - number(e.relative) - number(e.per_unit) * number(e.range));
  const Number lazy = number(rounding.lazy), lag = extent.excess + number(2) * lazy;
  const std::size_t merges = rounding.merges();
  SharedErrors<Number> s{number(0)};
  s.one = one, s.lazy = lazy, s.lag = s.path = lag;
  s.unit = relative / (one - relative);
  s.exponential = number(e.relative) / left;
  s.by_argument = (s.unit + number(e.per_unit) / left) * (one + relative);
  s.range = number(e.range), s.of_range = one + s.by_argument;
  s.largest = extent.largest + lazy;
  s.last = row.slope ? s.largest : abs(truth.largest) + extent.excess + lazy;
  if (rounding.sum_of_rounded) s.rounded = -log(one - number(rounding.weights.relative));
  s.constants = Gamma<Number>(rounding.single.relative, precision)(rounding.constants);
  s.slopes = row.slope.has_value(), s.fma_rescale = rounding.fma_rescale;
  s.constants_shift = row.bias.empty() && !row.slope && !row.sink;
  if (merges == 0) return s;
  s.merges = merges;
  s.path += truth.log_sum;
  s.merge_of_lse = lse_error(s, truth, rounding);
  s.merge = merge_error(s, rounding);
  s.merge_unit = number(lse_roundings) * s.unit;
  s.lse = abs(truth.lse), s.merge_shift = shift<Number>(row, precision) + extent.excess + lazy;
  return s;
}

}  // namespace

template <class Number>
WeightErrors<Number> weight_errors(const AttentionRow& row, const AttentionTruth<Number>& truth,
                                   const ScoreErrors<Number>& scores, const RoundingClass& rounding) {
  std::vector<Number> total;  // sigma^L
  total.reserve(scores.own.size());
  for (std::size_t k = 0; k < scores.own.size(); ++k) total.push_back(scores.own[k] + scores.constant[k]);
  const Extent<Number> extent = reference::extent(truth, scores, total, row.slope.has_value());
  const SharedErrors<Number> shared = shared_errors(row, truth, extent, rounding);
  WeightErrors<Number> errors{{},
                              {},
                              {},
                              rescales(row, truth, total, rounding),
                              extent.excess,
                              shared.unit * shared.last,
                              shared.exponential,
                              rounding.fma_rescale ? shared.unit * shared.largest : shared.zero,
                              exp((shared.lazy + shared.unit * shared.largest) * shared.of_range),
                              shared.merge,
                              {}};
  add_key_errors(shared, truth, scores, total, errors);
  return errors;
}

template WeightErrors<Interval> weight_errors(const AttentionRow&, const AttentionTruth<Interval>&,
                                              const ScoreErrors<Interval>&, const RoundingClass&);
template WeightErrors<DoubleInterval> weight_errors(const AttentionRow&, const AttentionTruth<DoubleInterval>&,
                                                    const ScoreErrors<DoubleInterval>&, const RoundingClass&);

}  // namespace attncert::reference
