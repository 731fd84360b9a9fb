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
void add_score(AttentionTruth<Number>& truth, const AttentionRow& row, std::size_t j, PrecisionOf<Number> precision) {
  truth.scaled.push_back(Number(row.scale, precision) * dot(row.query, row.key(j), precision));
  const Number cap(row.softcap, precision);
  truth.capped.push_back(row.softcap == 0 ? truth.scaled.back() : cap * tanh(truth.scaled.back() / cap));
  truth.score.push_back(truth.capped.back());
  if (!row.bias.empty()) truth.score.back() += Number(row.bias[j], precision);
  if (row.slope) truth.score.back() += Number(*row.slope, precision) * Number(alibi_distance(row, j), precision);
}

template <class Number>
AttentionTruth<Number> truth_of(const AttentionRow& row, PrecisionOf<Number> precision) {
  check(row);
  const Number zero(0.0, precision);
  AttentionTruth<Number> truth{kept_keys(row), {}, {}, {}, {}, {}, zero, zero, {}, zero};
  const std::size_t most = truth.keys.size() + 1;
  for (auto* items : {&truth.scaled, &truth.capped, &truth.score, &truth.depth, &truth.weight}) items->reserve(most);
  for (const std::size_t j : truth.keys) add_score(truth, row, j, precision);
  if (row.sink)
    for (auto* items : {&truth.scaled, &truth.capped, &truth.score}) items->emplace_back(*row.sink, precision);
  ATTNCERT_ASSERT(!truth.score.empty());

  Number largest = truth.score[0];
  for (const Number& x : truth.score) largest = max(largest, x);
  for (const Number& x : truth.score) {
    truth.depth.push_back(max(largest - x, zero));
    truth.weight.push_back(-truth.depth.back());
  }
  each_exp(truth.weight);
  truth.largest = largest;
  const Number total = sum(truth.weight, precision);
  for (Number& weight : truth.weight) weight /= total;
  truth.log_sum = log(total);
  truth.lse = truth.largest + truth.log_sum;
  std::vector<const double*> values;
  for (const std::size_t j : truth.keys) values.push_back(row.value(j).data());
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
