// attncert certify: arguments -> plan -> certify (journal, attncert-check) -> ledger -> reports -> exit status.
#include "properties/claims/certify/certify.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "cli/checker.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/evidence.hpp"
#include "cli/interrupt.hpp"
#include "cli/ledger_of.hpp"
#include "cli/measured.hpp"
#include "cli/places.hpp"
#include "cli/results.hpp"
#include "cli/run_folder.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/throughput.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "reports/wording.hpp"
#include "src/core/hash.hpp"
#include "src/core/threads.hpp"
#include "src/device/device.hpp"
#include "src/kernel/kernel.hpp"
#include "study/claims/captured.hpp"

namespace attncert::cli {
namespace {

Result<std::vector<const Claim*>> chosen_claims(const std::vector<std::string>& ids) {
  std::vector<const Claim*> chosen;
  for (const std::string& id : ids) {
    if (find_claim(id) == nullptr) return Error{id + ": no such claim; see attncert list"};
  }
  for (const Claim& claim : claims())
    if (ids.empty() || std::find(ids.begin(), ids.end(), claim.statement.id) != ids.end()) chosen.push_back(&claim);
  return chosen;
}

// Tells one model and text from another: a journal is not resumed with other rows.
std::uint64_t real_fingerprint(const RealOptions& options) {
  std::vector<std::filesystem::path> files{*text_file(options)};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*model_folder(options), error))
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  std::sort(files.begin() + 1, files.end());
  std::uint64_t value = 0;
  for (const std::filesystem::path& file : files) {
    const Result<std::string> text = read_text(file);
    value = fingerprint(text ? std::string_view(*text) : std::string_view(), value);
  }
  return value;
}

// Everything that decides what the tasks find, in one line.
std::string plan_line(const CertifyOptions& options, const std::vector<const Claim*>& chosen, const Ledger& ledger) {
  std::string line = fmt::format(
      "{{\"format\":\"attncert-journal/"
      "3\",\"seed\":{},\"effort\":\"{}\",\"commit\":\"{}{}\",\"isa\":\"{}\",\"real\":\"",
      options.seed, options.effort, ledger.environment.commit, ledger.environment.dirty ? "+" : "",
      ledger.environment.isa);
  line += options.no_real ? "none" : fmt::format("{:x}", real_fingerprint(options.real));
  line += fmt::format("\",\"windows\":{},\"cold\":{},\"claims\":[", options.real.windows, options.cold);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    line += fmt::format("{}\"{}\"", i == 0 ? "" : ",", chosen[i]->statement.id);
  return line + "]}";
}

LedgerReal real_summary(const CapturedAttention& attention, const std::vector<TaskRecord>& records,
                        const Ledger::Plan& plan) {
  LedgerReal real;
  real.model = plan.model;
  real.text = plan.text;
  real.windows = attention.windows;
  real.rows = attention.rows.size();
  for (const CapturedRow& row : attention.rows) {
    const CheckLine check = check_captured(row.logits, row.weights);
    real.weights += check.weights;
    real.outside_budget += check.outside + check.undecided;
    real.worst_ulp = std::max(real.worst_ulp, check.worst_ulp);
    real.budget_ulp = check.budget_ulp;
  }
  for (const TaskRecord& record : records) {
    real.ties += record.ties;
    real.largest_rounding = std::max(real.largest_rounding, record.largest_rounding);
  }
  return real;
}

std::vector<KernelResult> judge_kernels(const CertifyOptions& options) {
  AccuracyPlan plan;
  plan.seed = options.seed;
  // The whole certification is to end within a minute; `attncert accuracy` runs the longer campaigns.
  plan.effort = effort_named(options.effort) == Effort::full ? Effort::normal : Effort::quick;
  ProgressLine line("kernels");
  const auto show = [&](std::string_view name, std::size_t done, std::size_t of) { line.show(done, of, name); };
  std::vector<AccuracyRow> rows = run_accuracy(judged_subjects(), plan, show);
  judge_laws(plan, rows, show);
  for (AccuracyRow& row : rows)
    if (!row.laws_replay.empty()) row.laws += "; repeat: " + row.laws_replay;  // a report has one column for both
  return {rows.begin(), rows.end()};
}

std::vector<LedgerFault> judge_faults(const CertifyOptions& options) {
  KillPlan plan;
  plan.seed = options.seed;
  plan.first_only = true;
  std::vector<LedgerFault> rows;
  for (const KillSummary& line : summaries(all_faults(), plan)) rows.push_back(ledger_fault(line));
  return rows;
}

int say_interrupted(const std::filesystem::path& folder) {
  fmt::print(stderr, "attncert: interrupted; go on with --resume (journal in {})\n", folder.string());
  return interrupted;
}

// What the command that repeats a row needs beside the claim and the seed. Files by name: a ledger holds no paths.
std::string repeat_options(const CertifyOptions& options, const Ledger::Plan& plan) {
  std::string more = " --seed " + std::to_string(options.seed);
  if (options.effort != "normal") more += " --effort " + options.effort;
  if (options.cold) more += " --cold";
  if (options.no_real) more += " --no-real";
  if (!options.real.model.empty()) more += " --model " + plan.model;
  if (!options.real.text.empty()) more += " --text " + plan.text;
  if (options.real.windows != RealOptions{}.windows) more += " --windows " + std::to_string(options.real.windows);
  return more;
}

// A stored counterexample that stops refuting shows a fault of this build or of the store: one line on stderr says so.
bool all_still_refute(const std::vector<Witness>& stored) {
  bool all = true;
  for (const Witness& witness : stored) {
    const std::string why_not = why_not_refuting(witness);
    if (why_not.empty()) continue;
    fmt::print(stderr, "attncert: stored witness of {}: it no longer refutes: {}\n", witness.claim, why_not);
    all = false;
  }
  return all;
}

// 40 ms for each of five sizes: enough for two digits, and nothing beside a run.
std::vector<Ledger::Throughput> throughput() {
  std::vector<Ledger::Throughput> rows;
  for (const Throughput& row : measure_throughput(find_claim("distance-upper")->statement, 0.04))
    rows.push_back({row.length, row.dimension, row.per_second});
  return rows;
}

// The plan of the search, and what of it the ledger says.
Result<CertifyPlan> certify_plan(const CertifyOptions& options, const std::vector<const Claim*>& chosen,
                                 const CapturedAttention* attention, Ledger& ledger) {
  ledger.environment = environment(current_instruction_set());
  ledger.environment.libraries["device:"] = device::device_line();
  ledger.plan.seed = options.seed;
  ledger.plan.effort = options.effort;
  CertifyPlan plan;
  for (const Claim* claim : chosen) {
    ledger.plan.claims.emplace_back(claim->statement.id);
    plan.statements.push_back(&claim->statement);
  }
  plan.search = search_plan(options.effort, options.seed);
  plan.jobs = options.jobs != 0 ? options.jobs : all_cores();
  plan.commit = ledger.environment.commit;
  plan.attention = attention;
  if (attention != nullptr) {
    ledger.plan.model = base_name(*model_folder(options.real));
    ledger.plan.text = base_name(*text_file(options.real));
  }
  if (options.cold) return plan;
  Result<std::vector<Witness>> stored = stored_witnesses();
  if (!stored) return stored.error();
  plan.stored = *std::move(stored);
  return plan;
}

// Certifies with a journal; the first task that cannot be written to it ends the run. What is returned when a signal
// has set `stop` is no result.
Result<Certified> certify_with_journal(const CertifyPlan& plan, RunFolder& run) {
  stop_on_signals();
  std::optional<Error> journal_fault;
  ProgressLine line("claims");
  const auto on_task = [&](const Progress& progress) {
    line.show(progress.done, progress.total, progress.latest->task);
    const Result<Done> appended = run.journal.append(*progress.latest);
    if (appended) return;
    journal_fault = appended.error();
    stop = true;
  };
  Result<Certified> certified =
      attncert::certify(plan, checker_in(run.folder), {std::move(run.finished), on_task, &stop});
  if (journal_fault) return *journal_fault;
  if (stop) return Certified{};  // Ctrl-C ends the checker too: its Error says nothing about this build
  return certified;
}

std::vector<LedgerClaim> judge_claims(const CertifyOptions& options, const std::vector<const Claim*>& chosen,
                                      const Certified& certified, const CapturedAttention* attention,
                                      const Ledger::Plan& plan) {
  const bool any_measured =
      std::any_of(chosen.begin(), chosen.end(), [](const Claim* claim) { return claim->statement.measured(); });
  const MeasuredClaims measured(any_measured ? attention : nullptr);
  std::vector<LedgerClaim> rows;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    rows.push_back(ledger_claim(certified.claims[i], repeat_options(options, plan)));
    compare(rows.back(), chosen[i]->expected);
    if (chosen[i]->statement.measured()) rows.back().measured = measured.of(chosen[i]->statement.id);
  }
  return rows;
}

Ledger::Timing timing_of(const RunFolder& run, const Certified& certified,
                         std::chrono::system_clock::time_point start) {
  Ledger::Timing timing = timing_since(start, run.folder.string());
  for (const TaskRecord& record : certified.records) timing.per_claim[record.task] = record.seconds;
  timing.throughput = throughput();
  return timing;
}

Result<Done> write(const RunFolder& run, const Certified& certified, const Ledger& ledger) {
  const Result<Done> kept = write_tightest(run.folder, certified.records, ledger);
  return kept ? write_reports(run.folder, ledger) : kept;
}

void print(const RunFolder& run, const Ledger& ledger) {
  fmt::print("{}", verdict_table(ledger, output_is_terminal()));
  fmt::print("\nrigorous instances of distance-upper per second and core: {}\n", report::throughput_text(ledger));
  fmt::print("report: {}\n", (run.folder / "report.html").string());
}

// None: no real attention was asked for.
Result<std::optional<CapturedAttention>> attention_of(const CertifyOptions& options) {
  if (options.no_real) return std::optional<CapturedAttention>{};
  Result<CapturedAttention> rows = captured(options.real);
  if (!rows) return rows.error();
  return std::optional(*std::move(rows));
}

}  // namespace

int certify(const CertifyOptions& options) {
  const auto start = std::chrono::system_clock::now();
  const Result<std::vector<const Claim*>> chosen = chosen_claims(options.claims);
  if (!chosen) return fail(chosen.error());
  const Result<std::filesystem::path> checker = checker_program();
  if (!checker) return fail(checker.error());
  const Result<std::optional<CapturedAttention>> real = attention_of(options);
  if (!real) return fail(real.error());
  const CapturedAttention* const attention = *real ? &**real : nullptr;
  Ledger ledger;
  const Result<CertifyPlan> plan = certify_plan(options, *chosen, attention, ledger);
  if (!plan) return fail(plan.error());
  const bool stored_refute = all_still_refute(plan->stored);
  Result<RunFolder> run = open_run_folder(options, plan_line(options, *chosen, ledger));
  if (!run) return fail(run.error());

  const Result<Certified> certified = certify_with_journal(*plan, *run);
  if (!certified) return fail(certified.error());
  if (stop) return say_interrupted(run->folder);
  ledger.claims = judge_claims(options, *chosen, *certified, attention, ledger.plan);
  if (attention != nullptr) ledger.real = real_summary(*attention, certified->records, ledger.plan);
  if (!options.no_kernels) ledger.kernels = judge_kernels(options);
  if (stop) return say_interrupted(run->folder);
  if (!options.no_kernels) ledger.faults = judge_faults(options);
  if (stop) return say_interrupted(run->folder);

  ledger.timing = timing_of(*run, *certified, start);
  const Result<Done> written = write(*run, *certified, ledger);
  if (!written) return fail(written.error());
  print(*run, ledger);
  return stored_refute ? exit_status(ledger) : differs;
}

}  // namespace attncert::cli
