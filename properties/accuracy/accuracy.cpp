#include "properties/accuracy/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/contract.hpp"
#include "properties/accuracy/guarded_call.hpp"
#include "properties/accuracy/judge.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// One kernel on one instruction set; `forced` is empty for kernels of one's own, which choose for themselves.
struct Lane {
  const Subject* subject;
  const attncert_kernel* kernel;
  std::string forced;
  AccuracyRow row;
};

std::string_view dtype_name(attncert_dtype dtype) { return dtype == ATTNCERT_F32 ? "f32" : "f64"; }

template <class Item>
bool among(const std::vector<Item>& chosen, const auto& item) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), item) != chosen.end();
}

Lane lane(const Subject& subject, const attncert_kernel& kernel, std::string isa) {
  Lane made{&subject, &kernel, isa, {}};
  made.row.normalizer = subject.normalizer;
  made.row.kernel = kernel.name;
  made.row.isa = isa.empty() ? kernel.isa : isa;
  made.row.dtype = dtype_name(kernel.dtype_in);
  made.row.laws = law_names(subject);
  return made;
}

std::vector<Lane> lanes_of(const AccuracyPlan& plan) {
  std::vector<Lane> lanes;
  for (const Subject& subject : subjects()) {
    if (!among(plan.normalizers, subject.normalizer)) continue;
    const bool own = !plan.kernels.empty();
    for (const attncert_kernel* kernel : own ? plan.kernels : built_in_kernels_of(subject)) {
      if (kernel->normalizer != subject.normalizer || kernel->dtype_in != kernel->dtype_out) continue;
      if (!among(plan.dtypes, kernel->dtype_in)) continue;
      if (own) lanes.push_back(lane(subject, *kernel, ""));
      else
        for (const std::string& isa : instruction_sets())
          if (among(plan.isas, isa)) lanes.push_back(lane(subject, *kernel, isa));
    }
  }
  return lanes;
}

std::string hexadecimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

void add(AccuracyRow& row, const Judgement& judgement, double budget, const std::string& case_name) {
  row.elements += judgement.elements;
  row.outside += judgement.outside;
  row.undecided += judgement.undecided;
  row.worst_ulp = std::max(row.worst_ulp, judgement.worst_ulp);
  const double fraction = judgement.worst_ulp / budget;
  if (row.budget_ulp != 0 && fraction <= row.worst_fraction) return;
  row.worst_fraction = fraction;
  row.budget_ulp = budget;
  row.replay = case_name;
  row.witness = case_name + " entry " + std::to_string(judgement.worst_position) + ": computed " +
                hexadecimal(judgement.worst_value) + ", exact " + judgement.worst_truth;
}

void add_contract(AccuracyRow& row, const std::string& violation, const std::string& case_name) {
  ++row.contract_rows;
  if (violation.empty()) return;
  ++row.contract_broken;
  ++row.outside;
  if (row.contract.empty()) row.contract = case_name + ": " + violation;  // the first one found
}

// The truth about an ordinary row, and what plain double arithmetic makes of it, per normalizer: shared by all lanes.
struct Truths {
  RowReference reference;
  std::map<const Subject*, std::vector<double>> screens;
  std::span<const double> screen(const Subject& subject) {
    const auto [at, fresh] = screens.try_emplace(&subject);
    if (fresh) at->second = attncert::screens(subject, reference);
    return at->second;
  }
};

template <class T>
void run_lane(Lane& lane, const AccuracyCase& which, const CaseRow<T>& input, Truths* truths, std::size_t sample) {
  GuardedOutcome<T> outcome;
  {
    const auto forced = lane.forced.empty() ? nullptr : std::make_unique<ForcedInstructionSet>(lane.forced);
    outcome = guarded_call<T>(*lane.kernel, input.logits, 1, input.row.temperature, input.row.mask);
  }
  const double budget = budget_ulp(*lane.kernel, input.row.temperature);
  const std::span<const T> computed(outcome.output);
  if (outcome.wrote_outside) add_contract(lane.row, "wrote outside its row", which.name);
  if (truths == nullptr || outcome.status != ATTNCERT_OK) {
    add_contract(lane.row, contract_violation<T>(*lane.subject, input.row, outcome.status, computed, budget), which.name);
    return;
  }
  RowReference& reference = truths->reference;
  const auto positions = chosen_positions(truths->screen(*lane.subject), reference, computed, sample);
  add(lane.row, judge_row(*lane.subject, reference, computed, budget, positions), budget, which.name);
}

template <class T>
void run_case(std::vector<Lane>& lanes, attncert_dtype dtype, const AccuracyCase& which, const AccuracyPlan& plan) {
  const bool wanted = std::any_of(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.kernel->dtype_in == dtype; });
  if (!wanted) return;
  const CaseRow<T> input = case_row<T>(which, plan.seed, plan.effort);
  std::optional<Truths> truths;
  if (kind(input.row) == RowKind::ordinary) truths.emplace(Truths{RowReference(input.row), {}});
  for (Lane& lane : lanes)
    if (lane.kernel->dtype_in == dtype) run_lane(lane, which, input, truths ? &*truths : nullptr, limits(plan.effort).sample);
}

std::string_view effort_name(Effort effort) {
  return effort == Effort::quick ? "quick" : effort == Effort::normal ? "normal" : "full";
}

AccuracyRow finished(AccuracyRow row, const AccuracyPlan& plan) {
  const std::string count = std::to_string(row.contract_rows);
  row.contract = row.contract_broken == 0
                     ? "default: kept on " + count + " degenerate rows"
                     : "default: broken on " + std::to_string(row.contract_broken) + " of " + count + ", " + row.contract;
  row.replay = "attncert accuracy --seed " + std::to_string(plan.seed) + " --effort " +
               std::string(effort_name(plan.effort)) + (row.replay.empty() ? "" : " --case " + row.replay);
  return row;
}

}  // namespace

std::vector<AccuracyRow> run_accuracy(const AccuracyPlan& plan, const AccuracyProgress& progress) {
  std::vector<Lane> lanes = lanes_of(plan);
  const std::vector<AccuracyCase> cases = accuracy_cases(plan.effort);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    if (!plan.only_case.empty() && cases[n].name != plan.only_case) continue;
    if (progress) progress(cases[n].name, n, cases.size());
    run_case<float>(lanes, ATTNCERT_F32, cases[n], plan);
    run_case<double>(lanes, ATTNCERT_F64, cases[n], plan);
  }
  std::vector<AccuracyRow> rows;
  for (Lane& lane : lanes) rows.push_back(finished(std::move(lane.row), plan));
  return rows;
}

}  // namespace attncert
