// attncert compare: what changed between two ledgers.
#include "cli/commands.hpp"
#include "cli/compared_runs.hpp"
#include "cli/console.hpp"
#include "cli/results.hpp"

namespace attncert::cli {

int compare(const CompareOptions& options) {
  const Result<report::NamedLedger> before = ledger_at(options.before);
  if (!before) return fail(before.error());
  const Result<report::NamedLedger> after = ledger_at(options.after);
  if (!after) return fail(after.error());
  report::ComparisonOptions allowed = allowances(options.compared);
  if (options.max_slowdown > 0) allowed.max_slowdown = options.max_slowdown;
  const Result<report::Comparison> comparison = report::compare(*before, *after, allowed);
  if (!comparison) return fail(comparison.error());
  const LedgerOutput json(options.json);
  const report::Document document = report::document(*comparison);
  const int shown = show(document, options.compared);
  if (shown != all_as_expected) return shown;
  json.print(report::to_json(*comparison));
  return comparison->regressions > 0 ? differs : all_as_expected;
}

}  // namespace attncert::cli
