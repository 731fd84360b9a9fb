// attncert report: a ledger, in any format, again.
#include <cstdio>
#include <set>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/places.hpp"
#include "properties/conformance/accuracy/budget.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {
namespace {

int put(const std::string& text, const std::string& file) {
  if (file.empty()) {
    std::fputs(text.c_str(), stdout);
    return all_as_expected;
  }
  const Result<Done> written = write_text(file, text);
  return written ? all_as_expected : fail(written.error());
}

// The page links to the store of witnesses, so it has to know what is there.
int claims(const Ledger& ledger, const std::string& file) {
  const Result<std::vector<Witness>> witnesses = stored_witnesses();
  if (!witnesses) return fail(witnesses.error());
  std::set<std::string> stored;
  for (const Witness& witness : *witnesses) stored.insert(witness.claim);
  return put(claims_page(ledger, stored), file);
}

}  // namespace

int report(const ReportOptions& options) {
  const Result<Ledger> ledger = read_ledger(options.ledger);
  if (!ledger) return fail(ledger.error());
  if (options.format == "kernels") return put(kernels_page(*ledger, built_in_budgets()), options.out);
  if (options.format == "claims") return claims(*ledger, options.out);
  const std::string text = options.format == "html" ? html(*ledger)
                           : options.format == "markdown"
                               ? markdown(*ledger)
                               : verdict_table(*ledger, options.out.empty() && output_is_terminal());
  return put(text, options.out);
}

}  // namespace attncert::cli
