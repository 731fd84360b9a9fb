#include "properties/conformance/accuracy/budget.hpp"

#include <fmt/format.h>

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

std::string by_temperature(double unit, double other) {
  return unit == other ? fmt::format("{:.4g}", unit) : fmt::format("{:.4g} ({:.4g} where T != 1)", unit, other);
}

}  // namespace

Budget budget_of(const attncert_kernel& kernel) {
  if (const Budget* budget = built_in_budget(kernel)) return *budget;
  if (declares(kernel, "three-pass") && has_three_pass(kernel.normalizer)) return three_pass;
  const attncert_kernel* built_in = find_kernel(kernel.normalizer, kernel.dtype_out);
  return built_in == nullptr ? Budget{HUGE_VAL, HUGE_VAL} : *built_in_budget(*built_in);
}

std::string text_of(const Budget& budget) {
  if (!std::isfinite(budget.unit)) return "none";
  std::string text = by_temperature(budget.unit, budget.other);
  if (budget.per_depth != 0) text += fmt::format(" + {:.4g} D", budget.per_depth);
  if (budget.per_doubling != 0) text += fmt::format(" + {:.4g} H", budget.per_doubling);
  if (budget.narrowed) text += " in f32";
  if (budget.inner_last != 0) text += fmt::format(" + {:.4g} in f32 of the exact value", budget.inner_last);
  if (budget.last != 0) text += fmt::format(" + {:.4g} of the result", budget.last);
  if (budget.tolerance_unit != 0)
    text += "; to be shown: " + by_temperature(budget.tolerance_unit, budget.tolerance_other);
  return text;
}

std::map<std::string, std::string> built_in_budgets() {
  std::map<std::string, std::string> texts;
  for (const attncert_kernel* kernel : built_in_kernels()) texts[kernel->name] = text_of(budget_of(*kernel));
  return texts;
}

}  // namespace attncert
