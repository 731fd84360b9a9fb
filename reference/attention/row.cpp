#include "reference/attention/row.hpp"

#include <cmath>
#include <limits>

namespace attncert::reference {

std::vector<double> magnitudes(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(std::abs(value));
  return result;
}

std::vector<std::size_t> kept_keys(const AttentionRow& row) {
  std::vector<std::size_t> kept;
  const std::int64_t diagonal = row.position + row.offset;
  for (std::size_t j = 0; j < row.length.value_or(row.key_count()); ++j) {
    const std::int64_t distance = static_cast<std::int64_t>(j) - diagonal;
    const bool out = (row.causal && distance > 0) || (row.window && distance <= -*row.window) ||
                     (row.window_after && distance >= *row.window_after) || (!row.mask.empty() && row.mask[j] == 0) ||
                     (!row.bias.empty() && row.bias[j] == -std::numeric_limits<double>::infinity());
    if (!out) kept.push_back(j);
  }
  return kept;
}

std::vector<const double*> rows_of(std::span<const double> matrix, std::size_t columns,
                                   std::span<const std::size_t> keys) {
  std::vector<const double*> rows;
  rows.reserve(keys.size());
  for (const std::size_t j : keys) rows.push_back(matrix.data() + j * columns);
  return rows;
}

}  // namespace attncert::reference
