// What a budget's bound comes to at an entry of a row (src/kernel/budget.hpp): how deep the entry lies, how long the
// row is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "reference/row.hpp"
#include "src/kernel/budget.hpp"

namespace attncert {

class EntryBounds {
 public:
  explicit EntryBounds(const LogitRow& row) : row_(row) {
    double present = 0;
    for (std::size_t i = 0; i < row.logits.size(); ++i)
      if (row.present(i)) largest_ = std::max(largest_, row.logits[i]), ++present;
    doublings_ = std::ceil(std::log2(std::max(present, 1.0)));
  }

  double largest() const { return largest_; }  // logit present

  // In ulp of the entry's magnitude. A depth beyond the doubles counts as the largest of them: times a rate of 0 it is
  // 0.
  double of(const Budget& budget, std::size_t position) const {
    const double depth = (largest_ - row_.logits[position]) / row_.temperature;
    return budget.bound(row_.temperature, std::min(depth, std::numeric_limits<double>::max()), doublings_);
  }

 private:
  const LogitRow& row_;
  double largest_ = -std::numeric_limits<double>::infinity(), doublings_ = 0;
};

}  // namespace attncert
