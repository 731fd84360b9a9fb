#include "properties/conformance/kills/kill_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/kills/attention_kills.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/subjects.hpp"

namespace attncert {
namespace {

// Short rows first: most faults show on them.
std::vector<AccuracyCase> cases_by_cost(const JudgedSubject& subject, Effort effort, std::string_view only) {
  std::vector<AccuracyCase> cases = subject.cases(effort);
  if (!only.empty()) std::erase_if(cases, [&](const AccuracyCase& which) { return which.name != only; });
  constexpr std::size_t drawn_cost = 100;  // the mean length of a row whose case says none
  const auto cost = [](const AccuracyCase& which) { return which.length == 0 ? drawn_cost : which.length; };
  std::stable_sort(cases.begin(), cases.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  return cases;
}

// As its subject calls it: a bound's kernel takes rows of both types.
std::vector<JudgedKernel> judged_kernels(const Fault& fault) {
  if (fault.kernel != nullptr) return {judged_kernel(*fault.kernel)};
  return {judged_kernel(std::string(fault.name), ATTNCERT_F64, fault.bound_kernel),
          judged_kernel(std::string(fault.name), ATTNCERT_F32, fault.bound_kernel)};
}

// The checks of rows, in the order in which they stand in a line.
class RowKills {
 public:
  RowKills(const Fault& fault, const JudgedSubject& subject) {
    for (const std::string_view check : {subject.check(), name(Promise::contract), name(Promise::writes)})
      kills_.push_back({fault.name, std::string(check), 0, false, ""});
  }

  void count_case() {
    for (Kill& kill : kills_) kill.cases += !kill.caught;
  }
  void add(const std::string& case_name, const RowResult& result) {
    const Judgement& judgement = result.judgement;
    kills_[0].elements += judgement.elements;
    kills_[0].undecided += judgement.undecided;
    if (judgement.outside + judgement.useless != 0) note(kills_[0], case_name, worst_text(judgement));
    for (const Breach& breach : result.breaches)
      note(kills_[breach.promise == Promise::contract ? 1 : 2], case_name, breach.what);
  }
  // The other two are not hunted for once an entry was outside: that costs more than it tells.
  bool done(bool first_only) const {
    return kills_[0].caught || (first_only && (kills_[1].caught || kills_[2].caught));
  }
  std::vector<Kill> take() && { return std::move(kills_); }

 private:
  static void note(Kill& kill, const std::string& case_name, const std::string& what) {
    if (kill.caught) return;
    kill.caught = true;
    kill.witness = case_name + ": " + what;
  }
  std::vector<Kill> kills_;
};

std::vector<Kill> row_kills(const Fault& fault, const KillPlan& plan) {
  const JudgedSubject& subject = *find_judged(judged_subjects(), fault.subject());
  const std::vector<JudgedKernel> kernels = judged_kernels(fault);
  const Effort effort = fault.case_name.empty() ? plan.effort : std::max(plan.effort, Effort::normal);
  RowKills kills(fault, subject);
  for (const AccuracyCase& which : cases_by_cost(subject, effort, fault.case_name)) {
    kills.count_case();
    for (const JudgedKernel& kernel : kernels) {
      const auto trial = subject.trial(which, {plan.seed, effort}, kernel, 1);
      trial->call(0, kernel);
      kills.add(which.name, trial->judge().front());
    }
    if (kills.done(plan.first_only)) break;
  }
  return std::move(kills).take();
}

Kill law_kill(const Fault& fault, const LawCheck& check, const KillPlan& plan) {
  const LawTally tally =
      check_law(check, *find_subject(fault.kernel->normalizer), *fault.kernel, plan.seed, plan.tapes);
  return {fault.name, std::string(check.name), tally.tried, tally.violated != 0, tally.first};
}

bool any_caught(const std::vector<Kill>& kills) {
  return std::any_of(kills.begin(), kills.end(), [](const Kill& kill) { return kill.caught; });
}

}  // namespace

bool judgeable(const Fault& fault) {
  if (fault.kernel == nullptr) return true;
  return find_subject(fault.kernel->normalizer) != nullptr && std::isfinite(budget_of(*fault.kernel).unit);
}

std::vector<Kill> kills_of(const Fault& fault, const KillPlan& plan) {
  if (fault.attention != nullptr) return attention_kills(fault, plan);
  // Of the others only normalizers have laws and calling-convention checks.
  if (fault.kernel == nullptr) return row_kills(fault, plan);
  const Subject& subject = *find_subject(fault.kernel->normalizer);
  std::vector<Kill> kills;
  const auto done = [&] { return plan.first_only && any_caught(kills); };
  for (const LawCheck& check : law_checks())
    if (check.name == fault.check) kills.push_back(law_kill(fault, check, plan));
  if (!done()) std::ranges::move(row_kills(fault, plan), std::back_inserter(kills));
  for (const LawCheck& check : law_checks()) {
    if (done()) break;
    if (check.name != fault.check && applies(check, subject)) kills.push_back(law_kill(fault, check, plan));
  }
  return kills;
}

}  // namespace attncert
