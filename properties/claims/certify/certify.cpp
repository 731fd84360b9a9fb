#include "properties/claims/certify/certify.hpp"

#include <algorithm>
#include <utility>

#include "properties/claims/certify/certificate.hpp"
#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/shrink.hpp"

namespace attncert {
namespace {

void merge(ClaimResult& result, const std::vector<TaskRecord>& records) {
  const std::string id(result.statement->id);
  for (const TaskRecord& record : records) {
    if (const auto found = record.tallies.find(id); found != record.tallies.end())
      for (const auto& [source, tally] : found->second) {
        result.tallies.total += tally;
        result.tallies.by_source[source] += tally;
      }
    if (const auto found = record.counterexamples.find(id); found != record.counterexamples.end())
      for (const Counterexample& counterexample : found->second)
        keep_smaller(result.evidence.counterexamples, counterexample);
  }
}

// What the claim says and what the search kept of it, or its families.
std::optional<Evidence> to_be_proved(const Statement& statement, const CertifyPlan& plan,
                                     const std::vector<TaskRecord>& records) {
  if (statement.families() != nullptr) {
    FamilyResult found = check_families(statement);
    if (found.refutes || !found.why_not.empty()) return std::nullopt;
    found.evidence.found.commit = plan.commit;
    return Evidence(std::move(found.evidence));
  }
  if (statement.sided() == nullptr || !statement.sided()->proved) return std::nullopt;
  TaskRecord all;
  for (const TaskRecord& record : records) {
    all.tapes.insert(record.tapes.begin(), record.tapes.end());
    all.tightest.insert(record.tightest.begin(), record.tightest.end());
  }
  Certificate certificate = certificate_of(statement, plan.search.seed, all);
  certificate.commit = plan.commit;
  return Evidence(std::move(certificate));
}

Result<ClaimResult> settle(const Statement& statement, const CertifyPlan& plan, const std::vector<TaskRecord>& records,
                           const Checker& checker) {
  ClaimResult result;
  result.statement = &statement;
  merge(result, records);
  ClaimEvidence& evidence = result.evidence;
  for (Counterexample& counterexample : evidence.counterexamples) {
    Witness& witness = counterexample.witness;
    if (witness.found.commit.empty()) witness.found.commit = plan.commit;
    Result<Checked> answer = checker(witness, evidence_name(statement, counterexample.part));
    if (!answer) return answer.error();
    evidence.answers.push_back(*std::move(answer));
  }
  if (std::optional<Evidence> proof = to_be_proved(statement, plan, records)) {
    Result<Checked> answer = checker(*proof, std::string(statement.id));
    if (!answer) return answer.error();
    evidence.proof = *std::move(answer);
  }
  const bool accepted = std::any_of(evidence.answers.begin(), evidence.answers.end(),
                                    [](const Checked& answer) { return answer.accepted; });
  result.verdict =
      verdict(statement, result.tallies.total.counts, evidence.answers.empty() ? std::nullopt : std::optional(accepted),
              evidence.proof ? std::optional(evidence.proof->accepted) : std::nullopt);
  return result;
}

}  // namespace

Result<Certified> settled(const CertifyPlan& plan, std::vector<TaskRecord> records, const Checker& checker,
                          const std::atomic<bool>& stop) {
  Certified certified;
  certified.records = std::move(records);
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

Result<Certified> certify(const CertifyPlan& plan, const Checker& checker, const std::atomic<bool>* stop) {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& ends = stop != nullptr ? *stop : never;
  return settled(plan, run_tasks(plan, ends), checker, ends);
}

}  // namespace attncert
