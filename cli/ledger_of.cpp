#include "cli/ledger_of.hpp"

#include <optional>
#include <utility>

#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/certify/verdict.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {

std::map<std::string, Counterexample> smallest_counterexamples(const std::vector<TaskRecord>& records) {
  std::map<std::string, Counterexample> smallest;
  for (const TaskRecord& record : records)
    for (const auto& [id, found] : record.counterexamples) {
      const auto known = smallest.find(id);
      if (known == smallest.end()) smallest.emplace(id, found);
      else if (found.witness.instance && known->second.witness.instance &&
               size_of(from_exact(*found.witness.instance)) < size_of(from_exact(*known->second.witness.instance)))
        known->second = found;
    }
  return smallest;
}

LedgerClaim ledger_claim(const Statement& statement, const std::vector<TaskRecord>& records,
                         const JudgedEvidence& evidence, const std::string& repeat) {
  const std::string id(statement.id);
  LedgerClaim row;
  row.id = id;
  row.source = statement.source;
  row.section = statement.section;
  row.statement = statement.text;
  if (!statement.measured)
    row.relation =
        std::string(statement.left) + " " + std::string(sign(statement.relation)) + " " + std::string(statement.right);
  row.group = group(statement);
  for (const Hypothesis& hypothesis : statement.hypotheses) row.hypotheses.emplace_back(hypothesis.text);
  row.proof = statement.proof;
  row.domain = statement.domain;
  row.has_real = statement.real != RealRows::none;
  row.replay = "attncert certify " + id + repeat;

  Tally total;
  for (const TaskRecord& record : records) {
    const auto found = record.tallies.find(id);
    if (found == record.tallies.end()) continue;
    for (const auto& [source, tally] : found->second) {
      total += tally;
      row.by_source[source] += tally.counts;
    }
  }
  row.counts = total.counts;
  row.tightest = total.tightest;
  row.max_bits = total.max_bits;

  std::optional<bool> refuted, proved;
  const auto found = evidence.counterexamples.find(id);
  if (found != evidence.counterexamples.end()) {
    const Checked& answer = evidence.refutations.at(id);
    refuted = answer.accepted;
    row.witness = found->second.witness;
    row.witness_file = "witnesses/" + id + ".json";
    row.witness_lhs = found->second.lhs;
    row.witness_rhs = found->second.rhs;
    row.checker = answer.answer;
  }
  const auto proof = evidence.proofs.find(id);
  if (proof != evidence.proofs.end()) {
    proved = proof->second.accepted;
    if (row.checker.empty()) row.checker = proof->second.answer;
  }
  const Verdict reached = verdict(statement, total.counts, refuted, proved);
  if (reached == Verdict::proved) {
    row.proved_domain = statement.cover.domain;
    row.certificate = "certificates/" + id + ".json";
  }
  row.reached = name(reached);
  return row;
}

void compare(LedgerClaim& row, Expected expected) {
  row.expected = name(expected);
  row.agrees = agrees(expected, verdict_of(row.reached));
}

LedgerFault ledger_fault(const KillSummary& line) {
  const Fault& fault = *line.fault;
  const std::string_view types = fault.kernel == nullptr ? "f32, f64" : format(fault.kernel->dtype_in).name;
  LedgerFault row{std::string(fault.name), std::string(fault.subject()), std::string(types), std::string(fault.text),
                  std::string(fault.imitates)};
  row.wrong = fault.wrong;
  if (const Kill* first = line.first(); first != nullptr) {
    row.caught_by = first->check;
    row.cases = first->cases;
  }
  return row;
}

}  // namespace attncert::cli
