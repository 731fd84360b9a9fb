#include "properties/accuracy/budget.hpp"

#include <cmath>

#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

double budget_ulp(std::string_view normalizer, attncert_dtype dtype, double temperature) {
  const attncert_kernel* built_in = find_kernel(normalizer, dtype);
  return built_in == nullptr ? HUGE_VAL : ulp_budget(*built_in, temperature);
}

double budget_ulp(const attncert_kernel& kernel, double temperature) {
  return budget_ulp(kernel.normalizer, kernel.dtype_out, temperature);
}

}  // namespace attncert
