#include "cli/kernel_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cli/console.hpp"
#include "cli/kernel_record.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "reports/records.hpp"
#include "src/core/threads.hpp"
#include "src/device/device.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// What a task takes is told by its name: until a fault is caught, or all that catches it; a quick campaign has other
// proportions than the longer ones.
const std::string first_kill = "kill:", all_kills = "kills:";
constexpr std::string_view quick_kernels = "kernels:quick", kernels = "kernels";

struct KernelRecords {
  std::vector<KernelRecord> rows;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("rows", self.rows);
  }
};

struct KillRecords {
  std::vector<Kill> kills;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("kills", self.kills);
  }
};

std::string judged_again(AccuracyPlan plan, const std::atomic<bool>& stop) {
  plan.stop = &stop;
  KernelRecords records;
  for (AccuracyRow& row : judged_rows(plan)) records.rows.emplace_back(std::move(row));
  return stop ? std::string() : record_text(records);
}

std::string task_of(const AccuracyRow& row, Effort effort) {
  return fmt::format("{}:{}:{}", effort == Effort::quick ? quick_kernels : kernels, row.normalizer, row.dtype);
}

// The planned rows and what of them one task has, by (kernel, instruction set).
class PlannedRows {
 public:
  explicit PlannedRows(const AccuracyPlan& plan) {
    for (const AccuracyRow& row : planned_rows(judged_subjects(), plan)) {
      const std::size_t kernel = kernels_.try_emplace(row.kernel, kernels_.size()).first->second;
      places_.emplace(std::pair(row.kernel, row.isa), std::pair(kernel, places_.size()));
      ++of_task_[task_of(row, plan.effort)][row.kernel];
    }
  }

  // Each kernel of the task, on each of its instruction sets once.
  bool are(const std::string& task, const std::vector<KernelRecord>& rows, bool any_machine) const {
    std::set<std::pair<std::string, std::string>> seen;
    std::map<std::string, std::size_t> count;
    for (const KernelRecord& record : rows) {
      const std::pair variant(record.row.kernel, record.row.isa);
      if (!seen.insert(variant).second || (!any_machine && !places_.contains(variant))) return false;
      ++count[record.row.kernel];
    }
    const auto& planned = of_task_.at(task);
    return std::ranges::equal(count, planned, [&](const auto& one, const auto& other) {
      return one.first == other.first && (any_machine || one.second == other.second);
    });
  }

  // In the order of the plan; instruction sets that it does not have come behind those that it has.
  std::pair<std::size_t, std::size_t> place(const AccuracyRow& row) const {
    const auto found = places_.find(std::pair(row.kernel, row.isa));
    return found != places_.end() ? found->second : std::pair(kernels_.at(row.kernel), places_.size());
  }

 private:
  std::map<std::string, std::size_t> kernels_;
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> places_;
  std::map<std::string, std::map<std::string, std::size_t>> of_task_;
};

}  // namespace

std::vector<AccuracyRow> judged_rows(const AccuracyPlan& plan) {
  ProgressLine line("rows");
  const auto show = [&](std::string_view name, std::size_t done, std::size_t of) { line.show(done, of, name); };
  std::vector<AccuracyRow> rows = run_accuracy(judged_subjects(), plan, show);
  judge_laws(plan, rows, show);
  for (AccuracyRow& row : rows)
    if (row.device_elements + row.device_contradicted != 0) row.judge = device::device_line();  // the process has one
  return rows;
}

KernelCosts::KernelCosts(Effort effort) : effort_(effort), measured_(measured_costs()) {
  std::vector<double> ratios;
  const std::string quick = std::string(quick_kernels) + ":";
  for (const auto& [task, seconds] : measured_)
    if (const auto slow = measured_.find(std::string(kernels) + ":" + task.substr(std::min(quick.size(), task.size())));
        task.starts_with(quick) && slow != measured_.end() && seconds > 0)
      ratios.push_back(slow->second / seconds);
  longer_ = median(std::move(ratios), 0);
}

double KernelCosts::of(const AccuracyRow& row) const {
  if (const auto found = measured_.find(task_of(row, effort_)); found != measured_.end()) return found->second;
  const auto quick = measured_.find(task_of(row, Effort::quick));
  return quick != measured_.end() ? quick->second * longer_ : 0;
}

Stage kernel_tasks(const AccuracyPlan& plan) {
  Stage stage;
  const KernelCosts costs(plan.effort);
  std::set<std::string> names;
  const auto drawn_once = std::make_shared<SharedRows>();
  for (const AccuracyRow& row : planned_rows(judged_subjects(), plan)) {
    const std::string name = task_of(row, plan.effort);
    if (!names.insert(name).second) continue;
    AccuracyPlan one = plan;
    one.rows = drawn_once;
    one.subjects = {row.normalizer};
    one.dtypes = {*dtype_named(row.dtype)};
    stage.tasks.push_back(
        {name, [one](const std::atomic<bool>& stop) -> Result<std::string> { return judged_again(one, stop); },
         costs.of(row)});
  }
  return stage;
}

Result<std::vector<AccuracyRow>> kernel_rows(std::span<const JournalEntry> records, const AccuracyPlan& plan,
                                             bool any_machine) {
  const PlannedRows planned(plan);
  std::vector<AccuracyRow> rows;
  for (const JournalEntry& entry : records) {
    Result<KernelRecords> record = read_record<KernelRecords>(entry.record.text(), entry.task);
    if (!record) return record.error();
    if (!planned.are(entry.task, record->rows, any_machine))
      return Error{entry.task + ": the record has other rows than the task; run it again"};
    for (KernelRecord& row : record->rows) rows.push_back(std::move(row).whole());
  }
  std::ranges::stable_sort(rows, {}, [&](const AccuracyRow& row) { return planned.place(row); });
  return rows;
}

std::string device_of(const AccuracyPlan& plan) {
  const bool any = std::ranges::any_of(planned_rows(judged_subjects(), plan),
                                       [](const AccuracyRow& row) { return row.isa == device_isa; });
  return any ? device::device_line() : "none";
}

Stage fault_tasks(const KillPlan& plan, std::size_t jobs) {
  Stage stage{{}, jobs != 0 ? jobs : all_cores()};
  for (const Fault& fault : all_faults())
    if (judgeable(fault))
      stage.tasks.push_back({(plan.first_only ? first_kill : all_kills) + std::string(fault.name),
                             [&fault, plan](const std::atomic<bool>&) -> Result<std::string> {
                               return record_text(KillRecords{kills_of(fault, plan)});
                             }});
  return stage;
}

Result<std::vector<KillSummary>> kill_summaries(std::span<const JournalEntry> records) {
  std::vector<KillSummary> matrix;
  for (const JournalEntry& entry : records)
    for (const Fault& fault : all_faults()) {
      if (entry.task != all_kills + std::string(fault.name) && entry.task != first_kill + std::string(fault.name))
        continue;
      Result<KillRecords> record = read_record<KillRecords>(entry.record.text(), entry.task);
      if (!record) return record.error();
      for (Kill& kill : record->kills) kill.fault = fault.name;
      matrix.push_back({&fault, std::move(record->kills)});
    }
  return matrix;
}

}  // namespace attncert::cli
