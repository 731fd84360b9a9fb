// attncert gpt2: a model's attention on a text, measured head by head. Arguments -> plan -> windows (tables that grow)
// -> figures, diagnosis and claims -> exit status.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <csignal>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/places.hpp"
#include "cli/survey_options.hpp"
#include "cli/survey_run.hpp"
#include "properties/claims/catalogue/claim.hpp"
#include "reports/attention/report.hpp"
#include "src/core/environment/environment.hpp"
#include "src/core/threads.hpp"
#include "src/gpt2/capture.hpp"
#include "src/gpt2/gpt2.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

std::atomic<bool> stop{false};
extern "C" void on_survey_interrupt(int) {
  stop = true;
  std::signal(SIGINT, SIG_DFL);  // a second one ends the program at once
}

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

AttentionRun facts_of(const Gpt2Options& options, const SurveyRun& run, std::size_t queries) {
  AttentionRun facts;
  facts.normalizer = options.normalizer;
  facts.temperature = options.temperature;
  facts.T = run.model.shape.T;
  facts.dropped_tokens = run.tokens.size() % facts.T;
  facts.layers = run.model.shape.L;
  facts.heads = run.model.shape.NH;
  facts.queries = queries;
  facts.command = command_of(options);
  for (const Claim& claim : claims())
    if (claim.expected == Expected::refuted) facts.refuted_claims.emplace_back(claim.statement.id);
  return facts;
}

}  // namespace

int gpt2(const Gpt2Options& options) {
  if (options.columns) {
    fmt::print("{}", columns_text());
    return all_as_expected;
  }
  const auto start = std::chrono::steady_clock::now();
  const Result<std::filesystem::path> folder = model_folder(options.real), file = text_file(options.real);
  if (!folder) return fail(folder.error());
  if (!file) return fail(file.error());
  const std::filesystem::path out = options.out.empty() ? "out/gpt2" : options.out;
  const Result<Done> free = check_folder(out, options.resume, options.force);
  if (!free) return fail(free.error());
  const Result<std::vector<std::pair<std::size_t, std::size_t>>> draw = drawn_heads(options.draw);
  if (!draw) return fail(draw.error());
  const Result<std::string> text = read_text(*file);
  if (!text) return fail(text.error());
  const Result<Gpt2> model = load(*folder);
  if (!model) return fail(model.error());
  for (const auto& [layer, head] : *draw)
    if (layer >= model->shape.L || head >= model->shape.NH)
      return fail({fmt::format("--draw: {}:{} is not in this model, which has {} layers of {} heads; count from 0",
                               layer, head, model->shape.L, model->shape.NH)});
  const Result<SurveyPlan> plan = survey_plan(options, model->shape.T);
  if (!plan) return fail(plan.error());
  const Result<RowNormalizer> normalizer =
      normalizer_named(options.normalizer, options.temperature, &plan->weighting.parameters);
  if (!normalizer) return fail(normalizer.error());
  const Result<std::vector<TokenId>> tokens = window_tokens(*model, *text, file->string());
  if (!tokens) return fail(tokens.error());

  const Environment build = environment(current_instruction_set());
  Result<TableFolder> tables = TableFolder::open(
      out, survey_tables(), survey_plan_line(options, *plan, *model, *tokens, build), options.resume, options.force);
  if (!tables) return fail(tables.error());
  std::signal(SIGINT, on_survey_interrupt);
  std::signal(SIGTERM, on_survey_interrupt);
  const SurveyRun run{*model,
                      *plan,
                      *normalizer,
                      *tokens,
                      file->string(),
                      std::min(options.real.windows, tokens->size() / model->shape.T),
                      options.jobs != 0 ? options.jobs : all_cores()};
  {
    ProgressLine line("windows");
    const Result<Done> measured = run_survey(
        run, *tables, [&](std::size_t done) { line.show(done, run.windows, ""); }, stop);
    if (!measured) return fail(measured.error());
  }
  if (stop && tables->windows() < run.windows) {
    fmt::print(stderr, "attncert: interrupted after {} windows; go on with --resume (tables in {})\n",
               tables->windows(), tables->folder().string());
    return interrupted;
  }
  AttentionRun facts = facts_of(options, run, plan->queries.size());
  facts.windows = tables->windows();  // more than asked for where a run is resumed that has them
  facts.draw = *draw;
  facts.model = base_name(*folder);
  facts.text = base_name(*file);
  facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Result<AttentionReport> report = write_attention_report(tables->folder(), facts);
  if (!report) return fail(report.error());
  fmt::print("{}report: {}\n", report->terminal, (tables->folder() / "report.html").string());
  if (report->outside > 0 || report->violated_true_claims > 0) return differs;
  return report->undecided > 0 ? undecided : all_as_expected;
}

}  // namespace attncert::cli
