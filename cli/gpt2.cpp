// attncert gpt2: a model's attention on a text, measured head by head. Arguments -> plan -> windows (tables that grow)
// -> figures, diagnosis and claims -> exit status.
#include <fmt/core.h>

#include <chrono>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/places.hpp"
#include "cli/results.hpp"
#include "cli/survey_options.hpp"
#include "cli/survey_run.hpp"
#include "properties/claims/claim.hpp"
#include "reports/attention/report.hpp"
#include "src/core/environment/environment.hpp"
#include "src/core/threads.hpp"
#include "src/gpt2/capture.hpp"
#include "src/gpt2/gpt2.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// The command that repeats the run, but for --out and --jobs, which change nothing. Files by name: a report holds no
// paths.
std::string command_of(const Gpt2Options& options) {
  const Gpt2Options usual;
  std::string text = "attncert gpt2";
  const auto add = [&](const char* option, const auto& value, const auto& otherwise) {
    if (value != otherwise) text += fmt::format(" {} {}", option, value);
  };
  add("--model", options.real.model.empty() ? "" : base_name(options.real.model), std::string());
  add("--text", options.real.text.empty() ? "" : base_name(options.real.text), std::string());
  add("--windows", options.real.windows, usual.real.windows);
  add("--queries", options.queries, usual.queries);
  add("--normalizer", options.normalizer, usual.normalizer);
  add("--temperature", options.temperature, usual.temperature);
  add("--alpha", options.alpha, usual.alpha);
  add("--ssmax-scale", options.ssmax_scale, usual.ssmax_scale);
  add("--k", options.k, usual.k);
  add("--tokens", options.tokens, usual.tokens);
  add("--scales", options.scales, usual.scales);
  add("--radius", options.radius, usual.radius);
  add("--counts", options.counts, usual.counts);
  add("--temperatures", options.temperatures, usual.temperatures);
  add("--draw", options.draw, usual.draw);
  return text;
}

AttentionRun facts_of(const Gpt2Options& options, const SurveyRun& run) {
  AttentionRun facts;
  facts.normalizer = options.normalizer;
  facts.temperature = options.temperature;
  facts.T = run.model.shape.T;
  facts.dropped_tokens = run.tokens.size() % facts.T;
  facts.layers = run.model.shape.L;
  facts.heads = run.model.shape.NH;
  facts.queries = run.plan.queries.size();
  facts.command = command_of(options);
  for (const Claim& claim : claims())
    if (claim.expected == Expected::refuted) facts.refuted_claims.emplace_back(claim.statement.id);
  return facts;
}

// What is read before anything is measured, every fault of the arguments and the files found.
struct SurveyInput {
  std::filesystem::path folder, file, out;  // of the model, the text and the run
  std::vector<std::pair<std::size_t, std::size_t>> draw;
  SurveyRun run;
};

Result<Done> check_draw(const SurveyInput& input) {
  for (const auto& [layer, head] : input.draw)
    if (layer >= input.run.model.shape.L || head >= input.run.model.shape.NH)
      return Error{fmt::format("--draw: {}:{} is not in this model, which has {} layers of {} heads; count from 0",
                               layer, head, input.run.model.shape.L, input.run.model.shape.NH)};
  return Done{};
}

Result<SurveyInput> survey_input(const Gpt2Options& options) {
  SurveyInput input;
  input.out = options.out.empty() ? "out/gpt2" : options.out;
  Error error;
  Done done;
  std::string text;
  const bool read =
      take(model_folder(options.real), input.folder, error) && take(text_file(options.real), input.file, error) &&
      take(check_folder(input.out, options.resume, options.force), done, error) &&
      take(drawn_heads(options.draw), input.draw, error) && take(read_text(input.file), text, error) &&
      take(load(input.folder), input.run.model, error) && take(check_draw(input), done, error) &&
      take(survey_plan(options, input.run.model.shape.T), input.run.plan, error) &&
      take(normalizer_named(options.normalizer, options.temperature, &input.run.plan.weighting.parameters),
           input.run.normalizer, error) &&
      take(window_tokens(input.run.model, text, input.file.string()), input.run.tokens, error);
  if (!read) return error;
  SurveyRun& run = input.run;
  run.where = input.file.string();
  run.windows = std::min(options.real.windows, run.tokens.size() / run.model.shape.T);
  run.jobs = options.jobs != 0 ? options.jobs : all_cores();
  return input;
}

// Measures window after window.
Result<Done> survey(const SurveyRun& run, TableFolder& tables) {
  stop_on_signals();
  ProgressLine line("windows");
  return run_survey(
      run, tables, [&](std::size_t done) { line.show(done, run.windows, ""); }, stop);
}

// The run as one row of a ledger; what was measured stands in the tables.
Ledger ledger_of(const TableFolder& tables, const AttentionRun& facts, const CheckLine& checks,
                 std::chrono::system_clock::time_point start) {
  Ledger ledger;
  ledger.plan.model = facts.model;
  ledger.plan.text = facts.text;
  ledger.environment = environment(current_instruction_set());
  LedgerReal& real = ledger.real.emplace();
  real.model = facts.model;
  real.text = facts.text;
  real.windows = facts.windows;
  real.rows = checks.rows;
  real.weights = checks.weights;
  real.outside_budget = checks.outside;
  real.worst_ulp = checks.worst_ulp;
  real.budget_ulp = checks.budget_ulp;
  ledger.timing = timing_since(start, tables.folder().string());
  return ledger;
}

int write_report(const TableFolder& tables, const AttentionRun& facts, const LedgerOutput& output,
                 std::chrono::system_clock::time_point start) {
  const Result<AttentionReport> report = write_attention_report(tables.folder(), facts);
  if (!report) return fail(report.error());
  const Ledger ledger = ledger_of(tables, facts, report->checks, start);
  const Result<Done> kept = write_text(tables.folder() / "ledger.json", to_json(ledger));
  if (!kept) return fail(kept.error());
  for (const std::string& old : report->old_columns) present_name_of("column", old);
  fmt::print("{}report: {}\n", report->terminal, (tables.folder() / "report.html").string());
  output.print(ledger);
  if (report->outside > 0 || report->violated_true_claims > 0) return differs;
  return report->undecided > 0 ? undecided : all_as_expected;
}

}  // namespace

int gpt2(const Gpt2Options& options) {
  if (options.columns) {
    fmt::print("{}", columns_text());
    return all_as_expected;
  }
  const LedgerOutput output(options.json);
  const auto start = std::chrono::system_clock::now();
  const Result<SurveyInput> input = survey_input(options);
  if (!input) return fail(input.error());
  const auto& [folder, file, out, draw, run] = *input;
  const Environment build = environment(current_instruction_set());
  Result<TableFolder> tables =
      TableFolder::open(out, survey_tables(), survey_plan_line(options, run.plan, run.model, run.tokens, build),
                        options.resume, options.force);
  if (!tables) return fail(tables.error());
  const Result<Done> measured = survey(run, *tables);
  if (!measured) return fail(measured.error());
  if (stop && tables->windows() < run.windows) {
    fmt::print(stderr, "attncert: interrupted after {} windows; go on with --resume (tables in {})\n",
               tables->windows(), tables->folder().string());
    return interrupted;
  }
  AttentionRun facts = facts_of(options, run);
  facts.windows = tables->windows();  // more than asked for where a run is resumed that has them
  facts.draw = draw;
  facts.model = base_name(folder);
  facts.text = base_name(file);
  facts.seconds = std::chrono::duration<double>(std::chrono::system_clock::now() - start).count();
  return write_report(*tables, facts, output, start);
}

}  // namespace attncert::cli
