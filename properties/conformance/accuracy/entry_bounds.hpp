// What a budget comes to at an entry of a row: its bound (src/kernel/budget.hpp) or, of a class of budgets, which
// roundings count in it.
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
    for (std::size_t i = row.logits.size(); i-- > 0;)
      if (row.present(i) && row.logits[i] >= largest_) largest_ = row.logits[at_largest_ = i];
  }

  double largest() const { return largest_; }  // logit present
  std::size_t at_largest() const { return at_largest_; }

  // In ulp of the entry's magnitude; 0 for a class.
  double of(const Budget& budget) const { return budget.arithmetic == nullptr ? budget.bound(row_.temperature) : 0; }

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
  double largest_ = -std::numeric_limits<double>::infinity();
  std::size_t at_largest_ = 0;
  mutable std::map<const Arithmetic*, std::vector<long double>> of_classes_;
};

}  // namespace attncert
