#include "cli/library_tasks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "cli/external.hpp"
#include "cli/kernel_record.hpp"
#include "cli/kernel_tasks.hpp"
#include "cli/library_search.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "reports/records.hpp"
#include "src/core/printable.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {
namespace {

struct LibraryRecord {
  std::vector<KernelRecord> rows;  // one, or none where a test of calls was named
  std::string search, violations;  // in lines
  std::uint64_t calls = 0;
  bool search_found = false;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("rows", self.rows);
    field("search", self.search);
    field("violations", self.violations);
    field("calls", self.calls);
    field("search_found", self.search_found);
  }
};

std::string judged(LibraryRun& run, const attncert_kernel& kernel, const std::atomic<bool>& stop) {
  LibraryRecord record;
  const std::uint64_t before = run.library->calls();
  AccuracyPlan plan = run.plan;
  plan.kernels = {&kernel};
  plan.stop = &stop;
  if (!run_calling_tests(*run.library, kernel, plan.only_case))
    for (AccuracyRow& row : judged_rows(plan)) record.rows.emplace_back(std::move(row));
  if (!record.rows.empty() && plan.only_case.empty() && !stop) {
    const auto start = std::chrono::steady_clock::now();
    const SearchOutcome outcome = searched(*run.library, kernel, run.options, record.rows[0].row, stop);
    run.searched += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    record.search = fmt::format("  {:<28} {}", kernel.name, outcome.text);
    record.search_found = outcome.found;
  }
  record.calls = run.library->calls() - before;
  record.violations = violation_lines(*run.library, &kernel);
  return stop ? std::string() : record_text(record);
}

// A record has its task's row, and no other; where a test of calls is named it has none.
bool is_of(const std::vector<KernelRecord>& rows, const AccuracyRow& planned, const AccuracyPlan& plan) {
  if (names_a_calling_test(plan.only_case)) return rows.empty();
  return rows.size() == 1 && rows[0].row.kernel == planned.kernel && rows[0].row.normalizer == planned.normalizer &&
         rows[0].row.dtype == planned.dtype;
}

// A name that a library gave, as a task's: nothing in it ends the quotes of a journal.
std::string task_name(std::size_t number, std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '"' || c == '\\'; }, '?');
  return fmt::format("library:{}:{}", number, printable(name));
}

}  // namespace

Result<std::shared_ptr<LibraryRun>> library_run(const AccuracyOptions& options, AccuracyPlan plan) {
  Result<std::unique_ptr<ExternalLibrary>> library = open_external_library(options);
  if (!library) return library.error();
  const auto run = std::make_shared<LibraryRun>(LibraryRun{options, std::move(plan), *std::move(library), {}, 0});
  run->plan.kernels = known_kernels(*run->library);
  for (const std::string& name : options.kernels)
    if (std::ranges::none_of(run->plan.kernels, [&](const attncert_kernel* one) { return one->name == name; }))
      return Error{options.library + ": no kernel is named " + name + "; leave --kernel out to judge them all"};
  run->plan.before_call = [opened = run->library.get()](std::string_view name) { opened->note(name); };
  run->plan.rows = std::make_shared<SharedRows>();
  return run;
}

Stage library_tasks(const std::shared_ptr<LibraryRun>& run) {
  Stage stage;
  const KernelCosts costs(run->plan.effort);
  std::vector<const attncert_kernel*> left = run->plan.kernels;
  for (const AccuracyRow& row : planned_rows(judged_subjects(), run->plan)) {
    const auto kernel = std::ranges::find_if(left, [&](const attncert_kernel* one) {
      return row.kernel == one->name && row.normalizer == one->normalizer && row.dtype == format(one->dtype_in).name;
    });
    if (kernel == left.end()) continue;
    const auto judge = [run, one = *kernel](const std::atomic<bool>& stop) -> Result<std::string> {
      return judged(*run, *one, stop);
    };
    stage.tasks.push_back({task_name(run->planned.size() + 1, row.kernel), judge, costs.of(row)});
    run->planned.push_back(row);
    left.erase(kernel);
  }
  return stage;
}

Result<LibraryFindings> library_findings(const LibraryRun& run, std::span<const JournalEntry> records) {
  LibraryFindings all;
  for (std::size_t n = 0; n < records.size(); ++n) {
    const JournalEntry& entry = records[n];
    Result<LibraryRecord> record = read_record<LibraryRecord>(entry.record.text(), entry.task);
    if (!record) return record.error();
    if (!is_of(record->rows, run.planned[n], run.plan))
      return Error{entry.task + ": the record has other rows than the task; run it again"};
    for (KernelRecord& row : record->rows) all.rows.push_back(std::move(row).whole());
    all.searches += printable_lines(record->search);
    all.violations += printable_lines(record->violations);
    all.calls += record->calls;
    all.search_found = all.search_found || record->search_found;
  }
  return all;
}

}  // namespace attncert::cli
