// attncert report: a ledger, in any format, again.
#include <cstdio>

#include "reports/ledger.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/console.hpp"
#include "src/cli/places.hpp"

namespace attncert::cli {

int report(const ReportOptions& options) {
  const Result<Ledger> ledger = read_ledger(options.ledger);
  if (!ledger) return fail(ledger.error());
  const std::string text = options.format == "html" ? html(*ledger)
                           : options.format == "markdown"
                               ? markdown(*ledger)
                               : verdict_table(*ledger, options.out.empty() && output_is_terminal());
  if (options.out.empty()) {
    std::fputs(text.c_str(), stdout);
    return all_as_expected;
  }
  const Result<Done> written = write_text(options.out, text);
  return written ? all_as_expected : fail(written.error());
}

}  // namespace attncert::cli
