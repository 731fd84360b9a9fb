#include "properties/claims/certify/tasks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/real.hpp"
#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/certify/statistics.hpp"
#include "reference/share_out.hpp"

namespace attncert {
namespace {

// Stored counterexamples first. One that still refutes a part is kept when it is the smaller one.
void replay_stored(const Statement& statement, const std::vector<Witness>& stored, TaskRecord& record_of_task) {
  const std::string id(statement.id);
  for (const Witness& witness : stored) {
    if (witness.claim != statement.id || !witness.instance) continue;
    const Instance instance = from_exact(*witness.instance);
    const Ruling ruling = judge(statement, instance);
    record(record_of_task.tallies[id]["witness"], statement, ruling, witness.found.replay);
    for (std::size_t p = 0; p < ruling.parts.size(); ++p) {
      if (ruling.parts[p].decision != Decision::violated) continue;
      Counterexample kept = counterexample(statement, p, instance, witness.shrunk_from);
      kept.witness.found = witness.found;
      keep_smaller(record_of_task.counterexamples[id], std::move(kept));
    }
  }
}

// Written as a witness is, so that `attncert replay` shows it; its relation makes it one that no checker accepts.
Witness tightest_witness(const Statement& statement, const Instance& instance, std::uint64_t seed) {
  Witness witness;
  witness.claim = statement.id;
  witness.relation = "tightest";
  witness.instance = instance.exact();
  witness.found = {seed, "maximiser or long row", ""};
  return witness;
}

TaskRecord search_task(const Statement& statement, const CertifyPlan& plan, const std::atomic<bool>& stop) {
  TaskRecord result;
  const std::string id(statement.id);
  SearchResult found = search(statement, plan.search, stop);
  if (found.known.counts.tried > 0) result.tallies[id]["known"] = std::move(found.known);
  result.tallies[id]["random"] = std::move(found.random);
  result.tallies[id]["search"] = std::move(found.climbed);
  if (found.long_rows.counts.tried > 0) result.tallies[id]["long"] = std::move(found.long_rows);
  if (!found.counterexamples.empty()) result.counterexamples[id] = std::move(found.counterexamples);
  for (const auto& [file, instance] : found.tightest)
    result.tightest[file] = tightest_witness(statement, instance, plan.search.seed);
  if (std::get<Sided>(statement.kind).proved)
    for (const std::vector<Tape>& tapes : found.tapes)
      for (const Tape& tape : tapes) result.tapes[id].push_back(hex(tape));
  replay_stored(statement, plan.stored, result);
  return result;
}

TaskRecord family_task(const Statement& statement) {
  TaskRecord result;
  const std::string id(statement.id);
  FamilyResult found = check_families(statement);
  result.tallies[id]["search"] = std::move(found.tally);
  if (found.refutes && found.why_not.empty())
    result.counterexamples[id] = {
        {std::move(found.evidence), found.lhs, std::string(std::get<Families>(statement.kind).right)}};
  return result;
}

// A few limits on a scale of 1/100 take this many draws, whatever the effort.
constexpr std::size_t fewest_draws = 12'000;

TaskRecord statistics_task(const Statement& statement, const SearchPlan& plan, const std::atomic<bool>& stop) {
  TaskRecord result;
  const Sampling sampling{plan.seed, std::max(fewest_draws, 4 * plan.random_cases)};
  result.tallies[std::string(statement.id)]["random"] = check_laws(statement, sampling, stop);
  return result;
}

TaskRecord real_task(RealResult found) {
  TaskRecord result;
  for (auto& [id, tally] : found.tallies) result.tallies[id]["real"] = std::move(tally);
  result.counterexamples = std::move(found.counterexamples);
  result.largest_rounding = found.largest_rounding;
  result.ties = found.ties;
  return result;
}

// What settles a statement by itself, by its kind.
struct OwnTask {
  const Statement& statement;
  const CertifyPlan& plan;

  std::optional<ClaimTask> operator()(const Sided&) const {
    return ClaimTask{name("search"), [task = *this](const std::atomic<bool>& stop) {
                       return search_task(task.statement, task.plan, stop);
                     }};
  }
  std::optional<ClaimTask> operator()(const Families&) const {
    return ClaimTask{name("family"), [task = *this](const std::atomic<bool>&) { return family_task(task.statement); }};
  }
  std::optional<ClaimTask> operator()(const RandomLaws&) const {
    return ClaimTask{name("statistics"), [task = *this](const std::atomic<bool>& stop) {
                       return statistics_task(task.statement, task.plan.search, stop);
                     }};
  }
  std::optional<ClaimTask> operator()(const Measured&) const { return std::nullopt; }

  std::string name(const char* how) const { return std::string(how) + ":" + std::string(statement.id); }
};

bool any_real(const CertifyPlan& plan, RealRows kind) {
  return std::any_of(plan.statements.begin(), plan.statements.end(),
                     [&](const Statement* statement) { return speaks_of(*statement, kind); });
}

}  // namespace

std::vector<ClaimTask> tasks_of(const CertifyPlan& plan) {
  std::vector<ClaimTask> all;
  for (std::size_t set = 0; plan.attention != nullptr && set < plan.attention->tokens.size(); ++set) {
    const std::string name = "real:" + std::to_string(set);
    const auto add = [&](const char* kind, auto body) {
      all.push_back({name + ":" + kind, [body](const std::atomic<bool>& stop) { return real_task(body(stop)); }});
    };
    if (any_real(plan, RealRows::selections))
      for (const TokenScale scale : {TokenScale::unit, TokenScale::raw})
        add(attncert::name(scale), [&plan, set, scale](const std::atomic<bool>& stop) {
          return judge_selections(plan.statements, *plan.attention, set, scale, stop);
        });
    if (any_real(plan, RealRows::logits))
      add("logits", [&plan, set](const std::atomic<bool>& stop) {
        return judge_logits(plan.statements, *plan.attention, set, stop);
      });
  }
  for (const Statement* statement : plan.statements)
    if (std::optional<ClaimTask> task = std::visit(OwnTask{*statement, plan}, statement->kind))
      all.push_back(*std::move(task));
  return all;
}

std::vector<TaskRecord> run_tasks(const CertifyPlan& plan, const std::atomic<bool>& stop) {
  const std::vector<ClaimTask> tasks = tasks_of(plan);
  std::vector<std::optional<TaskRecord>> slots(tasks.size());
  share_out(tasks.size(), plan.jobs, [&](std::size_t n) {
    if (stop) return;
    TaskRecord record = tasks[n].run(stop);
    if (!stop) slots[n] = std::move(record);
  });
  std::vector<TaskRecord> records;
  for (std::optional<TaskRecord>& slot : slots)
    if (slot) records.push_back(std::move(*slot));
  return records;
}

}  // namespace attncert
