// A difference goes before an undecided row: whoever repairs the difference sees the undecided row next.
#include <algorithm>

#include "reports/ledger.hpp"

namespace attncert {
namespace {

constexpr int differs = 1, undecided = 3;

template <class Row>
int worst_of(std::span<const Row> rows, int status) {
  for (const Row& row : rows) {
    const int own = exit_status(row);
    if (own == differs || status == 0) status = own;
  }
  return status;
}

}  // namespace

int exit_status(const LedgerClaim& claim) {
  const bool refused = !claim.checker.empty() && claim.checker != "accepted";
  if (refused || (!claim.agrees && claim.reached != "undecided")) return differs;
  return claim.agrees ? 0 : undecided;
}

// Written so that a fraction or an error that is NaN differs too.
int exit_status(const KernelResult& kernel) {
  if (kernel.outside + kernel.laws_broken > 0 || !(kernel.worst_fraction <= 1)) return differs;
  return kernel.undecided + kernel.laws_undecided > 0 ? undecided : 0;
}
int exit_status(const LedgerFault& fault) { return fault.wrong == fault.caught_by.empty() ? differs : 0; }
int exit_status(const LedgerReal& real) {
  return real.outside_budget > 0 || !(real.worst_ulp <= real.budget_ulp) ? differs : 0;
}

// A kernel may decline a case.
int exit_status(const LedgerJudgement& judgement) {
  if (judgement.verdict == "holds" || judgement.verdict == "refused") return 0;
  return judgement.verdict == "undecided" ? undecided : differs;
}

int exit_status(const Ledger& ledger) {
  int status = 0;
  for_each_kind(ledger, [&](const char*, auto rows) { status = worst_of(rows, status); });
  const bool none_holds = std::none_of(ledger.judgements.begin(), ledger.judgements.end(),
                                       [](const LedgerJudgement& judgement) { return judgement.verdict == "holds"; });
  return status == 0 && !ledger.judgements.empty() && none_holds ? undecided : status;
}

}  // namespace attncert
