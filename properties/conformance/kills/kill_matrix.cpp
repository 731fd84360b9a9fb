#include "properties/conformance/kills/kill_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/contract.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/subjects.hpp"

namespace attncert {
namespace {

enum RowCheck : std::size_t { accuracy, contract, writes };
constexpr std::array<std::string_view, 3> row_checks = {"accuracy", "contract", "writes"};

// Short rows first: most faults show on them.
std::vector<AccuracyCase> cases_by_cost(Effort effort, std::string_view only) {
  std::vector<AccuracyCase> cases = accuracy_cases(effort);
  if (!only.empty()) std::erase_if(cases, [&](const AccuracyCase& which) { return which.name != only; });
  constexpr std::size_t regime_cost = 100;  // the mean length of such a row
  const auto cost = [](const AccuracyCase& which) {
    return which.source == AccuracyCase::Source::regime ? regime_cost : which.length;
  };
  std::stable_sort(cases.begin(), cases.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  return cases;
}

struct Seen {
  RowCheck check;
  std::string what;  // "" = nothing wrong
};

std::string text(const char* format, double a, double b) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, format, a, b);
  return buffer;
}

std::string accuracy_violation(const Subject& subject, const attncert_kernel& kernel, const LogitRow& row,
                               const GuardedOutcome& outcome, std::size_t sample) {
  const Budget budget = budget_of(kernel);
  std::array<Judged, 1> judged{{{outcome.output, &budget}}};
  const auto truth = subject.truth(row);
  judge_row(subject, row, *truth, format(kernel.dtype_out), chosen_positions(row, *truth, judged, sample), judged);
  const Judgement& found = judged[0].judgement;
  if (found.outside == 0) return "";
  return "entry " + std::to_string(found.worst_position) +
         text(": %.9g, off by %.3g ulp", found.worst_value, found.worst_ulp) + ", exact " + worst_truth_text(found);
}

// What the three row checks say about one case.
std::vector<Seen> seen_on(const Subject& subject, const attncert_kernel& kernel, const AccuracyCase& which,
                          const KillPlan& plan, Effort effort) {
  LogitRow row = case_row(which, plan.seed, effort, kernel.dtype_in);
  add_parameters(row, which, plan.seed, kernel.dtype_in, subject);
  const GuardedOutcome outcome = guarded_call(kernel, row);
  std::vector<Seen> seen;
  const bool unwritten = outcome.status == ATTNCERT_OK && outcome.unwritten != 0;
  seen.push_back({writes, outcome.wrote_outside ? "wrote outside its row or scratch"
                          : unwritten           ? std::to_string(outcome.unwritten) + " entries left unwritten"
                                                : ""});
  if (kind(row) != RowKind::ordinary) {
    const Observed observed = observe(subject, row, format(kernel.dtype_out), outcome, budget_of(kernel));
    const Contract* declared = find_contract(kernel.contract);
    seen.push_back(
        {contract, declared == nullptr ? "declares an unknown contract" : contract_violation(*declared, observed)});
  } else if (outcome.status != ATTNCERT_OK) {
    seen.push_back({contract, "status " + std::to_string(outcome.status) + " for a valid call"});
  } else if (!unwritten) {
    seen.push_back({accuracy, accuracy_violation(subject, kernel, row, outcome, limits(effort).sample)});
  }
  return seen;
}

std::vector<Kill> row_kills(const Fault& fault, const Subject& subject, const KillPlan& plan) {
  std::vector<Kill> kills;
  for (const std::string_view name : row_checks) kills.push_back({fault.name, std::string(name), 0, false, ""});
  const Effort effort = fault.case_name.empty() ? plan.effort : std::max(plan.effort, Effort::normal);
  for (const AccuracyCase& which : cases_by_cost(effort, fault.case_name)) {
    for (Kill& kill : kills) kill.cases += !kill.caught;
    for (const Seen& seen : seen_on(subject, *fault.kernel, which, plan, effort)) {
      Kill& kill = kills[seen.check];
      if (kill.caught || seen.what.empty()) continue;
      kill.caught = true;
      kill.witness = which.name + ": " + seen.what;
    }
    // The other two are not hunted for once an entry was outside: that costs more than it tells.
    if (kills[accuracy].caught || (plan.first_only && (kills[contract].caught || kills[writes].caught))) break;
  }
  return kills;
}

Kill law_kill(const Fault& fault, const Subject& subject, const LawCheck& check, const KillPlan& plan) {
  const LawTally tally = check_law(check, subject, *fault.kernel, plan.seed, plan.tapes);
  return {fault.name, std::string(check.name), tally.tried, tally.violated != 0, tally.first};
}

bool any_caught(const std::vector<Kill>& kills) {
  return std::any_of(kills.begin(), kills.end(), [](const Kill& kill) { return kill.caught; });
}

void append(std::vector<Kill>& kills, std::vector<Kill> more) {
  for (Kill& kill : more) kills.push_back(std::move(kill));
}

}  // namespace

bool judgeable(const attncert_kernel& kernel) {
  return find_subject(kernel.normalizer) != nullptr && std::isfinite(budget_of(kernel).unit);
}

std::vector<Kill> kills_of(const Fault& fault, const KillPlan& plan) {
  const Subject& subject = *find_subject(fault.kernel->normalizer);
  std::vector<Kill> kills;
  const auto done = [&] { return plan.first_only && any_caught(kills); };
  for (const LawCheck& check : law_checks())
    if (check.name == fault.check) kills.push_back(law_kill(fault, subject, check, plan));
  if (!done()) append(kills, row_kills(fault, subject, plan));
  for (const LawCheck& check : law_checks()) {
    if (done()) break;
    if (check.name != fault.check && applies(check, subject)) kills.push_back(law_kill(fault, subject, check, plan));
  }
  return kills;
}

}  // namespace attncert
