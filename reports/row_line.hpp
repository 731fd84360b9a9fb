// A row of the ledger in one line: what the lists of what is not as expected say of it, in every format.
#pragma once

#include <string>

#include "reports/ledger.hpp"

namespace attncert::report {

struct RowLine {
  std::string name, says;  // says: how it stands, in lower case and without a full stop
  std::string replay;      // the command that repeats it; "" where there is none
};

// The ledger is the one that has the row: its plan stands in commands.
RowLine line_of(const LedgerClaim& row, const Ledger& ledger);
RowLine line_of(const KernelResult& row, const Ledger& ledger);
RowLine line_of(const LedgerFault& row, const Ledger& ledger);
RowLine line_of(const LedgerJudgement& row, const Ledger& ledger);
RowLine line_of(const LedgerReal& row, const Ledger& ledger);

}  // namespace attncert::report
