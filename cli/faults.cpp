// attncert faults: deliberately wrong kernels and who notices them, and right ones that must pass.
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/ledger_of.hpp"
#include "cli/results.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert::cli {
namespace {

void show(const KillSummary& line) {
  const Fault& fault = *line.fault;
  if (fault.wrong) fmt::print("{:<32} {:<24} {}\n", fault.name, fault.subject(), line.checks());
  else if (const Kill* alarm = line.first())
    fmt::print("FALSE ALARM {}: {}: {}\n", fault.name, alarm->check, alarm->witness);
}

}  // namespace

int faults(const FaultsOptions& options) {
  auto results = Results::open(options.out, options.json);
  if (!results) return fail(results.error());
  KillPlan plan;
  plan.seed = options.seed;
  plan.effort = *effort_named(options.effort);
  const std::vector<KillSummary> matrix = summaries(all_faults(), plan);
  fmt::print("{:<32} {:<24} caught by, after how many cases\n", "fault", "kernel of");
  for (const KillSummary& line : matrix) show(line);
  fmt::print("{}\n", totals(matrix));
  results->ledger.plan.seed = options.seed;
  results->ledger.plan.effort = options.effort;
  for (const KillSummary& line : matrix) results->ledger.faults.push_back(ledger_fault(line));
  const bool expected = std::ranges::all_of(matrix, [](const KillSummary& line) { return line.as_expected(); });
  return results->written(expected ? all_as_expected : differs);
}

}  // namespace attncert::cli
