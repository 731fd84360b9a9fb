#include "reference/normalizers/descending_row.hpp"

#include <algorithm>
#include <functional>

namespace attncert::reference {

DescendingRow::DescendingRow(const LogitRow& row) : row_(row) {
  ATTNCERT_ASSERT(kind(row_) == RowKind::ordinary);
  std::vector<double> sorted;
  sorted.reserve(row_.logits.size());
  for (std::size_t i = 0; i < row_.logits.size(); ++i)
    if (row_.present(i)) sorted.push_back(row_.logits[i]);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  present_count_ = sorted.size();
  for (const double value : sorted) {
    if (distinct_.empty() || distinct_.back() != value) {
      distinct_.push_back(value);
      count_.push_back(0);
    }
    ++count_.back();
  }
}

std::size_t DescendingRow::index_of(double logit) const {
  const auto found = std::lower_bound(distinct_.begin(), distinct_.end(), logit, std::greater<>());
  ATTNCERT_ASSERT(found != distinct_.end() && *found == logit);
  return static_cast<std::size_t>(found - distinct_.begin());
}

Interval DescendingRow::deficit(double logit, Precision precision) const {
  return (Interval(largest(), precision) - Interval(logit, precision)) / Interval(row_.temperature, precision);
}

}  // namespace attncert::reference
