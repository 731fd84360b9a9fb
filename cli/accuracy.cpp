// attncert accuracy: the kernels against enclosures, in ulp and as a fraction of the budget stated beside each, and the
// bounds against the error that they state.
#include "properties/conformance/accuracy/accuracy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/external.hpp"
#include "cli/judged_dump.hpp"
#include "cli/kernel_tasks.hpp"
#include "cli/library_search.hpp"
#include "cli/results.hpp"
#include "cli/row.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "src/device/device.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// Three digits of a fraction within the budget; the magnitude of one far beyond it.
std::string fraction_text(double fraction) {
  return fraction < 1000 ? fmt::format("{:.3f}", fraction) : fmt::format("{:.1e}", fraction);
}

// "17/17"; "-" where none was asked.
std::string laws_text(const AccuracyRow& row) {
  if (row.laws_checked == 0) return "-";
  return std::to_string(row.laws_kept) + "/" + std::to_string(row.laws_checked);
}

Result<AccuracyPlan> plan_of(const AccuracyOptions& options) {
  AccuracyPlan plan;
  plan.seed = options.seed;
  plan.effort = *effort_named(options.effort);
  plan.jobs = static_cast<unsigned>(options.run.jobs);
  plan.subjects = options.normalizers;
  plan.isas = options.isas;
  plan.only_case = present_name_of("case", options.only_case);
  for (const std::string& dtype : options.dtypes) plan.dtypes.push_back(*dtype_named(dtype));  // CLI11 checked
  for (const std::string& name : plan.subjects)
    if (find_judged(judged_subjects(), name) == nullptr)
      return Error{name + ": no such normalizer or bound; see attncert list --kernels"};
  const std::vector<std::string> sets = instruction_sets();
  for (const std::string& isa : plan.isas)
    if (isa == device_isa) {
      if (!device_name()) return Error{"device: " + device_name().error().message};
    } else if (std::find(sets.begin(), sets.end(), isa) == sets.end())
      return Error{isa + ": not an instruction set of this machine; see attncert list --kernels"};
  return plan;
}

// A case that was asked for is none of these kernels'.
bool has_nothing(const AccuracyRow& row) {
  return row.elements == 0 && row.contract_rows == 0 && row.laws_checked == 0 && row.outside == 0;
}

// Prints the row; the status that it alone would give. `more`: the options that repeat it, beside its own.
int show_row(const AccuracyRow& row, const std::string& more) {
  fmt::print("{:<28} {:<7} {:>11.4g} {:>8} {:>10} {:>8} {:>9} {:>8.1e} {:>6}  {}{}\n", row.kernel, row.isa,
             row.worst_ulp, fraction_text(row.worst_fraction), row.elements, row.outside, row.undecided, row.vacuity,
             laws_text(row), row.contract, row.contract_broken == 0 ? "" : "; it has: " + row.contract_seen);
  if (row.weak) fmt::print("    weak: a change of 10% would go unseen on more than one entry in a hundred\n");
  if (row.laws_kept != row.laws_checked) fmt::print("    {}\n    {}{}\n", row.laws, row.laws_replay, more);
  if (row.outside > 0) {
    if (!row.witness.empty()) fmt::print("    worst: {}\n", row.witness);
    fmt::print("    {}{}\n", row.replay, more);
  }
  if (row.outside > 0 || row.laws_broken > 0) return differs;
  return row.undecided > 0 || row.laws_undecided > 0 || row.weak ? undecided : all_as_expected;
}

// The first line, where a judgement is no pass because it says too little.
void show_weak(const std::vector<AccuracyRow>& rows) {
  std::string names;
  std::size_t weak = 0;
  for (const AccuracyRow& row : rows) {
    if (!row.weak) continue;
    ++weak;
    names += (names.empty() ? "" : ", ") + row.kernel + (row.isa.empty() ? "" : " " + row.isa);
  }
  if (weak != 0)
    fmt::print("weak: {} of {} kernels are judged so loosely that a change of 10% in an output would go unseen: {}\n",
               weak, rows.size(), names);
}

int show_table(const std::vector<AccuracyRow>& rows, const std::string& more) {
  show_weak(rows);
  fmt::print("{:<28} {:<7} {:>11} {:>8} {:>10} {:>8} {:>9} {:>8} {:>6}  contract\n", "kernel", "isa", "worst ulp",
             "fraction", "elements", "outside", "undecided", "vacuity", "laws");
  int status = all_as_expected;
  bool on_device = false;
  std::uint64_t decided = 0, open = 0;
  for (const AccuracyRow& row : rows) {
    const int own = show_row(row, more);
    if (own == differs || status == all_as_expected) status = own;
    on_device = on_device || row.isa == device_isa;
    decided += row.double_double_elements;
    open += row.double_double_open;
  }
  if (on_device) fmt::print("device: {}\n", device::device_line());
  if (decided != 0) fmt::print("double-double tier: {} elements decided, {} left to intervals\n", decided, open);
  return status;
}

// The classes of inputs that the kernels were judged on; of one case there is nothing to count.
void show_coverage(const AccuracyPlan& plan, const std::vector<AccuracyRow>& rows) {
  std::vector<CoveredKernel> kernels;
  for (const AccuracyRow& row : rows)
    if (const Subject* subject = find_subject(row.normalizer); subject != nullptr && plan.only_case.empty())
      kernels.push_back({row.kernel, subject, *dtype_named(row.dtype), &row.inputs});
  if (kernels.empty()) return;
  fmt::print("classes of inputs (attncert list --inputs), rows that were answered:\n{}", coverage_text(kernels));
  std::set<std::string> said;
  for (const CoveredKernel& kernel : kernels)
    for (const std::string& missed : classes_missed(kernel))
      if (said.insert(kernel.name + missed).second) fmt::print("  {}: no row of: {}\n", kernel.name, missed);
}

int show(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const std::string& more) {
  std::erase_if(rows, has_nothing);
  if (!rows.empty()) {
    const int status = show_table(rows, more);
    show_coverage(plan, rows);
    return status;
  }
  return fail(
      Error{"accuracy: nothing to judge: no such case or kernel; see attncert list --kernels, and a report for the "
            "names of cases"});
}

std::vector<AccuracyRow> judged_rows(const AccuracyPlan& plan) {
  ProgressLine line("rows");
  const auto show = [&](std::string_view name, std::size_t done, std::size_t of) { line.show(done, of, name); };
  std::vector<AccuracyRow> rows = run_accuracy(judged_subjects(), plan, show);
  judge_laws(plan, rows, show);
  return rows;
}

// The same with the kernels of a shared library, and what they do beside their results.
int judge_library(const AccuracyOptions& options, AccuracyPlan plan, std::vector<AccuracyRow>& rows) {
  Result<std::unique_ptr<ExternalLibrary>> opened = open_external_library(options);
  if (!opened) return fail(opened.error());
  const auto start = std::chrono::steady_clock::now();
  ExternalLibrary& library = **opened;
  plan.kernels = known_kernels(library);
  plan.before_call = [&library](std::string_view name) { library.note(name); };
  int status = all_as_expected;
  if (!options.row.empty()) status = judge_row_of(options, library.kernels());
  else if (!run_calling_tests(library, options)) {
    rows = judged_rows(plan);
    status = show(plan, rows,
                  " --library " + options.library + (options.budget.empty() ? "" : " --budget " + options.budget));
  }
  if (!rows.empty() && plan.only_case.empty() && search_library(library, options, rows, start) == differs)
    status = differs;
  return status != bad_usage && print_violations(library) ? differs : status;
}

// A command that computes the rows of a folder, one normalizer and type: the campaign's rows as files. The folder stays
// where something is to be looked at.
int judge_command(const AccuracyOptions& options) {
  if (options.normalizers.size() != 1 || options.dtypes.size() > 1)
    return fail(Error{"--exec: name one --normalizer, and at most one --dtype [f32]"});
  std::string folder = (std::filesystem::temp_directory_path() / "attncert-rows-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return fail(Error{folder + ": cannot be made; set TMPDIR"});
  CasesOptions rows;
  rows.folder = folder;
  rows.seed = options.seed;
  rows.dtype = options.dtypes.empty() ? "f32" : options.dtypes[0];
  rows.normalizer = options.normalizers[0];
  rows.row_effort = options.effort;
  rows.silent = options.run.json;
  JudgeOptions judged;
  judged.paths = {folder};
  judged.exec = options.exec;
  judged.time_limit = options.time_limit;
  judged.out = options.run.out;
  judged.ledger = options.run.json;
  if (!options.budget.empty()) judged.settings["class"] = options.budget;
  int status = cases(rows);
  if (status == all_as_expected) status = judge(judged);
  std::error_code error;
  if (status == all_as_expected || status == bad_usage) std::filesystem::remove_all(folder, error);
  return status;
}

// Conduct, what the search finds and weakness are no columns of a kernel's row: where they decide, a row of their own
// says so, and the ledger has the exit status of the command.
void add_the_rest(const AccuracyOptions& options, int status, Ledger& ledger) {
  if (status != differs && status != undecided) return;
  if (exit_status(ledger) == status) return;
  LedgerJudgement row;
  row.file = options.library.empty() ? "built-in kernels" : options.library;
  row.part = "conduct";
  row.verdict = verdict_of(status);
  row.why = status == differs ? "a check beside the results, or the search, found what the command prints"
                              : "kernels are judged too loosely to pass, as the command prints";
  ledger.judgements.push_back(row);
}

std::vector<const attncert_kernel*> every_kernel() {
  const auto own = built_in_kernels(), on_device = device_kernels();
  std::vector<const attncert_kernel*> all(own.begin(), own.end());
  if (device_name()) all.insert(all.end(), on_device.begin(), on_device.end());
  return all;
}

// The ledger of rows that were shown with that status.
int written(const AccuracyOptions& options, const std::vector<AccuracyRow>& rows, int status, Results& results) {
  results.ledger.plan.seed = options.seed;
  results.ledger.plan.effort = options.effort;
  results.ledger.kernels.assign(rows.begin(), rows.end());
  add_the_rest(options, status, results.ledger);
  return results.written(status);
}

int judge_outsiders(const AccuracyOptions& options, AccuracyPlan plan) {
  auto results = Results::open(options.run.out, options.run.json);
  if (!results) return fail(results.error());
  std::vector<AccuracyRow> rows;
  const int status = judge_library(options, std::move(plan), rows);
  return written(options, rows, status, *results);
}

bool built_in(const AccuracyOptions& options) {
  return options.exec.empty() && options.library.empty() && options.row.empty();
}

Campaign campaign_of(const AccuracyOptions& options, const AccuracyPlan& plan) {
  const auto joined = [](const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, " ")); };
  Campaign campaign;
  campaign.plan = plan_facts("accuracy", {{"seed", std::to_string(options.seed)},
                                          {"effort", options.effort},
                                          {"case", options.only_case},
                                          {"normalizers", joined(options.normalizers)},
                                          {"isa", joined(options.isas)},
                                          {"dtypes", joined(options.dtypes)},
                                          {device_fact, device_of(plan)}});
  campaign.stages = {kernel_tasks(plan)};
  campaign.conclude = [options, plan](const Campaign& whole, const Records& records, Results& results) {
    Result<std::vector<AccuracyRow>> rows = kernel_rows(records, plan, whole.machines_differ);
    if (!rows) return fail(rows.error());
    return written(options, *rows, show(plan, *rows, ""), results);
  };
  return campaign;
}

}  // namespace

int accuracy(const AccuracyOptions& options) {
  if (built_in(options) || !options.run.shard.empty() || options.run.resume || options.run.force)
    return run_campaign(accuracy_campaign(options), options.run);
  if (!options.exec.empty()) return judge_command(options);
  Result<AccuracyPlan> plan = plan_of(options);
  if (!plan) return fail(plan.error());
  if (!options.library.empty()) return judge_outsiders(options, *std::move(plan));
  return judge_row_of(options, every_kernel());
}

Result<Campaign> accuracy_campaign(const AccuracyOptions& options) {
  if (!built_in(options))
    return Error{"--shard, --resume, --force: of the built-in kernels; give each process a --seed of its own"};
  const Result<AccuracyPlan> plan = plan_of(options);
  if (!plan) return plan.error();
  return campaign_of(options, *plan);
}

}  // namespace attncert::cli
