// What every entry of a row may err by under a class of budgets: the roundings of its steps, each as often as it counts
// in that entry, times the sizes of the terms that they round (docs/budgets.md, "Other people's kernels").
#pragma once

#include <vector>

#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

// Absolute, by position; 0 where nothing is present. The row is ordinary. For half types without the last rounding.
std::vector<long double> allowances(const Normalizer& normalizer, const LogitRow& row, const Arithmetic& arithmetic);

// Whose support follows from a threshold: computed, it has no exact support.
bool has_threshold(const Normalizer& normalizer);

}  // namespace attncert
