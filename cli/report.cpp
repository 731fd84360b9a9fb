// attncert report: a ledger, in any format, again.
#include <fmt/core.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/places.hpp"
#include "cli/results.hpp"
#include "properties/conformance/accuracy/budget.hpp"
#include "reports/formats.hpp"
#include "reports/plot/style.hpp"
#include "reports/sections.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

// The page of claims links to the store of witnesses, so it has to know what is there; the page of kernels shows what
// the built-in ones promise.
Result<ReportContext> context_of(const ReportOptions& options) {
  ReportContext context;
  context.colour = options.out.empty() && output_is_terminal();
  if (!options.bench.empty()) {
    Result<Bench> bench = read_bench(options.bench);
    if (!bench) return bench.error();
    context.bench = *std::move(bench);
  }
  if (options.format == "kernels") context.budgets = built_in_budgets();
  if (options.format != "claims") return context;
  const Result<std::vector<Witness>> witnesses = stored_witnesses();
  if (!witnesses) return witnesses.error();
  for (const Witness& witness : *witnesses) context.stored.insert(witness.claim);
  return context;
}

// Of the names of claims and kernels, which are anybody's texts, what any file system takes.
std::string file_name(const std::string& name, std::set<std::string>& taken) {
  constexpr std::size_t longest = 100;
  std::string safe;
  for (const char c : name.substr(0, longest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    safe += plain ? c : '_';
  }
  std::string unique = safe;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = safe + "-" + std::to_string(n);
  return unique + ".svg";
}

int write_figures(const report::Document& document, const std::string& folder) {
  if (const Result<Done> made = make_results_folder(folder); !made) return fail(made.error());
  std::set<std::string> taken;
  for (const report::Picture* picture : report::pictures(document)) {
    const auto file = std::filesystem::path(folder) / file_name(picture->name, taken);
    if (const Result<Done> written = write_text(file, report::standalone(picture->svg)); !written)
      return fail(written.error());
  }
  fmt::print("{} figures: {}\n", taken.size(), printable(folder));
  return all_as_expected;
}

}  // namespace

int report(const ReportOptions& options) {
  if (options.schema) {
    std::fputs(ledger_schema().c_str(), stdout);
    return all_as_expected;
  }
  if (options.ledger.empty()) return fail(Error{"report: name a ledger, as out/1/ledger.json"});
  Result<Ledger> ledger = read_ledger(options.ledger);
  if (!ledger) return fail(ledger.error());
  if (!ledger->earlier_format.empty()) present_name_of("file", ledger->earlier_format);
  const Result<ReportContext> context = context_of(options);
  if (!context) return fail(context.error());
  if (!options.figures.empty()) return write_figures(report::document(*ledger, context->bench), options.figures);
  const std::string text = find_report_format(options.format)->render(*ledger, *context);
  if (options.out.empty()) {
    std::fputs(text.c_str(), stdout);
    return all_as_expected;
  }
  const Result<Done> written = write_text(options.out, text);
  return written ? all_as_expected : fail(written.error());
}

}  // namespace attncert::cli
