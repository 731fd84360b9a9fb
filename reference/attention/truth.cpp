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

void add_score(AttentionTruth& truth, const AttentionRow& row, std::span<const Interval> query, std::size_t j,
               Precision precision) {
  const auto key = enclosures_of(row.key(j), precision);
  truth.scaled.push_back(Interval(row.scale, precision) * dot(query, key, precision));
  const Interval cap(row.softcap, precision);
  truth.capped.push_back(row.softcap == 0 ? truth.scaled.back() : cap * tanh(truth.scaled.back() / cap));
  truth.score.push_back(truth.capped.back());
  if (!row.bias.empty()) truth.score.back() += Interval(row.bias[j], precision);
  if (row.slope) truth.score.back() += Interval(alibi(row, j), precision);
}

}  // namespace

std::vector<Interval> enclosures_of(std::span<const double> values, Precision precision) {
  std::vector<Interval> result;
  result.reserve(values.size());
  for (const double value : values) result.emplace_back(value, precision);
  return result;
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
  const auto query = enclosures_of(row.query, precision);
  for (const std::size_t j : truth.keys) add_score(truth, row, query, j, precision);
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
  for (std::size_t c = 0; c < row.value_size; ++c) {
    Interval output = zero;
    for (std::size_t k = 0; k < truth.keys.size(); ++k)
      output += truth.weight[k] * Interval(row.value(truth.keys[k], c), precision);
    truth.output.push_back(std::move(output));
  }
  return truth;
}

}  // namespace attncert::reference
