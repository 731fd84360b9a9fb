#include "src/bounds/softmax_row.hpp"

#include <bit>
#include <limits>

#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bounds {

double softmax_row(std::span<const double> logits, double temperature, std::vector<double>& weights) {
  static const attncert_kernel& kernel = *find_kernel("softmax", ATTNCERT_F64);
  static const Budget& budget = *built_in_budget(kernel);
  weights.resize(logits.size());
  if (run<double>(kernel, logits, weights, 1, logits.size(), temperature) != ATTNCERT_OK)
    return std::numeric_limits<double>::infinity();
  // An ulp is at most 2^-52 of a normal number; below 16 ulp of a subnormal one is subnormal_weight_error.
  return budget.bound(temperature, 0, static_cast<double>(std::bit_width(logits.size()))) * 0x1p-52;
}

}  // namespace attncert::bounds
