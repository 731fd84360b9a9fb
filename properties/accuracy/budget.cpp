#include "properties/accuracy/budget.hpp"

#include <cmath>
#include <string_view>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// Kernels that round z - max to the format (and divide by T after it): u for the difference and, at T != 1, one more for
// the quotient make the exponential wrong by that much of (max z - z_i) / T; the exponential itself 2 ulp, a sum by
// pairs ceil(log2 L), the quotient 1/2; numerator and denominator both carry the depth's share, hence twice.
constexpr Budget three_pass{.unit = 6, .other = 8, .per_depth = 4, .per_doubling = 1};

bool declares(const attncert_kernel& kernel, std::string_view budget) {
  return kernel.size >= sizeof(attncert_kernel) && kernel.budget != nullptr && kernel.budget == budget;
}

}  // namespace

Budget budget_of(const attncert_kernel& kernel) {
  if (const Budget* budget = built_in_budget(kernel)) return *budget;
  if (declares(kernel, "three-pass")) return three_pass;
  const attncert_kernel* built_in = find_kernel(kernel.normalizer, kernel.dtype_out);
  return built_in == nullptr ? Budget{HUGE_VAL, HUGE_VAL} : *built_in_budget(*built_in);
}

}  // namespace attncert
