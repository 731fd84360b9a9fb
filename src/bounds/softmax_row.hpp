// softmax(logits / T) of one row by the suite's f64 kernel, with the error that kernel is proved to keep
// (docs/budgets.md).
#pragma once

#include <span>
#include <vector>

namespace attncert::bounds {

// A weight that is subnormal errs by this more.
inline constexpr double subnormal_weight_error = 0x1p-1069;

// Writes the weights and returns rho, |weight - exact| <= rho exact + subnormal_weight_error; infinite where T is
// refused. Logits finite.
double softmax_row(std::span<const double> logits, double temperature, std::vector<double>& weights);

}  // namespace attncert::bounds
