// attncert certify: arguments -> plan -> tasks (campaign.hpp) -> verdicts of attncert-check -> ledger -> exit status.
#include "properties/claims/certify/certify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "cli/campaign.hpp"
#include "cli/checker.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/evidence.hpp"
#include "cli/interrupt.hpp"
#include "cli/kernel_tasks.hpp"
#include "cli/ledger_of.hpp"
#include "cli/measured.hpp"
#include "cli/places.hpp"
#include "cli/results.hpp"
#include "cli/run_folder.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/throughput.hpp"
#include "reports/records.hpp"
#include "reports/wording.hpp"
#include "src/core/hash.hpp"
#include "src/core/shell_word.hpp"
#include "src/core/threads.hpp"
#include "src/device/device.hpp"
#include "src/gpt2/products.hpp"
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

// The whole certification is to end within a minute; `attncert accuracy` runs the longer campaigns.
AccuracyPlan accuracy_plan(const CertifyOptions& options) {
  AccuracyPlan plan;
  plan.seed = options.seed;
  plan.effort = effort_named(options.effort) == Effort::full ? Effort::normal : Effort::quick;
  plan.jobs = static_cast<unsigned>(options.run.jobs);
  return plan;
}

PlanFacts facts_of(const CertifyOptions& options, const CertifyPlan& plan) {
  std::string claims;
  for (const Statement* statement : plan.statements) claims += (claims.empty() ? "" : " ") + std::string(statement->id);
  return {{"seed", std::to_string(options.seed)},
          {"effort", options.effort},
          {"real", options.no_real ? "none" : fmt::format("{:x}", real_fingerprint(options.real))},
          {products_fact, options.no_real ? "none" : products_line()},
          {"windows", std::to_string(options.real.windows)},
          {"stored witnesses", options.cold ? "no" : "yes"},
          {"kernels", options.no_kernels ? "no" : "yes"},
          {device_fact, options.no_kernels ? "none" : device_of(accuracy_plan(options))},
          {"claims", claims}};
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

KillPlan kill_plan(const CertifyOptions& options) {
  KillPlan plan;
  plan.seed = options.seed;
  plan.first_only = true;
  return plan;
}

// What the command that repeats a row needs beside the claim and the seed. Files by name: a ledger holds no paths.
std::string repeat_options(const CertifyOptions& options, const Ledger::Plan& plan) {
  std::string more = " --seed " + std::to_string(options.seed) + " --effort " + options.effort;
  if (options.cold) more += " --cold";
  if (options.no_real) more += " --no-real";
  more += " --no-kernels";  // a claim's numbers need none
  if (!options.real.model.empty()) more += " --model " + shell_word(plan.model);
  if (!options.real.text.empty()) more += " --text " + shell_word(plan.text);
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
  ledger.environment.libraries["device:"] = options.no_kernels ? "none" : device::device_line();
  ledger.plan.seed = options.seed;
  ledger.plan.effort = options.effort;
  CertifyPlan plan;
  for (const Claim* claim : chosen) {
    ledger.plan.claims.emplace_back(claim->statement.id);
    plan.statements.push_back(&claim->statement);
  }
  plan.search = search_plan(options.effort, options.seed);
  plan.jobs = options.run.jobs != 0 ? options.run.jobs : all_cores();
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

// None: no real attention was asked for.
Result<std::optional<CapturedAttention>> attention_of(const CertifyOptions& options) {
  if (options.no_real) return std::optional<CapturedAttention>{};
  Result<CapturedAttention> rows = captured(options.real);
  if (!rows) return rows.error();
  return std::optional(*std::move(rows));
}

// A run: what its tasks and its conclusion share.
struct CertifyRun {
  CertifyOptions options;
  std::vector<const Claim*> chosen;
  std::optional<CapturedAttention> attention;
  CertifyPlan plan;
  Ledger started;  // with plan and environment
  bool stored_refute = true;

  const CapturedAttention* rows() const { return attention ? &*attention : nullptr; }
};

Stage claim_tasks(const std::shared_ptr<CertifyRun>& run) {
  Stage stage{{}, run->plan.jobs};
  for (ClaimTask& task : tasks_of(run->plan))
    stage.tasks.push_back(
        {std::move(task.name), [run, ask = std::move(task.run)](const std::atomic<bool>& stop) -> Result<std::string> {
           const TaskRecord record = ask(stop);
           return stop ? std::string() : record_text(record);
         }});
  return stage;
}

Result<Done> add_claims(const CertifyRun& run, std::span<const JournalEntry> records,
                        const std::filesystem::path& folder, Ledger& ledger) {
  std::vector<TaskRecord> found;
  for (const JournalEntry& entry : records) {
    Result<TaskRecord> record = read_record<TaskRecord>(entry.record.text(), entry.task);
    if (!record) return record.error();
    found.push_back(*std::move(record));
  }
  const Result<Done> made = make_evidence_folders(folder);
  if (!made) return made;
  const Result<Certified> certified = settled(run.plan, std::move(found), checker_in(folder), stop);
  if (!certified) return certified.error();
  if (stop) return Done{};
  ledger.claims = judge_claims(run.options, run.chosen, *certified, run.rows(), ledger.plan);
  if (run.rows() != nullptr) ledger.real = real_summary(*run.rows(), certified->records, ledger.plan);
  return write_tightest(folder, certified->records, ledger);
}

Result<Done> add_kernels(const Result<std::vector<AccuracyRow>>& judged, std::span<const JournalEntry> faults,
                         Ledger& ledger) {
  Result<std::vector<AccuracyRow>> rows = judged;
  if (!rows) return rows.error();
  for (AccuracyRow& row : *rows)
    if (!row.laws_replay.empty()) row.laws += "; repeat: " + row.laws_replay;  // a report has one column for both
  ledger.kernels.assign(rows->begin(), rows->end());
  const Result<std::vector<KillSummary>> matrix = kill_summaries(faults);
  if (!matrix) return matrix.error();
  for (const KillSummary& line : *matrix) ledger.faults.push_back(ledger_fault(line));
  return Done{};
}

int conclude(const CertifyRun& run, const Campaign& campaign, const Records& records, Results& results) {
  Ledger& ledger = results.ledger;
  ledger.plan = run.started.plan;
  ledger.environment = run.started.environment;
  const std::span all(records);
  const std::size_t claims = campaign.stages[0].tasks.size(), kernels = campaign.stages[1].tasks.size();
  Result<Done> done = add_claims(run, all.first(claims), results.folder(), ledger);
  if (done && stop) return interrupted;
  const AccuracyPlan judged = accuracy_plan(run.options);
  if (done)
    done = add_kernels(kernel_rows(all.subspan(claims, kernels), judged, campaign.machines_differ),
                       all.subspan(claims + kernels), ledger);
  if (!done) return fail(done.error());
  ledger.timing.throughput = throughput();
  fmt::print("{}", verdict_table(ledger, output_is_terminal()));
  fmt::print("\nrigorous instances of distance-upper per second and core: {}\n", report::throughput_text(ledger));
  return results.written(run.stored_refute ? exit_status(ledger) : differs);
}

}  // namespace

Result<Campaign> certify_campaign(const CertifyOptions& options) {
  const auto run = std::make_shared<CertifyRun>();
  run->options = options;
  Error error;
  std::filesystem::path checker;
  const bool read = take(chosen_claims(options.claims), run->chosen, error) &&
                    take(checker_program(), checker, error) && take(attention_of(options), run->attention, error) &&
                    take(certify_plan(options, run->chosen, run->rows(), run->started), run->plan, error);
  if (!read) return error;
  run->stored_refute = all_still_refute(run->plan.stored);
  Campaign campaign;
  campaign.plan = plan_facts("certify", facts_of(options, run->plan));
  campaign.stages = {claim_tasks(run), {}, {}};
  campaign.out = "out/" + std::to_string(options.seed);
  if (!options.no_kernels) {
    campaign.stages[1] = kernel_tasks(accuracy_plan(options));
    campaign.stages[2] = fault_tasks(kill_plan(options), options.run.jobs);
  }
  campaign.conclude = [run](const Campaign& all, const Records& records, Results& results) {
    return conclude(*run, all, records, results);
  };
  return campaign;
}

}  // namespace attncert::cli
