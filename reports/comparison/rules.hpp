// What counts as a regression, what as an improvement: said here and nowhere else (docs/reading-a-report.md has it for
// readers). Whatever else differs between two rows is a change.
#pragma once

#include <string>
#include <vector>

#include "reports/ledger.hpp"
#include "reports/wording.hpp"

namespace attncert::report {

struct Ruling {
  std::string outcome;  // regression, improvement or change
  std::string why;      // the rule; "" of a change
};

// Of a row that both ledgers have and whose fields differ, of one that is new, and of one that is gone. Row: of any
// list of the ledger.
template <class Row>
Ruling ruling(const Row& before, const Row& after);
template <class Row>
Ruling ruling_of_new(const Row& row);
template <class Row>
Ruling ruling_of_gone(const Row& row);

// Of the whole: whether a run that passed fails, whatever its rows say.
bool fails_now(const Ledger& before, const Ledger& after);

// By what a row of one ledger is found in another, as shown.
std::string name_of(const LedgerClaim& claim);
std::string name_of(const KernelResult& kernel);
std::string name_of(const LedgerFault& fault);
std::string name_of(const LedgerJudgement& judgement);
std::string name_of(const LedgerReal& real);

// Which of several rows of one name: findings of one hunt.
template <class Row>
std::string detail_of(const Row&) {
  return "";
}
inline std::string detail_of(const LedgerJudgement& judgement) { return judgement.why; }

// The command that repeats a row; "" where it has none.
template <class Row>
std::string replay_of(const Row& row) {
  return row.replay;
}
inline std::string replay_of(const LedgerFault&) { return "attncert faults"; }
inline std::string replay_of(const LedgerReal&) { return ""; }

extern const std::vector<Meaning> outcome_meanings;

}  // namespace attncert::report
