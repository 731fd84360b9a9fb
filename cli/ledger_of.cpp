#include "cli/ledger_of.hpp"

#include "properties/claims/theorem.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {

namespace {

// What the claim's file says.
LedgerClaim as_stated(const Statement& statement) {
  LedgerClaim row;
  row.id = statement.id;
  row.source = statement.source;
  row.section = statement.section;
  row.statement = statement.text;
  row.relation = relation_text(statement);
  row.group = group(statement);
  row.proof = statement.proof;
  row.domain = tried(statement);
  if (const Sided* const sided = statement.sided()) {
    for (const Hypothesis& hypothesis : sided->hypotheses) row.hypotheses.emplace_back(hypothesis.text);
    row.has_real = sided->real != RealRows::none;
  }
  if (const Theorem* const theorem = find_theorem(statement.id))
    row.theorem = {theorem->domain, theorem->assumes, theorem->states};
  return row;
}

}  // namespace

LedgerClaim ledger_claim(const ClaimResult& result, const std::string& repeat) {
  LedgerClaim row = as_stated(*result.statement);
  row.replay = "attncert certify " + row.id + repeat + " --out out/" + row.id;  // beside what other claims leave
  row.counts = result.tallies.total.counts;
  row.tightest = result.tallies.total.tightest;
  row.max_bits = result.tallies.total.max_bits;
  for (const auto& [source, tally] : result.tallies.by_source) {
    row.by_source[source] = tally.counts;
    if (tally.tightest) row.nearest[source] = *tally.tightest;
  }
  const ClaimEvidence& evidence = result.evidence;
  row.parts = result.tallies.total.parts;
  if (!evidence.counterexamples.empty()) {
    std::size_t shown = 0;  // the first that the checker accepts, else the first
    while (shown + 1 < evidence.answers.size() && !evidence.answers[shown].accepted) ++shown;
    if (!evidence.answers[shown].accepted) shown = 0;
    const Counterexample& counterexample = evidence.counterexamples[shown];
    row.witness = counterexample.witness;
    row.witness_file = "witnesses/" + evidence_name(*result.statement, counterexample.part) + ".json";
    row.witness_lhs = counterexample.lhs;
    row.witness_rhs = counterexample.rhs;
    row.checker = evidence.answers[shown].answer;
    row.verified = evidence.answers[shown].verified;
  } else if (evidence.proof) {
    row.checker = evidence.proof->answer;
    row.verified = evidence.proof->verified;
  }
  if (result.verdict == Verdict::proved) {
    const Sided* const sided = result.statement->sided();
    row.proved_domain = sided != nullptr ? sided->proved->domain : "every n of the family";
    row.certificate = "certificates/" + row.id + ".json";
  }
  row.reached = name(result.verdict);
  return row;
}

void compare(LedgerClaim& row, Expected expected) {
  row.expected = name(expected);
  row.agrees = agrees(expected, verdict_of(row.reached));
}

LedgerFault ledger_fault(const KillSummary& line) {
  const Fault& fault = *line.fault;
  std::string_view types = fault.kernel == nullptr ? "f32, f64" : format(fault.kernel->dtype_in).name;
  if (fault.attention != nullptr) types = format(fault.attention->dtype).name;
  LedgerFault row{std::string(fault.name), std::string(fault.subject()), std::string(types), std::string(fault.text),
                  std::string(fault.imitates)};
  row.wrong = fault.wrong;
  if (const Kill* first = line.first(); first != nullptr) {
    row.caught_by = first->check;
    row.cases = first->cases;
  }
  for (const Kill& kill : line.kills)
    if (kill.caught && kill.rule_on.empty()) row.kills.push_back({kill.check, kill.cases});
  return row;
}

}  // namespace attncert::cli
