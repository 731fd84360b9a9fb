#include "properties/claims/certify/certify.hpp"

#include <utility>

#include "properties/claims/certify/cover.hpp"
#include "properties/claims/certify/shrink.hpp"

namespace attncert {
namespace {

bool smaller(const Counterexample& one, const Counterexample& other) {
  return one.witness.instance && other.witness.instance &&
         size_of(from_exact(*one.witness.instance)) < size_of(from_exact(*other.witness.instance));
}

void merge(ClaimResult& result, const std::vector<TaskRecord>& records) {
  const std::string id(result.statement->id);
  for (const TaskRecord& record : records) {
    if (const auto found = record.tallies.find(id); found != record.tallies.end())
      for (const auto& [source, tally] : found->second) {
        result.tallies.total += tally;
        result.tallies.by_source[source] += tally;
      }
    std::optional<Counterexample>& smallest = result.evidence.counterexample;
    if (const auto found = record.counterexamples.find(id); found != record.counterexamples.end())
      if (!smallest || smaller(found->second, *smallest)) smallest = found->second;
  }
}

Result<Checked> prove(const Statement& statement, const std::string& commit, const Checker& checker) {
  CoverResult covered = cover(statement);
  if (!covered.certificate) return Checked{false, "no certificate: " + covered.why_not};
  covered.certificate->commit = commit;
  return checker(*std::move(covered.certificate));
}

std::optional<bool> accepted(const std::optional<Checked>& answer) {
  return answer ? std::optional(answer->accepted) : std::nullopt;
}

Result<ClaimResult> settle(const Statement& statement, const CertifyPlan& plan, const std::vector<TaskRecord>& records,
                           const Checker& checker) {
  ClaimResult result;
  result.statement = &statement;
  merge(result, records);
  ClaimEvidence& evidence = result.evidence;
  if (evidence.counterexample) {
    Witness& witness = evidence.counterexample->witness;
    if (witness.found.commit.empty()) witness.found.commit = plan.commit;
    Result<Checked> answer = checker(witness);
    if (!answer) return answer.error();
    evidence.refutation = *std::move(answer);
  }
  if (const Sided* const sided = statement.sided(); sided != nullptr && sided->cover) {
    Result<Checked> answer = prove(statement, plan.commit, checker);
    if (!answer) return answer.error();
    evidence.proof = *std::move(answer);
  }
  result.verdict =
      verdict(statement, result.tallies.total.counts, accepted(evidence.refutation), accepted(evidence.proof));
  return result;
}

}  // namespace

Result<Certified> certify(const CertifyPlan& plan, const Checker& checker, Running running) {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = running.stop != nullptr ? *running.stop : never;
  Certified certified;
  certified.records = run_tasks(plan, std::move(running.finished), running.on_task, stop);
  if (stop) return certified;
  for (const Statement* statement : plan.statements) {
    Result<ClaimResult> result = settle(*statement, plan, certified.records, checker);
    if (stop) {  // what the checker answered may be its own interruption
      certified.claims.clear();
      return certified;
    }
    if (!result) return result.error();
    certified.claims.push_back(*std::move(result));
  }
  return certified;
}

}  // namespace attncert
