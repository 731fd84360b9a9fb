#include "cli/kernel_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "properties/conformance/laws/survey.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "reports/records.hpp"
#include "src/core/threads.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {
namespace {

// What a task takes is told by its name: until a fault is caught, or all that catches it; a quick campaign has other
// proportions than the longer ones.
const std::string first_kill = "kill:", all_kills = "kills:";
constexpr std::string_view quick_kernels = "kernels:quick", kernels = "kernels";

// A row as a task leaves it: with what the ledger leaves out.
struct KernelRecord {
  AccuracyRow row;
  std::vector<std::uint64_t> lengths;  // of row.inputs

  explicit KernelRecord(AccuracyRow judged) : row(std::move(judged)), lengths(row.inputs.lengths.lengths()) {}
  KernelRecord() = default;
  AccuracyRow whole() && {
    for (const std::uint64_t length : lengths) row.inputs.lengths.add(length);
    return std::move(row);
  }

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    KernelResult::fields(self.row, field);
    field("weak", self.row.weak);
    field("double_double_elements", self.row.double_double_elements);
    field("double_double_open", self.row.double_double_open);
    field("cases", self.row.cases);
    field("laws_checked", self.row.laws_checked);
    field("laws_kept", self.row.laws_kept);
    field("laws_replay", self.row.laws_replay);
    field("contract_seen", self.row.contract_seen);
    field("witness", self.row.witness);
    field("contract_rows", self.row.contract_rows);
    field("contract_broken", self.row.contract_broken);
    field("classes", self.row.inputs.rows);
    field("lengths", self.lengths);
    field("longest", self.row.inputs.longest);
  }
};

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

template <class Item>
bool among(const std::vector<Item>& chosen, const auto& item) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), item) != chosen.end();
}

std::string judged_again(const AccuracyPlan& plan) {
  std::vector<AccuracyRow> rows = run_accuracy(judged_subjects(), plan);
  judge_laws(plan, rows);
  KernelRecords records;
  for (AccuracyRow& row : rows) records.rows.emplace_back(std::move(row));
  return record_text(records);
}

// Where a kernel stands among all.
std::map<std::string, std::size_t> places_of_kernels() {
  std::map<std::string, std::size_t> places;
  for (const JudgedSubject* subject : judged_subjects())
    for (const JudgedKernel& kernel : subject->kernels()) places.emplace(kernel.name, places.size());
  return places;
}

}  // namespace

Stage kernel_tasks(const AccuracyPlan& plan) {
  Stage stage;
  for (const JudgedSubject* subject : judged_subjects()) {
    if (!among(plan.subjects, subject->name())) continue;
    std::vector<attncert_dtype> dtypes;
    for (const JudgedKernel& kernel : subject->kernels())
      if (among(plan.dtypes, kernel.dtype_in) &&
          std::find(dtypes.begin(), dtypes.end(), kernel.dtype_in) == dtypes.end())
        dtypes.push_back(kernel.dtype_in);
    for (const attncert_dtype dtype : dtypes) {
      AccuracyPlan one = plan;
      one.subjects = {std::string(subject->name())};
      one.dtypes = {dtype};
      stage.tasks.push_back({fmt::format("{}:{}:{}", plan.effort == Effort::quick ? quick_kernels : kernels,
                                         subject->name(), format(dtype).name),
                             [one](const std::atomic<bool>&) -> Result<std::string> { return judged_again(one); }});
    }
  }
  return stage;
}

Result<std::vector<AccuracyRow>> kernel_rows(std::span<const JournalEntry> records) {
  std::vector<AccuracyRow> rows;
  for (const JournalEntry& entry : records) {
    Result<KernelRecords> record = read_record<KernelRecords>(entry.record.text(), entry.task);
    if (!record) return record.error();
    for (KernelRecord& row : record->rows) rows.push_back(std::move(row).whole());
  }
  const std::map<std::string, std::size_t> places = places_of_kernels();
  const auto place = [&](const AccuracyRow& row) {
    const auto found = places.find(row.kernel);
    return found != places.end() ? found->second : places.size();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const AccuracyRow& a, const AccuracyRow& b) { return place(a) < place(b); });
  return rows;
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
