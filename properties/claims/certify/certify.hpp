// Certifying: a plan becomes tasks, what they find becomes evidence, and what the checker says of the evidence becomes
// a verdict for each statement. What was expected is no argument of any of it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/claims/certify/tasks.hpp"
#include "properties/claims/certify/verdict.hpp"
#include "src/core/certificate.hpp"
#include "src/core/result.hpp"

namespace attncert {

struct Checked {
  bool accepted = false;
  std::string answer;         // "accepted" or "rejected: why"
  std::string verified = {};  // what was accepted, in the checker's own sentence
};

// Judges evidence, which it may keep under a name of its own, independently of this library (the program asks
// attncert-check). Only what it accepts counts as refuted or proved; an Error of it ends the run.
using Checker = std::function<Result<Checked>(const Evidence&, const std::string& name)>;

struct ClaimTallies {
  Tally total;
  std::map<std::string, Tally> by_source;  // "witness", "random", "search", "real"
};

struct ClaimEvidence {
  std::vector<Counterexample> counterexamples;  // of each part that is violated, the smallest over all tasks
  std::vector<Checked> answers;                 // the checker's, to each of them
  std::optional<Checked> proof;                 // to a certificate, or to families that are to support
};

struct ClaimResult {
  const Statement* statement = nullptr;
  ClaimTallies tallies;
  ClaimEvidence evidence;
  Verdict verdict = Verdict::undecided;
};

struct Certified {
  std::vector<ClaimResult> claims;  // in the order of the plan; none of a run that was stopped
  std::vector<TaskRecord> records;
};

// What the records of all tasks come to. Ends without claims when `stop` becomes true.
Result<Certified> settled(const CertifyPlan& plan, std::vector<TaskRecord> records, const Checker& checker,
                          const std::atomic<bool>& stop);

// Runs the tasks first; `stop` ends the run between instances when it becomes true.
Result<Certified> certify(const CertifyPlan& plan, const Checker& checker, const std::atomic<bool>* stop = nullptr);

}  // namespace attncert
