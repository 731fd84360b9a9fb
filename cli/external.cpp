#include "cli/external.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "properties/conformance/accuracy/contract.hpp"
#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/invalid_calls.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/process.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {
namespace {

bool is_known(const attncert_kernel* kernel) { return find_subject(kernel->normalizer) != nullptr; }

// That every contract and every budget that a kernel names is one, and says nothing that is not read: of its own
// budget each option is for its normalizer, of --budget for that of one kernel at least.
Result<Done> declarations_known(const AccuracyOptions& options, const ExternalLibrary& library) {
  const std::vector<const attncert_kernel*> kernels = known_kernels(library);
  for (const attncert_kernel* kernel : kernels) {
    if (const Result<Contract> named = contract_named(kernel->contract); !named)
      return Error{options.library + ": " + kernel->name + ": " + named.error().message};
    if (kernel->budget == nullptr) continue;
    const std::string where =
        options.budget.empty() ? options.library + ": " + kernel->name + ": budget " : "--budget ";
    const Result<Arithmetic> named = arithmetic_named(kernel->budget, kernel->dtype_out);
    if (!named) return Error{where + named.error().message};
    const auto unread_by = [&](const attncert_kernel* one) {
      return std::string(unread_option(kernel->budget, one->normalizer));
    };
    const bool by_all = options.budget.empty() || std::ranges::none_of(kernels, &std::string::empty, unread_by);
    if (const std::string unread = unread_by(kernel); !unread.empty() && by_all)
      return Error{where + kernel->budget + ": \"" + unread + "\" says nothing of " + kernel->normalizer +
                   "; leave it out: docs/budgets.md"};
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<ExternalLibrary>> open_external_library(const AccuracyOptions& options) {
  if (!options.isas.empty())
    return Error{"--isa: kernels of a library choose for themselves; leave it out with --library"};
  ExternalLimits limits;
  limits.host.run = std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit * 1000));
  limits.host.memory = options.memory_limit << 30;
  limits.host.oclgrind = !options.under.empty();
  if (limits.host.oclgrind && !is_on_path("oclgrind"))
    return Error{"--under oclgrind: no such program on PATH; install the package oclgrind"};
  auto library = ExternalLibrary::open(options.library, program_folder() / "attncert-kernel-host", limits);
  if (!library) return library;
  for (const attncert_kernel* kernel : (*library)->kernels())
    if (!is_known(kernel))
      fmt::print(
          stderr,
          "attncert: {}: its normalizer {} is unknown and the kernel is not judged; see attncert list --kernels\n",
          kernel->name, kernel->normalizer);
  if (known_kernels(**library).empty())
    return Error{options.library + ": no kernel of a known normalizer; see attncert list --kernels"};
  if (!options.budget.empty()) (*library)->hold_to(options.budget);
  if (const Result<Done> known = declarations_known(options, **library); !known) return known.error();
  return library;
}

std::vector<const attncert_kernel*> known_kernels(const ExternalLibrary& library) {
  std::vector<const attncert_kernel*> known;
  std::ranges::copy_if(library.kernels(), std::back_inserter(known), is_known);
  return known;
}

bool names_a_calling_test(std::string_view only_case) {
  return only_case.starts_with(external::conduct_prefix) || only_case.starts_with(external::case_prefix);
}

bool run_calling_tests(ExternalLibrary& library, const attncert_kernel& kernel, const std::string& only_case) {
  const bool all = only_case.empty(), conduct = only_case.starts_with(external::conduct_prefix);
  if (!all && !names_a_calling_test(only_case)) return false;
  if (all || conduct) library.run_conduct(kernel, only_case);
  if (!conduct) library.run_invalid_calls(kernel, only_case);
  return !all;
}

std::string violation_lines(const ExternalLibrary& library, const attncert_kernel* only) {
  std::string text;
  for (const ViolationRow& row : library.violations())
    if (only == nullptr || row.kernel == only->name)
      text += fmt::format("  {}: {} on {} calls; first: {}\n", row.kernel, name(row.violation), row.calls, row.first);
  return text;
}

void print_violations(std::uint64_t calls, const std::string& lines) {
  fmt::print("ABI checks over {} calls: {}\n{}", calls, lines.empty() ? "no violation" : "", lines);
}

}  // namespace attncert::cli
