// From what a run found to the rows of its ledger.
#pragma once

#include <string>
#include <vector>

#include "properties/claims/certify/certify.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {

// `repeat`: the options of the command that repeats the row.
LedgerClaim ledger_claim(const ClaimResult& result, const std::string& repeat);

// Only now: what was expected, and whether the row agrees.
void compare(LedgerClaim& row, Expected expected);

LedgerFault ledger_fault(const KillSummary& line);

}  // namespace attncert::cli
