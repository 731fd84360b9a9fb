// attncert history: the numbers of many runs of one plan.
#include <iterator>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compared_runs.hpp"
#include "cli/console.hpp"
#include "cli/results.hpp"
#include "reports/comparison/history.hpp"

namespace attncert::cli {

int history(const HistoryOptions& options) {
  std::vector<report::NamedLedger> ledgers;
  for (const std::string& path : options.paths) {
    Result<std::vector<report::NamedLedger>> more = ledgers_at(path);
    if (!more) return fail(more.error());
    std::move(more->begin(), more->end(), std::back_inserter(ledgers));
  }
  ledgers = report::in_order_of_time(std::move(ledgers));
  for (const report::NamedLedger& ledger : ledgers) {
    const auto allowed = report::comparable(ledgers.front(), ledger, allowances(options.compared));
    if (!allowed) return fail(allowed.error());
  }
  const LedgerOutput json(options.json);
  const int shown = show(report::history_document(ledgers), options.compared);
  if (shown == all_as_expected) json.print(report::history_json(ledgers));
  return shown;
}

}  // namespace attncert::cli
