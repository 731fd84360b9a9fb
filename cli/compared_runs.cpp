#include "cli/compared_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/console.hpp"
#include "cli/results.hpp"
#include "cli/run_folder.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;
using report::NamedLedger;

namespace {

Result<NamedLedger> read(const fs::path& file) {
  Result<Ledger> ledger = read_ledger(file);
  if (!ledger) return ledger.error();
  if (!ledger->earlier_format.empty()) present_name_of("file", ledger->earlier_format);
  return NamedLedger{printable(file.string()), *std::move(ledger)};
}

bool has_ledger(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / ledger_name, error);
}

Error without_ledger(const std::string& path) {
  return {printable(path) + ": has no " + ledger_name +
          "; give the folder of a run that is finished (shards: of their merge), or its ledger"};
}

}  // namespace

Result<NamedLedger> ledger_at(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return read(path);
  if (!has_ledger(path)) return without_ledger(path);
  return read(fs::path(path) / ledger_name);
}

Result<std::vector<NamedLedger>> ledgers_at(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> runs, skipped;
  if (fs::is_directory(path, error) && !has_ledger(path)) {
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (has_ledger(entry.path())) {
        runs.push_back(entry.path());
      } else if (std::error_code none; entry.is_directory(none)) {
        skipped.push_back(entry.path());
      }
    }
  }
  // A folder of runs may hold others; where it has no run at all that is said instead.
  std::sort(skipped.begin(), skipped.end());
  if (!runs.empty())
    for (const fs::path& folder : skipped)
      fmt::print(stderr, "{}: has no {}, and is left out\n", printable(folder.string()), ledger_name);
  std::sort(runs.begin(), runs.end());
  if (runs.empty()) runs.emplace_back(path);
  std::vector<NamedLedger> ledgers;
  for (const fs::path& run : runs) {
    Result<NamedLedger> ledger = ledger_at(run.string());
    if (!ledger) return ledger.error();
    ledgers.push_back(*std::move(ledger));
  }
  return ledgers;
}

report::ComparisonOptions allowances(const ComparedOptions& options) {
  return {options.any_plan, options.any_build, options.any_machine, {}};
}

int show(const report::Document& document, const ComparedOptions& options) {
  if (const Result<Done> made = make_results_folder(options.out); !made) return fail(made.error());
  fmt::print("{}", report::plain_text(report::Document(document.begin() + 1, document.end())));
  if (options.out.empty()) return all_as_expected;
  const fs::path folder = options.out;
  const std::string page = report::html(document), markdown = report::markdown(document);
  for (const auto& [name, text] : {std::pair("report.html", &page), std::pair("report.md", &markdown)})
    if (const Result<Done> written = write_text(folder / name, *text); !written) return fail(written.error());
  fmt::print("report: {}\n", printable((folder / "report.html").string()));
  return all_as_expected;
}

}  // namespace attncert::cli
