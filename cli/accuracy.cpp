// attncert accuracy: the kernels against enclosures, in ulp and as a fraction of the budget stated beside each, and the
// bounds against the error that they state.
#include "properties/conformance/accuracy/accuracy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/accuracy_table.hpp"
#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/external.hpp"
#include "cli/judged_dump.hpp"
#include "cli/kernel_tasks.hpp"
#include "cli/library_search.hpp"
#include "cli/library_tasks.hpp"
#include "cli/results.hpp"
#include "cli/row.hpp"
#include "properties/conformance/accuracy/device_tier.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "src/core/printable.hpp"
#include "src/core/shell_word.hpp"
#include "src/device/device.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// A row of one of these subjects; the names of laws and tests of calls are looked at by those who run them.
bool is_case(const AccuracyPlan& plan) {
  if (names_a_calling_test(plan.only_case) || plan.only_case.starts_with(law_case)) return true;
  return std::ranges::any_of(judged_subjects(), [&](const JudgedSubject* subject) {
    return (plan.subjects.empty() || std::ranges::count(plan.subjects, subject->name()) != 0) &&
           !subject->case_named(plan.effort, plan.only_case).empty();
  });
}

bool is_built_in(const std::string& name) {
  return std::ranges::any_of(judged_subjects(), [&](const JudgedSubject* subject) {
    return std::ranges::any_of(subject->kernels(), [&](const JudgedKernel& kernel) { return kernel.name == name; });
  });
}

bool device_judges(const AccuracyOptions& options) { return options.judge == "device"; }

// None where the processor judges alone.
Result<const device::Device*> judge_of(const AccuracyOptions& options) {
  if (!device_judges(options)) return nullptr;
  if (device::f64_device()) return device::f64_device();
  return Error{"--judge device: " + device::f64_device().error().message +
               "; leave it out, and the processor judges alone"};
}

Result<AccuracyPlan> plan_of(const AccuracyOptions& options) {
  AccuracyPlan plan;
  plan.seed = options.seed;
  plan.effort = *effort_named(options.effort);
  plan.jobs = static_cast<unsigned>(options.run.jobs);
  plan.subjects = options.normalizers;
  plan.names = options.kernels;
  plan.isas = options.isas;
  plan.only_case = present_name_of("case", options.only_case);
  plan.judge_failed = [](const Error& why) {
    fmt::print(stderr, "attncert: --judge device: {}; the processor judges the rest\n", printable(why.message));
  };
  for (const std::string& dtype : options.dtypes) plan.dtypes.push_back(*dtype_named(dtype));  // CLI11 checked
  for (const std::string& name : plan.subjects)
    if (find_judged(judged_subjects(), name) == nullptr)
      return Error{name + ": no such normalizer or bound; see attncert list --kernels"};
  if (options.library.empty())
    for (const std::string& name : plan.names)
      if (!is_built_in(name)) return Error{name + ": no such kernel; see attncert list --kernels"};
  if (!plan.only_case.empty() && !is_case(plan))
    return Error{"--case: \"" + printable(plan.only_case) +
                 "\" is none of these kernels' cases; see a report for their names"};
  const std::vector<std::string> sets = instruction_sets();
  for (const std::string& isa : plan.isas)
    if (isa == device_isa) {
      if (!device_name()) return Error{"device: " + device_name().error().message};
    } else if (std::find(sets.begin(), sets.end(), isa) == sets.end())
      return Error{isa + ": not an instruction set of this machine; see attncert list --kernels"};
  return plan;
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
  judged.repeat = fmt::format("attncert accuracy --exec {} --normalizer {} --dtype {} --seed {} --effort {}",
                              shell_word(options.exec), rows.normalizer, rows.dtype, rows.seed, rows.row_effort);
  if (!options.budget.empty()) judged.repeat += " --budget " + options.budget;
  int status = cases(rows);
  if (status == all_as_expected) status = judge(judged);
  std::error_code error;
  if (status == all_as_expected || status == bad_usage) std::filesystem::remove_all(folder, error);
  return status;
}

std::string judged_file(const AccuracyOptions& options) {
  return options.library.empty() ? "built-in kernels" : std::filesystem::path(options.library).filename().string();
}

// Says what the judging device did that the rows do not say.
void add_judge(const AccuracyOptions& options, const std::vector<AccuracyRow>& rows, Ledger& ledger) {
  const std::string judges = judges_of(rows);
  if (!judges.empty()) ledger.environment.libraries["judge:"] = judges;
  std::uint64_t judged = 0, contradicted = 0;
  for (const AccuracyRow& row : rows) {
    judged += row.device_elements;
    contradicted += row.device_contradicted;
  }
  if (device_judges(options) && judged + contradicted == 0 && !rows.empty())
    fmt::print(
        "the device judged none of these rows: it serves ordinary ones of {} of f32, f16 and bf16, but those of a "
        "second opinion\n",
        fmt::join(judged_on_device, ", "));
  if (contradicted == 0) return;
  LedgerJudgement row;
  row.file = judged_file(options);
  row.part = "judge";
  row.verdict = verdict_of_status(undecided);
  row.why = fmt::format("the processor contradicts the device on {} rows: {}; judge without it", contradicted, judges);
  ledger.judgements.push_back(row);
}

// Conduct, what the search finds and weakness are no columns of a kernel's row: where they decide, a row of their own
// says so, and the ledger has the exit status of the command.
void add_the_rest(const AccuracyOptions& options, int status, Ledger& ledger) {
  if (status != differs && status != undecided) return;
  if (exit_status(ledger) == status) return;
  LedgerJudgement row;
  row.file = judged_file(options);
  row.part = "conduct";
  row.verdict = verdict_of_status(status);
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
  add_judge(options, rows, results.ledger);
  add_the_rest(options, status, results.ledger);
  return results.written(status);
}

PlanFacts facts_of(const AccuracyOptions& options) {
  const auto joined = [](const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, " ")); };
  PlanFacts facts{{"seed", std::to_string(options.seed)},
                  {"effort", options.effort},
                  {"case", options.only_case},
                  {"normalizers", joined(options.normalizers)},
                  {"kernels", joined(options.kernels)},
                  {"isa", joined(options.isas)},
                  {"dtypes", joined(options.dtypes)}};
  if (device_judges(options)) facts["judge"] = options.judge;
  return facts;
}

Campaign built_in_campaign(const AccuracyOptions& options, const AccuracyPlan& plan) {
  Campaign campaign;
  PlanFacts facts = facts_of(options);
  facts[device_fact] = device_of(plan);
  campaign.plan = plan_facts("accuracy", std::move(facts));
  campaign.stages = {kernel_tasks(plan)};
  campaign.conclude = [options, plan](const Campaign& whole, const Records& records, Results& results) {
    Result<std::vector<AccuracyRow>> rows = kernel_rows(records, plan, whole.machines_differ);
    if (!rows) return fail(rows.error());
    return written(options, *rows, show_accuracy(plan, *rows, ""), results);
  };
  return campaign;
}

// As a command names them that repeats a case.
std::string library_options(const AccuracyOptions& options) {
  const AccuracyOptions defaults;
  std::string text = " --library " + shell_word(options.library);
  if (!options.budget.empty()) text += " --budget " + options.budget;
  if (!options.under.empty()) text += " --under " + options.under;
  if (options.time_limit != defaults.time_limit) text += fmt::format(" --time-limit {}", options.time_limit);
  if (options.memory_limit == 0) text += " --memory-limit none";
  else if (options.memory_limit != defaults.memory_limit)
    text += fmt::format(" --memory-limit {}", options.memory_limit);
  return text;
}

// With what the kernels do beside their results. seconds: since the run began.
int conclude(const LibraryRun& run, std::optional<double> seconds, const Records& records, Results& results) {
  Result<LibraryFindings> found = library_findings(run, records);
  if (!found) return fail(found.error());
  const AccuracyOptions& options = run.options;
  int status = all_as_expected;
  const std::string whose = library_options(options);
  if (!found->rows.empty() || found->calls == 0) status = show_accuracy(run.plan, found->rows, whose);
  for (AccuracyRow& row : found->rows) row.replay += whose;
  if (const std::string version = run.library->version(); !version.empty())
    results.ledger.environment.libraries[std::filesystem::path(options.library).filename().string()] = version;
  if (status == bad_usage) return status;
  if (!found->searches.empty()) {
    fmt::print("search, guided by error, {} executions a kernel:\n{}", searched_executions(options), found->searches);
    if (seconds) fmt::print("  {:.1f} s of {:.1f} s, {:.0f}%\n", run.searched, *seconds, 100 * run.searched / *seconds);
  }
  print_violations(found->calls, found->violations);
  if (found->search_found || !found->violations.empty()) status = differs;
  return written(options, found->rows, status, results);
}

// Each kernel of a shared library.
Result<Campaign> library_campaign(const AccuracyOptions& options, const AccuracyPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const Result<std::shared_ptr<LibraryRun>> run = library_run(options, plan);
  if (!run) return run.error();
  Campaign campaign;
  PlanFacts facts = facts_of(options);
  facts.insert({{"library", file_hash(options.library)},
                {"budget", options.budget},
                {"time limit", fmt::format("{}", options.time_limit)},
                {"memory limit", std::to_string(options.memory_limit)}});
  if (!options.under.empty()) facts.insert({"under", options.under});
  campaign.plan = plan_facts("accuracy", std::move(facts));
  campaign.stages = {library_tasks(*run)};
  campaign.conclude = [run = *run, start](const Campaign& whole, const Records& records, Results& results) {
    std::optional<double> seconds;  // none of a merge, whose searches ran elsewhere
    if (whole.folders.empty())
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return conclude(*run, seconds, records, results);
  };
  return campaign;
}

int judge_one_row(const AccuracyOptions& options) {
  const Result<AccuracyPlan> plan = plan_of(options);
  if (!plan) return fail(plan.error());
  if (options.library.empty()) return judge_row_of(options, every_kernel());
  const Result<std::unique_ptr<ExternalLibrary>> library = open_external_library(options);
  if (!library) return fail(library.error());
  const int status = judge_row_of(options, (*library)->kernels());
  if (status == bad_usage) return status;
  const std::string violations = violation_lines(**library);
  print_violations((*library)->calls(), violations);
  return violations.empty() ? status : differs;
}

Result<Campaign> campaign_judged_by(const device::Device* judge, const AccuracyOptions& options) {
  if (!options.exec.empty() || !options.row.empty())
    return Error{"--shard, --resume, --force: not of --exec and --row, which are no campaign"};
  Result<AccuracyPlan> plan = plan_of(options);
  if (!plan) return plan.error();
  plan->judge = judge;
  Result<Campaign> campaign =
      options.library.empty() ? built_in_campaign(options, *plan) : library_campaign(options, *plan);
  if (campaign && device_judges(options))
    campaign->unrepeatable =
        "who judged a row, the device or the processor, shows in last digits of its figures (--judge device); merge "
        "without --recheck, or run the shards without --judge";
  return campaign;
}

}  // namespace

int accuracy(const AccuracyOptions& options) {
  const Result<const device::Device*> judge = judge_of(options);
  if (!judge) return fail(judge.error());
  const bool campaign = !options.run.shard.empty() || options.run.resume || options.run.force;
  if (!campaign && !options.exec.empty()) return judge_command(options);
  if (!campaign && !options.row.empty()) return judge_one_row(options);
  return run_campaign(campaign_judged_by(*judge, options), options.run);
}

// Of a merge, whose rows are judged already: no device is opened for that.
Result<Campaign> accuracy_campaign(const AccuracyOptions& options) { return campaign_judged_by(nullptr, options); }

}  // namespace attncert::cli
