// The formats of a report, in one table: `attncert report --format` offers them, and a run writes those that have an
// ending.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "reports/bench.hpp"
#include "reports/ledger.hpp"

namespace attncert {

// What a format may need beside the ledger.
struct ReportContext {
  bool colour = false;           // of a terminal
  std::set<std::string> stored;  // the claims that have a folder in properties/claims/witnesses
  KernelBudgets budgets;         // of the built-in kernels
  std::optional<Bench> bench;    // speeds to be shown beside the ledger
};

struct ReportFormat {
  std::string_view name;    // as --format takes it
  std::string_view ending;  // of the file report<ending> in a run's folder; "": a run does not write it
  std::string_view text;    // for --help
  std::string (*render)(const Ledger& ledger, const ReportContext& context);
};

std::span<const ReportFormat> report_formats();
const ReportFormat* find_report_format(std::string_view name);  // null: no such format

}  // namespace attncert
