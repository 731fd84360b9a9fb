#include "properties/conformance/accuracy/accuracy.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/bulk_tier.hpp"
#include "properties/conformance/accuracy/contract.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/accuracy/share_out.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/hex_text.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// One kernel on one instruction set; `isa` is empty for kernels of one's own, which choose for themselves.
struct Lane {
  const Subject* subject;
  const attncert_kernel* kernel;
  std::string isa;
  Budget budget;
  const Contract* contract;
  AccuracyRow row;
  Judgement judgement{};
  ContractTally contracts{};
  bool caught() const { return row.outside + judgement.outside != 0; }
};

// Lanes that share rows and their truth: one normalizer, one pair of types.
struct Group {
  const Subject* subject;
  attncert_dtype dtype_in, dtype_out;
  std::vector<std::size_t> lanes;
};

template <class Item>
bool among(const std::vector<Item>& chosen, const auto& item) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), item) != chosen.end();
}

Lane lane(const Subject& subject, const attncert_kernel& kernel, std::string isa) {
  Lane made{&subject, &kernel, isa, budget_of(kernel), find_contract(kernel.contract), {}};
  made.row.normalizer = subject.name;
  made.row.kernel = kernel.name;
  made.row.isa = isa.empty() ? kernel.isa : isa;
  made.row.dtype = format(kernel.dtype_in).name;
  return made;
}

std::vector<Lane> lanes_of(const AccuracyPlan& plan) {
  std::vector<Lane> lanes;
  const bool own = !plan.kernels.empty();
  for (const Subject* subject : subjects()) {
    if (!among(plan.normalizers, subject->name)) continue;
    for (const attncert_kernel* kernel : own ? plan.kernels : built_in_kernels_of(*subject)) {
      if (kernel->normalizer != subject->name || !among(plan.dtypes, kernel->dtype_in)) continue;
      if (own) lanes.push_back(lane(*subject, *kernel, ""));
      else
        for (const std::string& isa : instruction_sets())
          if (among(plan.isas, isa)) lanes.push_back(lane(*subject, *kernel, isa));
    }
  }
  return lanes;
}

std::vector<Group> groups_of(const std::vector<Lane>& lanes) {
  std::vector<Group> groups;
  for (std::size_t n = 0; n < lanes.size(); ++n) {
    const attncert_kernel& kernel = *lanes[n].kernel;
    auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.subject == lanes[n].subject && group.dtype_in == kernel.dtype_in &&
             group.dtype_out == kernel.dtype_out;
    });
    if (at == groups.end()) at = groups.insert(groups.end(), {lanes[n].subject, kernel.dtype_in, kernel.dtype_out, {}});
    at->lanes.push_back(n);
  }
  return groups;
}

// One row of one group, with what every lane made of it and what is thought of that.
struct Task {
  const AccuracyCase* which;
  const Group* group;
  LogitRow row;
  std::vector<std::size_t> lanes;  // those of the group that still run
  std::vector<GuardedOutcome> outcomes;
  std::vector<Judgement> judgements;
  std::vector<Observed> observed;  // of a degenerate row
  std::vector<BulkOutcome> bulk;   // by lane
};

// Forcing an instruction set is process-wide, so all lanes of one run before the next; the built-in kernels on threads,
// kernels of one's own in order.
void run_kernels(std::vector<Task>& tasks, const std::vector<Lane>& lanes, const AccuracyPlan& plan) {
  std::vector<std::string> isas;
  for (const Lane& lane : lanes)
    if (std::find(isas.begin(), isas.end(), lane.isa) == isas.end()) isas.push_back(lane.isa);
  for (const std::string& isa : isas) {
    const auto forced = isa.empty() ? nullptr : std::make_unique<ForcedInstructionSet>(isa);
    std::vector<std::pair<std::size_t, std::size_t>> calls;  // task, lane of the task
    for (std::size_t n = 0; n < tasks.size(); ++n)
      for (std::size_t k = 0; k < tasks[n].lanes.size(); ++k)
        if (lanes[tasks[n].lanes[k]].isa == isa) calls.emplace_back(n, k);
    share_out(calls.size(), isa.empty() ? 1 : plan.jobs, [&](std::size_t call) {
      Task& task = tasks[calls[call].first];
      const std::size_t k = calls[call].second;
      if (plan.before_call) plan.before_call(task.which->name);
      task.outcomes[k] = guarded_call(*lanes[task.lanes[k]].kernel, task.row);
    });
  }
}

void judge_in_bulk(Task& task, const std::vector<Lane>& lanes) {
  const Subject& subject = *task.group->subject;
  task.bulk.resize(task.lanes.size());
  if (!BulkTier::serves(subject)) return;
  const BulkTier tier(subject, task.row, task.group->dtype_out);
  const bool with_position = task.which->source != AccuracyCase::Source::bulk;
  for (std::size_t k = 0; k < task.lanes.size() && tier.offered(); ++k)
    if (task.outcomes[k].status == ATTNCERT_OK)
      task.bulk[k] = tier.judge(task.outcomes[k].output, lanes[task.lanes[k]].budget, with_position);
}

// What Interval is asked about: what the bulk tier left open and, but for rows that are for the bulk tier alone (a million
// different exponentials cost Interval seconds), its worst entries and a sample, as a second opinion.
std::vector<std::size_t> interval_positions(const Task& task, RowTruth& truth, std::span<const Judged> judged,
                                            std::size_t sample) {
  std::vector<std::size_t> positions;
  bool decided = true;
  for (const BulkOutcome& bulk : task.bulk) {
    positions.insert(positions.end(), bulk.open.begin(), bulk.open.end());
    decided = decided && bulk.elements != 0;
  }
  if (!decided || task.which->source != AccuracyCase::Source::bulk) {
    for (const BulkOutcome& bulk : task.bulk)
      if (bulk.elements != 0) positions.push_back(bulk.worst_position);
    for (const std::size_t i : chosen_positions(task.row, truth, judged, sample)) positions.push_back(i);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

void judge(Task& task, const std::vector<Lane>& lanes, std::size_t sample) {
  const Subject& subject = *task.group->subject;
  const Format& out = format(task.group->dtype_out);
  task.judgements.resize(task.lanes.size());
  if (kind(task.row) != RowKind::ordinary) {
    for (std::size_t k = 0; k < task.lanes.size(); ++k)
      task.observed.push_back(observe(subject, task.row, out, task.outcomes[k], lanes[task.lanes[k]].budget));
    return;
  }
  std::vector<Judged> judged;
  for (std::size_t k = 0; k < task.lanes.size(); ++k) {
    if (task.outcomes[k].status == ATTNCERT_OK)
      judged.push_back({task.outcomes[k].output, &lanes[task.lanes[k]].budget});
  }
  judge_in_bulk(task, lanes);
  const bool settled = std::all_of(task.bulk.begin(), task.bulk.end(),
                                   [](const BulkOutcome& bulk) { return bulk.elements != 0 && bulk.open.empty(); });
  if (settled && task.which->source == AccuracyCase::Source::bulk) return;
  const auto truth = subject.truth(task.row);
  const auto positions = interval_positions(task, *truth, judged, sample);
  judge_row(subject, task.row, *truth, out, positions, judged);
  std::size_t next = 0;
  for (std::size_t k = 0; k < task.lanes.size(); ++k)
    if (task.outcomes[k].status == ATTNCERT_OK) task.judgements[k] = std::move(judged[next++].judgement);
}

void break_contract(AccuracyRow& row, const std::string& violation, const std::string& case_name) {
  ++row.contract_broken;
  ++row.outside;
  if (row.contract.empty()) row.contract = case_name + ": " + violation;  // the first one found
}

// In the order of tasks, so that threads change nothing.
void collect(const Task& task, std::size_t k, Lane& lane) {
  const std::string& name = task.which->name;
  const GuardedOutcome& outcome = task.outcomes[k];
  ++lane.row.cases;
  if (outcome.wrote_outside) break_contract(lane.row, "wrote outside its row or scratch", name);
  const bool ordinary = task.observed.empty();
  if (!ordinary) {
    ++lane.row.contract_rows;
    lane.contracts.add(task.observed[k]);
    const std::string violation = lane.contract == nullptr ? "declares an unknown contract"
                                                           : contract_violation(*lane.contract, task.observed[k]);
    if (!violation.empty()) break_contract(lane.row, violation, name);
    return;
  }
  if (outcome.status != ATTNCERT_OK)
    return break_contract(lane.row, "status " + std::to_string(outcome.status) + " for a valid call", name);
  if (outcome.unwritten != 0)
    break_contract(lane.row, std::to_string(outcome.unwritten) + " entries left unwritten", name);
  Judgement judgement = task.judgements[k];
  if (task.bulk[k].elements != 0) {
    lane.row.double_double_elements += task.bulk[k].elements;
    lane.row.double_double_open += task.bulk[k].open.size();
    judgement.elements = task.row.logits.size();  // each once, though some were judged twice
    lane.judgement.worst_ulp = std::max(lane.judgement.worst_ulp, task.bulk[k].worst_ulp);
    if (task.bulk[k].worst_fraction > lane.judgement.worst_fraction) {
      lane.judgement.worst_fraction = task.bulk[k].worst_fraction;
      lane.row.replay = name;
      lane.row.witness = name + ", in double-double";
    }
  }
  if (!merge(lane.judgement, judgement)) return;
  lane.row.replay = name;
  lane.row.witness = name + " entry " + std::to_string(judgement.worst_position) + ": computed " +
                     hex_text(judgement.worst_value) + ", exact " + worst_truth_text(judgement);
}

AccuracyRow finished(const Lane& lane, const AccuracyPlan& plan) {
  AccuracyRow row = lane.row;
  row.elements = lane.judgement.elements;
  row.undecided = lane.judgement.undecided;
  row.outside += lane.judgement.outside;
  row.worst_ulp = lane.judgement.worst_ulp;
  row.worst_fraction = lane.judgement.worst_fraction;
  row.budget_ulp = lane.judgement.budget_ulp;
  row.vacuity = lane.judgement.vacuity.percentile99();
  row.weak = lane.judgement.vacuity.weak();
  row.contract_seen = contract_seen(lane.contracts);
  const std::string count = std::to_string(row.contract_rows), declared = lane.kernel->contract;
  row.contract = row.contract_broken == 0
                     ? declared + ": kept on " + count + " degenerate rows"
                     : declared + ": broken on " + std::to_string(row.contract_broken) + " rows, " + row.contract;
  row.replay = "attncert accuracy --seed " + std::to_string(plan.seed) + " --effort " +
               std::string(effort_name(plan.effort)) + (row.replay.empty() ? "" : " --case " + row.replay);
  return row;
}

// So many doubles of output are held at once, 512 MiB: a dozen of the longest rows, so that threads end about together.
constexpr std::size_t chunk_elements = std::size_t{1} << 26;

class Campaign {
 public:
  explicit Campaign(const AccuracyPlan& plan) : plan_(plan), lanes_(lanes_of(plan)), groups_(groups_of(lanes_)) {}

  void add(const AccuracyCase& which) {
    const std::map<attncert_dtype, LogitRow> rows = rows_of(which);
    for (const Group& group : groups_) {
      if (!wanted(which, group)) continue;
      Task task{&which, &group, rows.at(group.dtype_in), {}, {}, {}, {}, {}};
      for (const std::size_t n : group.lanes)
        if (!plan_.stop_at_first || !lanes_[n].caught()) task.lanes.push_back(n);
      if (task.lanes.empty()) continue;
      task.outcomes.resize(task.lanes.size());
      held_ += task.row.logits.size() * (task.lanes.size() + 2);
      tasks_.push_back(std::move(task));
      if (held_ >= chunk_elements) flush();
    }
    if (plan_.stop_at_first) flush();
  }

  void flush() {
    share_out(tasks_.size(), plan_.jobs, [&](std::size_t n) {
      Task& task = tasks_[n];
      add_parameters(task.row, *task.which, plan_.seed, task.group->dtype_in, *task.group->subject);
    });
    run_kernels(tasks_, lanes_, plan_);
    share_out(tasks_.size(), plan_.jobs, [&](std::size_t n) { judge(tasks_[n], lanes_, limits(plan_.effort).sample); });
    for (const Task& task : tasks_)
      for (std::size_t k = 0; k < task.lanes.size(); ++k) collect(task, k, lanes_[task.lanes[k]]);
    tasks_.clear();
    held_ = 0;
  }

  std::vector<AccuracyRow> rows() const {
    std::vector<AccuracyRow> rows;
    for (const Lane& lane : lanes_) rows.push_back(finished(lane, plan_));
    return rows;
  }

 private:
  // The rows that the bulk tier judges alone, where it serves. The longest go through every temperature for f32 and f64 only,
  // whose arithmetic the half types and the derivatives share.
  static bool wanted(const AccuracyCase& which, const Group& group) {
    if (which.source != AccuracyCase::Source::bulk) return true;
    const bool own = format(group.dtype_in).bytes > 2 && !group.subject->derivative;
    return BulkTier::serves(*group.subject) && (own || runs_at_every_length(which));
  }

  // The logits by type: a million random ones take longer than a kernel does.
  std::map<attncert_dtype, LogitRow> rows_of(const AccuracyCase& which) const {
    std::map<attncert_dtype, LogitRow> rows;
    for (const Group& group : groups_)
      if (wanted(which, group)) rows[group.dtype_in];
    std::vector<std::pair<const attncert_dtype, LogitRow>*> order;
    for (auto& entry : rows) order.push_back(&entry);
    share_out(order.size(), plan_.jobs,
              [&](std::size_t n) { order[n]->second = case_row(which, plan_.seed, plan_.effort, order[n]->first); });
    return rows;
  }

  const AccuracyPlan& plan_;
  std::vector<Lane> lanes_;
  std::vector<Group> groups_;
  std::vector<Task> tasks_;
  std::size_t held_ = 0;
};

}  // namespace

std::vector<AccuracyRow> run_accuracy(const AccuracyPlan& plan, const AccuracyProgress& progress) {
  Campaign campaign(plan);
  const std::vector<AccuracyCase> cases =
      plan.only_case.empty() ? accuracy_cases(plan.effort) : accuracy_case(plan.effort, plan.only_case);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    if (progress) progress(cases[n].name, n, cases.size());
    campaign.add(cases[n]);
  }
  campaign.flush();
  return campaign.rows();
}

}  // namespace attncert
