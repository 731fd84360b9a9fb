// attncert faults: deliberately wrong kernels and who notices them, and right ones that must pass.
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/places.hpp"
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
  KillPlan plan;
  plan.seed = options.seed;
  plan.effort = *effort_named(options.effort);
  const std::vector<KillSummary> matrix = summaries(all_faults(), plan);
  fmt::print("{:<32} {:<24} caught by, after how many cases\n", "fault", "kernel of");
  for (const KillSummary& line : matrix) show(line);
  fmt::print("{}\n", totals(matrix));
  if (!options.out.empty()) {
    const Result<Done> written = write_text(options.out, markdown(matrix));
    if (!written) return fail(written.error());
  }
  const bool expected = std::ranges::all_of(matrix, [](const KillSummary& line) { return line.as_expected(); });
  return expected ? all_as_expected : differs;
}

}  // namespace attncert::cli
