// The present logits of an ordinary row in descending order, equal ones together: what the truths about a row share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/interval.hpp"
#include "reference/row.hpp"

namespace attncert::reference {

class DescendingRow {
 public:
  explicit DescendingRow(const LogitRow& row);  // asserts that the row is ordinary

  const LogitRow& row() const { return row_; }
  double largest() const { return distinct_.front(); }
  const std::vector<double>& distinct() const { return distinct_; }  // descending, without repetition
  const std::vector<std::size_t>& count() const { return count_; }   // how many entries have it
  std::size_t present_count() const { return present_count_; }       // n
  std::vector<std::size_t> order() const;                            // the present entries by logit, then by index
  std::size_t index_of(double logit) const;                          // among distinct(); it is there
  Interval deficit(double logit, Precision precision) const;         // (max z - logit) / T

 private:
  LogitRow row_;
  std::vector<double> distinct_;
  std::vector<std::size_t> count_;
  std::vector<std::uint32_t> ranks_;  // of entries, among distinct(); absent ones: beyond
  std::size_t present_count_ = 0;
};

}  // namespace attncert::reference
