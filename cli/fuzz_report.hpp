// What a hunt came to: in one line, as rows of a ledger, as an exit status.
#pragma once

#include <string>
#include <vector>

#include "cli/fuzz_watch.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {

// outcome: of a hunt that stored no finding.
void print_hunt(const Hunt& hunt, const WatchedHunt& watched, const std::string& outcome);
// What was found, or that nothing was.
std::vector<LedgerJudgement> hunt_rows(const Hunt& hunt, const WatchedHunt& watched, const std::string& outcome);
// The status by what was found. A violation of a claim that is expected to be refuted is as expected; every other
// finding is not.
int hunt_status(const Hunt& hunt, const WatchedHunt& watched);

}  // namespace attncert::cli
