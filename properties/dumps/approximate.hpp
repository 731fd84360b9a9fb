// A row of attention in doubles, without error bounds but for the LSE: what finds the rows that are worth a proof.
#pragma once

#include <span>
#include <vector>

#include "reference/attention/row.hpp"

namespace attncert {

struct ApproximateRow {
  std::vector<double> output, magnitude;  // sum p v and sum p |v|, one a channel
  double lse = 0;
  double sum = 0;        // Z
  double largest = 0;    // M
  double lse_error = 0;  // at most so far is `lse` from the exact one
};

// Of rows that share keys, values and sizes. NaN throughout where neither a key nor a sink is left.
std::vector<ApproximateRow> approximate(std::span<const reference::AttentionRow* const> rows);
ApproximateRow approximate(const reference::AttentionRow& row);

// Scores of the kept keys, from the products of the query with all keys; and the LSE of a row with such scores.
std::vector<double> approximate_scores(const reference::AttentionRow& row, std::span<const double> products,
                                       const std::vector<std::size_t>& kept);
double approximate_lse(const reference::AttentionRow& row, const std::vector<double>& scores);

}  // namespace attncert
