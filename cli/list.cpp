// attncert list: the claims with what is expected of them; or the normalizers with their laws, the kernels and
// instruction sets, or what can be fuzzed.
#include <fmt/core.h>

#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/fuzz_engine.hpp"
#include "properties/claims/claim.hpp"
#include "properties/conformance/accuracy/drawn_inputs.hpp"
#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "src/device/device.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {

namespace {

void show_kernel(const attncert_kernel& kernel) {
  fmt::print("{:<28} {:<22} {} ulp at T = 1, {} ulp at other T; contract {}\n", kernel.name, kernel.normalizer,
             ulp_budget(kernel, 1), ulp_budget(kernel, 2), kernel.contract);
}

// Targets, each with its subjects behind it.
int list_fuzz() {
  const Result<std::vector<FuzzSubject>> all = fuzz_subjects();
  if (!all) return fail(all.error());
  for (const FuzzSubject& one : *all) fmt::print("{}{}\n", one.whole() ? "" : "  ", one.name);
  return all_as_expected;
}

int list_budgets() {
  fmt::print("plain, with options: plain+OPTION+OPTION=NUMBER (docs/budgets.md)\n");
  for (const ArithmeticOption& option : arithmetic_options())
    fmt::print("  {:<14} {}\n", std::string(option.name) + (option.least != 0 ? "=N" : ""), option.text);
  return all_as_expected;
}

}  // namespace

int list(const ListOptions& options) {
  if (options.fuzz) return list_fuzz();
  if (options.budgets) return list_budgets();
  if (options.inputs) {
    fmt::print("{}", input_classes_page());
    return all_as_expected;
  }
  if (options.normalizers) {
    for (const Subject* subject : subjects())
      fmt::print("{:<22} {}\n{:<22} laws: {}\n", subject->name, subject->formula, "", law_names(*subject));
    return all_as_expected;
  }
  if (options.kernels) {
    for (const attncert_kernel* kernel : built_in_kernels()) show_kernel(*kernel);
    if (device_name())
      for (const attncert_kernel* kernel : device_kernels()) show_kernel(*kernel);
    for (const JudgedSubject* subject : judged_subjects())
      for (const JudgedKernel& kernel : subject->kernels())
        if (kernel.states_error)
          fmt::print("{:<28} {:<22} {}; states its own error\n", kernel.name, subject->name(), subject->text());
    std::string sets;
    for (const std::string& isa : instruction_sets()) sets += (sets.empty() ? "" : " ") + isa;
    fmt::print("instruction sets of this machine, best first: {}\ndevice: {}\n", sets, device::device_line());
    return all_as_expected;
  }
  for (const Claim& claim : claims()) {
    const Statement& statement = claim.statement;
    fmt::print("{:<34} expected {:<10} {}\n", statement.id, name(claim.expected), statement.text);
  }
  return all_as_expected;
}

}  // namespace attncert::cli
