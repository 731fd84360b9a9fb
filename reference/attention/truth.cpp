#include "reference/attention/truth.hpp"

#include <cstdlib>

#include "reference/attention/softcap.hpp"
#include "src/core/assert.hpp"

namespace attncert::reference {
namespace {

void check(const AttentionRow& row) {
  ATTNCERT_ASSERT(!row.query.empty() && row.value_size >= 1 && row.scale != 0 && row.softcap >= 0);
  ATTNCERT_ASSERT(row.values.size() % row.value_size == 0 && row.keys.size() == row.key_count() * row.query.size());
  ATTNCERT_ASSERT(row.bias.empty() || row.bias.size() == row.key_count());
  ATTNCERT_ASSERT(row.mask.empty() || row.mask.size() == row.key_count());
  ATTNCERT_ASSERT(!row.length || *row.length <= row.key_count());
}

// The distance that ALiBi's slope multiplies.
double alibi_distance(const AttentionRow& row, std::size_t j) {
  const std::int64_t distance = static_cast<std::int64_t>(j) - row.position - row.offset;
  return static_cast<double>(row.causal ? distance : -std::abs(distance));
}

template <class Number>
void add_score(AttentionTruth<Number>& truth, const AttentionRow& row, std::size_t j, const Number& scaled) {
  const PrecisionOf<Number> precision = scaled.precision();
  const Number cap(row.softcap, precision), capped = row.softcap == 0 ? scaled : cap * tanh(scaled / cap);
  Number score = capped;
  if (!row.bias.empty()) score += Number(row.bias[j], precision);
  if (row.slope) score += Number(*row.slope, precision) * Number(alibi_distance(row, j), precision);
  truth.scaled.push_back(scaled);
  truth.capped.push_back(capped);
  truth.score.push_back(score);
}

template <class Number>
AttentionTruth<Number> truth_of(const AttentionRow& row, PrecisionOf<Number> precision) {
  check(row);
  const Number zero(0.0, precision), scale(row.scale, precision);
  AttentionTruth<Number> truth{kept_keys(row), {}, {}, {}, {}, {}, zero, zero, {}, zero};
  const std::size_t most = truth.keys.size() + 1;
  for (auto* items : {&truth.scaled, &truth.capped, &truth.score, &truth.depth, &truth.weight}) items->reserve(most);
  const std::vector<Number> products = dots(row.query, rows_of(row.keys, row.query.size(), truth.keys), precision);
  for (std::size_t k = 0; k < truth.keys.size(); ++k) add_score(truth, row, truth.keys[k], scale * products[k]);
  if (row.sink)
    for (auto* items : {&truth.scaled, &truth.capped, &truth.score}) items->emplace_back(*row.sink, precision);
  ATTNCERT_ASSERT(!truth.score.empty());

  Number largest = truth.score[0];
  for (const Number& x : truth.score) largest = max(largest, x);
  for (const Number& x : truth.score) {
    const Number depth = max(largest - x, zero);
    truth.depth.push_back(depth);
    truth.weight.push_back(-depth);
  }
  each_exp(truth.weight);
  truth.largest = largest;
  const Number total = sum(truth.weight, precision);
  for (Number& weight : truth.weight) weight /= total;
  truth.log_sum = log(total);
  truth.lse = truth.largest + truth.log_sum;
  const std::vector<const double*> values = rows_of(row.values, row.value_size, truth.keys);
  const std::span<const Number> of_keys = std::span<const Number>(truth.weight).first(values.size());
  truth.output = weighted_sums(of_keys, values, row.value_size, precision);
  return truth;
}

}  // namespace

AttentionTruth<Interval> attention_truth(const AttentionRow& row, Precision precision) {
  return truth_of<Interval>(row, precision);
}
AttentionTruth<DoubleInterval> attention_truth(const AttentionRow& row, DoublePrecision precision) {
  return truth_of<DoubleInterval>(row, precision);
}

}  // namespace attncert::reference
