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

void add_score(AttentionTruth& truth, const AttentionRow& row, std::size_t j, Precision precision) {
  truth.scaled.push_back(Interval(row.scale, precision) * dot(row.query, row.key(j), precision));
  const Interval cap(row.softcap, precision);
  truth.capped.push_back(row.softcap == 0 ? truth.scaled.back() : cap * tanh(truth.scaled.back() / cap));
  truth.score.push_back(truth.capped.back());
  if (!row.bias.empty()) truth.score.back() += Interval(row.bias[j], precision);
  if (row.slope) truth.score.back() += Interval(alibi(row, j), precision);
}

}  // namespace

std::vector<double> kept_values(const AttentionRow& row, std::span<const std::size_t> keys, std::size_t channel) {
  std::vector<double> values;
  values.reserve(keys.size() + 1);
  for (const std::size_t j : keys) values.push_back(row.value(j, channel));
  if (row.sink) values.push_back(0);
  return values;
}

Rational alibi(const AttentionRow& row, std::size_t j) {
  if (!row.slope) return 0;
  const std::int64_t distance = static_cast<std::int64_t>(j) - row.position - row.offset;
  return exact(*row.slope) * Rational(row.causal ? distance : -std::abs(distance));
}

AttentionTruth attention_truth(const AttentionRow& row, Precision precision) {
  check(row);
  const Interval zero(0.0, precision);
  AttentionTruth truth{kept_keys(row), {}, {}, {}, {}, {}, zero, zero, {}, zero};
  for (const std::size_t j : truth.keys) add_score(truth, row, j, precision);
  if (row.sink)
    for (auto* items : {&truth.scaled, &truth.capped, &truth.score}) items->emplace_back(*row.sink, precision);
  ATTNCERT_ASSERT(!truth.score.empty());

  truth.largest = truth.score[0];
  for (const Interval& x : truth.score) truth.largest = max(truth.largest, x);
  Interval total = zero;
  for (const Interval& x : truth.score) {
    truth.depth.push_back(max(truth.largest - x, zero));
    truth.weight.push_back(exp(-truth.depth.back()));
    total += truth.weight.back();
  }
  for (Interval& weight : truth.weight) weight /= total;
  truth.log_sum = log(total);
  truth.lse = truth.largest + truth.log_sum;
  for (std::size_t c = 0; c < row.value_size; ++c)
    truth.output.push_back(dot(truth.weight, kept_values(row, truth.keys, c), precision));
  return truth;
}

}  // namespace attncert::reference
