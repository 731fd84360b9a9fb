// A row of attention in doubles, without error bounds: what finds the rows that are worth a proof.
#pragma once

#include <span>
#include <vector>

#include "reference/attention/row.hpp"

namespace attncert {

struct ApproximateRow {
  std::vector<double> output, magnitude;  // sum p v and sum p |v|, one a channel
  double lse = 0;
  double sum = 0;      // Z
  double largest = 0;  // M
};

// Of rows that share keys, values and sizes. NaN throughout where neither a key nor a sink is left.
std::vector<ApproximateRow> approximate(std::span<const reference::AttentionRow* const> rows);
ApproximateRow approximate(const reference::AttentionRow& row);

}  // namespace attncert
