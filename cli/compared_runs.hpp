// What compare and history share: ledgers by where they, or their runs, lie, and the pages that are written of them.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "reports/comparison/comparison.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

// path: a ledger, or a folder of a run. An old name in the ledger's format is said on standard error.
Result<report::NamedLedger> ledger_at(const std::string& path);

// The same, or of a folder that holds runs all of theirs, in the order of their names.
Result<std::vector<report::NamedLedger>> ledgers_at(const std::string& path);

report::ComparisonOptions allowances(const ComparedOptions& options);

// Prints the document without its title, and writes it to the folder where one is named: all_as_expected, or bad_usage.
int show(const report::Document& document, const ComparedOptions& options);

}  // namespace attncert::cli
