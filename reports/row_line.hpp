// A row of the ledger in one line: what the lists of what is not as expected say of it, in every format.
#pragma once

#include <string>
#include <vector>

#include "reports/ledger.hpp"

namespace attncert::report {

struct RowLine {
  std::string name;
  std::vector<std::string> facts;  // how it stands, in lower case and without a full stop, the worst first
  std::string replay;              // the command that repeats it; "" where there is none
  std::string says() const;        // the facts in one line
};

// The ledger is the one that has the row: its plan stands in commands.
RowLine line_of(const LedgerClaim& row, const Ledger& ledger);
RowLine line_of(const KernelResult& row, const Ledger& ledger);
RowLine line_of(const LedgerFault& row, const Ledger& ledger);
RowLine line_of(const LedgerJudgement& row, const Ledger& ledger);
RowLine line_of(const LedgerReal& row, const Ledger& ledger);

}  // namespace attncert::report
