// What a budget comes to at an entry of a row (src/kernel/budget.hpp): how deep the entry lies, how long the row is;
// or, of a class of budgets, which roundings count in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "properties/conformance/budget_classes/allowances.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/kernel/budget.hpp"

namespace attncert {

class EntryBounds {
 public:
  EntryBounds(const Normalizer& normalizer, const LogitRow& row) : normalizer_(normalizer), row_(row) {
    double present = 0;
    for (std::size_t i = 0; i < row.logits.size(); ++i)
      if (row.present(i)) {
        ++present;
        if (row.logits[i] > largest_ || present == 1) largest_ = row.logits[at_largest_ = i];
      }
    doublings_ = std::ceil(std::log2(std::max(present, 1.0)));
  }

  double largest() const { return largest_; }  // logit present
  std::size_t at_largest() const { return at_largest_; }

  // In ulp of the entry's magnitude; 0 for a class. A depth beyond the doubles counts as the largest of them: times a
  // rate of 0 it is 0.
  double of(const Budget& budget, std::size_t position) const {
    if (budget.arithmetic != nullptr) return 0;
    const double depth = (largest_ - row_.logits[position]) / row_.temperature;
    return budget.bound(row_.temperature, std::min(depth, std::numeric_limits<double>::max()), doublings_);
  }

  // What a class allows, absolute; 0 for every other budget. Of an ordinary row.
  long double absolute(const Budget& budget, std::size_t position) const {
    if (budget.arithmetic == nullptr) return 0;
    const auto [at, is_new] = of_classes_.try_emplace(budget.arithmetic);
    if (is_new) at->second = allowances(normalizer_, row_, *budget.arithmetic);
    return at->second[position];
  }
  // The same in units of 2^exponent, and finite.
  double absolute(const Budget& budget, std::size_t position, int exponent) const {
    const long double units = std::ldexp(absolute(budget, position), -exponent);
    return static_cast<double>(std::min<long double>(units, std::numeric_limits<double>::max() / 4));
  }

 private:
  const Normalizer& normalizer_;
  const LogitRow& row_;
  double largest_ = -std::numeric_limits<double>::infinity(), doublings_ = 0;
  std::size_t at_largest_ = 0;
  mutable std::map<const Arithmetic*, std::vector<long double>> of_classes_;
};

}  // namespace attncert
