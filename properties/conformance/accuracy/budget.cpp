#include "properties/conformance/accuracy/budget.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string_view>

#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// The class that the kernel names; null: none.
const Arithmetic* arithmetic_of(const attncert_kernel& kernel) {
  const bool names_one =
      kernel.size >= offsetof(attncert_kernel, budget) + sizeof kernel.budget && kernel.budget != nullptr;
  return names_one && find_subject(kernel.normalizer) != nullptr ? find_arithmetic(kernel.budget, kernel.dtype_out)
                                                                 : nullptr;
}

// Every class allows an ulp at least, and the last rounding of a half.
Budget of_class(const Arithmetic& arithmetic) {
  Budget budget{1, 1};
  budget.last = arithmetic.narrowed ? 0.5 : 0;
  budget.arithmetic = &arithmetic;
  return budget;
}

std::string by_temperature(double unit, double other) {
  return unit == other ? fmt::format("{:.4g}", unit) : fmt::format("{:.4g} ({:.4g} where T != 1)", unit, other);
}

}  // namespace

Budget budget_of(const attncert_kernel& kernel) {
  if (const Budget* budget = built_in_budget(kernel)) return *budget;
  if (const Arithmetic* arithmetic = arithmetic_of(kernel)) return of_class(*arithmetic);
  const attncert_kernel* built_in = find_kernel(kernel.normalizer, kernel.dtype_out);
  return built_in == nullptr ? Budget{HUGE_VAL, HUGE_VAL} : *built_in_budget(*built_in);
}

std::string text_of(const Budget& budget) {
  if (!std::isfinite(budget.unit)) return "none";
  if (budget.arithmetic != nullptr) return budget.arithmetic->name;
  std::string text = by_temperature(budget.unit, budget.other);
  if (budget.narrowed) text += " in f32";
  if (budget.inner_last != 0) text += fmt::format(" + {:.4g} in f32 of the exact value", budget.inner_last);
  if (budget.last != 0) text += fmt::format(" + {:.4g} of the result", budget.last);
  if (budget.tolerance_unit != 0)
    text += "; to be shown: " + by_temperature(budget.tolerance_unit, budget.tolerance_other);
  return text;
}

std::map<std::string, std::string> built_in_budgets() {
  std::map<std::string, std::string> texts;
  for (const auto list : {built_in_kernels(), device_kernels()})
    for (const attncert_kernel* kernel : list) texts[kernel->name] = text_of(budget_of(*kernel));
  return texts;
}

}  // namespace attncert
