// A difference goes before an undecided row: whoever repairs the difference sees the undecided row next.
#include "reports/ledger.hpp"

namespace attncert {
namespace {

bool differs(const LedgerClaim& claim) {
  const bool refused = !claim.checker.empty() && claim.checker != "accepted";
  return refused || (!claim.agrees && claim.reached != "undecided");
}

// Written so that a fraction or an error that is NaN differs too.
bool differs(const KernelResult& kernel) {
  return kernel.outside + kernel.laws_broken > 0 || !(kernel.worst_fraction <= 1);
}
bool differs(const LedgerFault& fault) { return fault.wrong == fault.caught_by.empty(); }
bool differs(const LedgerReal& real) { return real.outside_budget > 0 || !(real.worst_ulp <= real.budget_ulp); }

}  // namespace

int exit_status(const Ledger& ledger) {
  bool undecided = false;
  for (const LedgerClaim& claim : ledger.claims) {
    if (differs(claim)) return 1;
    undecided = undecided || !claim.agrees;
  }
  for (const KernelResult& kernel : ledger.kernels) {
    if (differs(kernel)) return 1;
    undecided = undecided || kernel.undecided + kernel.laws_undecided > 0;
  }
  for (const LedgerFault& fault : ledger.faults)
    if (differs(fault)) return 1;
  if (ledger.real && differs(*ledger.real)) return 1;
  return undecided ? 3 : 0;
}

}  // namespace attncert
