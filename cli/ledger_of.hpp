// From what a run found to its ledger: merges the records of all tasks per claim, asks for the verdict, and only then
// looks at what was expected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/evidence.hpp"
#include "properties/claims/catalogue/claim.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"
#include "reports/ledger.hpp"
#include "src/core/record.hpp"

namespace attncert::cli {

// The smallest counterexample of each claim over all tasks, by claim id.
std::map<std::string, Counterexample> smallest_counterexamples(const std::vector<TaskRecord>& records);

// `repeat`: the options of the command that repeats the row.
LedgerClaim ledger_claim(const Statement& statement, const std::vector<TaskRecord>& records,
                         const JudgedEvidence& evidence, const std::string& repeat);

// Only now: what was expected, and whether the row agrees.
void compare(LedgerClaim& row, Expected expected);

LedgerFault ledger_fault(const KillSummary& line);

}  // namespace attncert::cli
