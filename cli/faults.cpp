// attncert faults: deliberately wrong kernels and who notices them, and right ones that must pass.
#include <fmt/core.h>

#include "properties/conformance/bounds/faults.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/places.hpp"

namespace attncert::cli {
namespace {

// How many are not as expected.
std::size_t show(const std::vector<BoundKill>& kills) {
  std::size_t unexpected = 0;
  for (const BoundKill& kill : kills) {
    unexpected += !as_expected(kill);
    if (kill.kernel->wrong)
      fmt::print("{:<32} {:<24} {}\n", kill.kernel->name, kill.kernel->subject,
                 kill.caught ? "bounds after " + std::to_string(kill.rows) : "survives");
    else if (kill.caught) fmt::print("FALSE ALARM {}: {}\n", kill.kernel->name, kill.witness);
  }
  return unexpected;
}

}  // namespace

int faults(const FaultsOptions& options) {
  KillPlan plan;
  plan.seed = options.seed;
  plan.effort = accuracy_effort(options.effort);
  const std::vector<KillSummary> matrix = summaries(attncert::faults(), plan);
  const std::vector<Kill> alarms = false_alarms(unusual_kernels(), plan);
  fmt::print("{:<32} {:<24} caught by, after how many cases\n", "fault", "kernel of");
  std::size_t survivors = 0;
  for (const KillSummary& line : matrix) {
    fmt::print("{:<32} {:<24} {}\n", line.fault->name, line.fault->kernel->normalizer, line.checks());
    survivors += line.first() == nullptr;
  }
  for (const Kill& alarm : alarms) fmt::print("FALSE ALARM {}: {}: {}\n", alarm.fault, alarm.check, alarm.witness);
  const std::vector<BoundKill> bounds = bound_kills(options.seed);
  const std::size_t unexpected = show(bounds);
  fmt::print("{} faults, {} survive; {} right kernels of unusual form, {} false alarms\n", matrix.size(), survivors,
             unusual_kernels().size(), alarms.size());
  fmt::print("{} wrong bound kernels and {} right ones, {} not as expected\n", bound_faults().size(),
             right_bound_kernels().size(), unexpected);
  if (!options.out.empty()) {
    const Result<Done> written =
        write_text(options.out, markdown(matrix, alarms, unusual_kernels().size()) + markdown(bounds));
    if (!written) return fail(written.error());
  }
  return survivors + alarms.size() + unexpected == 0 ? all_as_expected : differs;
}

}  // namespace attncert::cli
