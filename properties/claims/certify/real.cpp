#include "properties/claims/certify/real.hpp"

#include <algorithm>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"

namespace attncert {
namespace {

std::vector<const CapturedRow*> rows_of(const CapturedAttention& attention, std::size_t set) {
  std::vector<const CapturedRow*> rows;
  for (const CapturedRow& row : attention.rows)
    if (row.tokens == attention.tokens[set]) rows.push_back(&row);
  return rows;
}

// A violation on captured attention is a counterexample like any other.
void judge_row(const Statement& statement, const Instance& instance, const std::string& row, RealResult& result) {
  const std::string id(statement.id);
  const Ruling ruling = judge(statement, instance);
  record(result.tallies[id], statement, ruling, id + ":" + row);
  for (std::size_t p = 0; p < ruling.parts.size(); ++p) {
    if (ruling.parts[p].decision != Decision::violated) continue;
    std::vector<Counterexample>& known = result.counterexamples[id];
    if (!is_smaller(known, statement, p, instance)) continue;
    Counterexample found = counterexample(statement, p, instance, "");
    found.witness.found.replay = id + ":" + row;
    keep_smaller(known, std::move(found));
  }
}

}  // namespace

bool speaks_of(const Statement& statement, RealRows kind) {
  const Sided* const sided = statement.sided();
  return sided != nullptr && sided->real == kind;
}

RealResult judge_selections(std::span<const Statement* const> statements, const CapturedAttention& attention,
                            std::size_t set, TokenScale scale, const std::atomic<bool>& stop) {
  RealResult result;
  const std::vector<const CapturedRow*> rows = rows_of(attention, set);
  std::size_t longest = 0;
  for (const CapturedRow* row : rows) longest = std::max(longest, row->weights.size());
  const CapturedTokenSet tokens = exact_tokens(*attention.tokens[set], longest, scale);
  result.largest_rounding = tokens.largest_rounding;
  for (const CapturedRow* row : rows)
    for (const std::size_t n : planned_counts(row->weights.size())) {
      if (stop) return result;
      bool tie = false;
      const Instance instance = captured_selection(*row, tokens.tokens, n, tie);
      result.ties += tie ? 1 : 0;
      const std::string replay = row_name(*row) + ":" + name(scale) + ":n" + std::to_string(n);
      for (const Statement* statement : statements)
        if (speaks_of(*statement, RealRows::selections)) judge_row(*statement, instance, replay, result);
    }
  return result;
}

RealResult judge_logits(std::span<const Statement* const> statements, const CapturedAttention& attention,
                        std::size_t set, const std::atomic<bool>& stop) {
  RealResult result;
  for (const CapturedRow* row : rows_of(attention, set)) {
    if (stop) return result;
    const Instance instance = captured_logits(*row);
    for (const Statement* statement : statements)
      if (speaks_of(*statement, RealRows::logits)) judge_row(*statement, instance, row_name(*row), result);
  }
  return result;
}

}  // namespace attncert
