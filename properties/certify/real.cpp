#include "properties/certify/real.hpp"

#include <algorithm>

#include "properties/certify/judge.hpp"

namespace attncert {
namespace {

std::vector<const CapturedRow*> rows_of(const CapturedAttention& attention, std::size_t set) {
  std::vector<const CapturedRow*> rows;
  for (const CapturedRow& row : attention.rows)
    if (row.tokens == attention.tokens[set]) rows.push_back(&row);
  return rows;
}

}  // namespace

RealResult judge_selections(std::span<const Claim* const> claims, const CapturedAttention& attention, std::size_t set,
                            TokenScale scale, const std::atomic<bool>& stop) {
  RealResult result;
  const std::vector<const CapturedRow*> rows = rows_of(attention, set);
  std::size_t longest = 0;
  for (const CapturedRow* row : rows) longest = std::max(longest, row->weights.size());
  const CapturedTokenSet tokens = exact_tokens(*attention.tokens[set], longest, scale);
  result.largest_snap = tokens.largest_snap;
  for (const CapturedRow* row : rows)
    for (const std::size_t n : planned_counts(row->weights.size())) {
      if (stop) return result;
      bool tie = false;
      const Instance instance = captured_selection(*row, tokens.tokens, n, tie);
      result.ties += tie ? 1 : 0;
      const std::string replay = row_name(*row) + ":" + name(scale) + ":n" + std::to_string(n);
      for (const Claim* claim : claims) {
        const std::string id(claim->statement.id);
        if (claim->statement.real == RealRows::selections)
          record(result.tallies[id], judge(claim->statement, instance), id + ":" + replay);
      }
    }
  return result;
}

RealResult judge_logits(std::span<const Claim* const> claims, const CapturedAttention& attention, std::size_t set,
                        const std::atomic<bool>& stop) {
  RealResult result;
  for (const CapturedRow* row : rows_of(attention, set)) {
    if (stop) return result;
    const Instance instance = captured_logits(*row);
    for (const Claim* claim : claims) {
      const std::string id(claim->statement.id);
      if (claim->statement.real == RealRows::logits)
        record(result.tallies[id], judge(claim->statement, instance), id + ":" + row_name(*row));
    }
  }
  return result;
}

}  // namespace attncert
