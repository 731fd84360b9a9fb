// attncert faults: deliberately wrong kernels and who notices them, and right ones that must pass.
#include <fmt/core.h>

#include <algorithm>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/kernel_tasks.hpp"
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

int conclude(const FaultsOptions& options, const Records& records, Results& results) {
  const Result<std::vector<KillSummary>> matrix = kill_summaries(records);
  if (!matrix) return fail(matrix.error());
  fmt::print("{:<32} {:<24} caught by, after how many cases\n", "fault", "kernel of");
  for (const KillSummary& line : *matrix) show(line);
  fmt::print("{}\n", totals(*matrix));
  if (const std::string rules = rules_table(*matrix); !rules.empty()) fmt::print("\n{}", rules);
  results.ledger.plan.seed = options.seed;
  results.ledger.plan.effort = options.effort;
  for (const KillSummary& line : *matrix) results.ledger.faults.push_back(ledger_fault(line));
  const bool expected = std::ranges::all_of(*matrix, [](const KillSummary& line) { return line.as_expected(); });
  return results.written(expected ? all_as_expected : differs);
}

}  // namespace

Result<Campaign> faults_campaign(const FaultsOptions& options) {
  KillPlan plan;
  plan.seed = options.seed;
  plan.effort = *effort_named(options.effort);
  Campaign campaign;
  campaign.plan = plan_facts("faults", {{"seed", std::to_string(options.seed)}, {"effort", options.effort}});
  campaign.stages = {fault_tasks(plan, options.run.jobs)};
  campaign.conclude = [options](const Campaign&, const Records& records, Results& results) {
    return conclude(options, records, results);
  };
  return campaign;
}

}  // namespace attncert::cli
