// From what a run found to its ledger: merges the records of all tasks per claim, asks for the verdict, and only then
// looks at what was expected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "properties/accuracy/accuracy.hpp"
#include "properties/claims/claim.hpp"
#include "reports/ledger.hpp"
#include "src/core/record.hpp"

namespace attncert::cli {

struct Checked {
  bool accepted = false;
  std::string answer;  // "accepted" or "rejected: why"
};

// The smallest counterexample of each claim over all tasks, by claim id.
std::map<std::string, Counterexample> smallest_counterexamples(const std::vector<TaskRecord>& records);

// `checked`: the checker's answer for each claim that has a counterexample.
LedgerClaim ledger_claim(const Claim& claim, const std::vector<TaskRecord>& records,
                         const std::map<std::string, Counterexample>& counterexamples,
                         const std::map<std::string, Checked>& checked, std::uint64_t seed);

LedgerKernel ledger_kernel(const AccuracyRow& row);

}  // namespace attncert::cli
