#include "properties/conformance/accuracy/budget.hpp"

#include <cmath>
#include <string_view>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// Kernels that round z - max and (z - max) / T: docs/budgets.md, "Other people's kernels".
constexpr Budget three_pass{.unit = 6, .other = 6, .per_depth = 3, .per_doubling = 3.1};

bool has_three_pass(std::string_view normalizer) { return normalizer == "softmax" || normalizer == "top-k-softmax"; }

bool declares(const attncert_kernel& kernel, std::string_view budget) {
  return kernel.size >= sizeof(attncert_kernel) && kernel.budget != nullptr && kernel.budget == budget;
}

}  // namespace

Budget budget_of(const attncert_kernel& kernel) {
  if (const Budget* budget = built_in_budget(kernel)) return *budget;
  if (declares(kernel, "three-pass") && has_three_pass(kernel.normalizer)) return three_pass;
  const attncert_kernel* built_in = find_kernel(kernel.normalizer, kernel.dtype_out);
  return built_in == nullptr ? Budget{HUGE_VAL, HUGE_VAL} : *built_in_budget(*built_in);
}

}  // namespace attncert
