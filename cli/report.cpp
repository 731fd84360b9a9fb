// attncert report: a ledger, in any format, again.
#include <cstdio>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/places.hpp"
#include "properties/conformance/accuracy/budget.hpp"
#include "reports/formats.hpp"

namespace attncert::cli {
namespace {

// The page of claims links to the store of witnesses, so it has to know what is there; the page of kernels shows what
// the built-in ones promise.
Result<ReportContext> context_of(const ReportOptions& options) {
  ReportContext context;
  context.colour = options.out.empty() && output_is_terminal();
  if (options.format == "kernels") context.budgets = built_in_budgets();
  if (options.format != "claims") return context;
  const Result<std::vector<Witness>> witnesses = stored_witnesses();
  if (!witnesses) return witnesses.error();
  for (const Witness& witness : *witnesses) context.stored.insert(witness.claim);
  return context;
}

}  // namespace

int report(const ReportOptions& options) {
  if (options.schema) {
    std::fputs(ledger_schema().c_str(), stdout);
    return all_as_expected;
  }
  if (options.ledger.empty()) return fail(Error{"report: name a ledger, as out/1/ledger.json"});
  const Result<Ledger> ledger = read_ledger(options.ledger);
  if (!ledger) return fail(ledger.error());
  if (!ledger->earlier_format.empty()) present_name_of("file", ledger->earlier_format);
  const Result<ReportContext> context = context_of(options);
  if (!context) return fail(context.error());
  const std::string text = find_report_format(options.format)->render(*ledger, *context);
  if (options.out.empty()) {
    std::fputs(text.c_str(), stdout);
    return all_as_expected;
  }
  const Result<Done> written = write_text(options.out, text);
  return written ? all_as_expected : fail(written.error());
}

}  // namespace attncert::cli
