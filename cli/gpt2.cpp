// attncert gpt2: a model's attention on a text, measured head by head. Arguments -> plan -> windows, each a task
// (campaign.hpp) -> tables -> figures, diagnosis and claims -> exit status.
#include <fmt/core.h>

#include <memory>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/places.hpp"
#include "cli/results.hpp"
#include "cli/survey_options.hpp"
#include "cli/survey_run.hpp"
#include "properties/claims/claim.hpp"
#include "reports/attention/report.hpp"
#include "reports/records.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"
#include "src/core/shell_word.hpp"
#include "src/core/threads.hpp"
#include "src/device/device.hpp"
#include "src/gpt2/capture.hpp"
#include "src/gpt2/gpt2.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// The command that repeats the run, but for --out and --jobs, which change nothing. A report holds no paths of one
// machine: the project's own files are named as they are in it, others by their names.
std::string command_of(const Gpt2Options& options) {
  const Gpt2Options usual;
  const auto named = [](const std::string& given, const std::string& own) {
    return given.empty() ? own : base_name(given);
  };
  std::string text = fmt::format("attncert gpt2 --model {} --text {}", shell_word(named(options.real.model, own_model)),
                                 shell_word(named(options.real.text, own_text)));
  const auto add = [&](const char* option, const auto& value, const auto& otherwise) {
    if (value != otherwise) text += fmt::format(" {} {}", option, shell_word(fmt::format("{}", value)));
  };
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
  if (options.device) text += " --device";
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
  facts.tokens = fmt::format("{}, {}", options.tokens, options.scales);
  facts.more.emplace_back(
      "seed", fmt::format("{}, of Figure 5's random directions; nothing else is drawn", run.plan.measures.seed));
  for (const Claim& claim : claims())
    if (claim.expected == Expected::refuted) facts.refuted_claims.emplace_back(claim.statement.id);
  return facts;
}

// What is read before anything is measured, every fault of the arguments and the files found.
struct SurveyInput {
  std::filesystem::path folder, file;  // of the model and the text
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

Result<const device::Device*> bounds_device(bool wanted) {
  if (!wanted) return nullptr;
  const auto& found = device::f64_device();
  if (!found) return Error{"--device: " + found.error().message};
  return *found;
}

Result<SurveyInput> survey_input(const Gpt2Options& options) {
  SurveyInput input;
  Error error;
  Done done;
  std::string text;
  const bool read =
      take(model_folder(options.real), input.folder, error) && take(text_file(options.real), input.file, error) &&
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
  // Windows that are measured already, as of a merge, need none; window_tasks asks.
  if (const auto device = bounds_device(options.device)) run.plan.device = *device;
  run.jobs = options.run.jobs != 0 ? options.run.jobs : all_cores();
  return input;
}

Stage window_tasks(const std::shared_ptr<const SurveyInput>& input, bool on_device) {
  Stage stage{{}, input->run.jobs};
  for (std::size_t window = 0; window < input->run.windows; ++window)
    stage.tasks.push_back({"window:" + std::to_string(window),
                           [input, window, on_device](const std::atomic<bool>&) -> Result<std::string> {
                             if (const auto device = bounds_device(on_device); !device) return device.error();
                             const Result<WindowTables> tables = measured_window(input->run, window);
                             if (!tables) return tables.error();
                             return record_text(*tables);
                           }});
  return stage;
}

// FOLDER/heads.csv and so on: the lines of every window, one window in memory at a time.
Result<Done> write_tables(const std::filesystem::path& folder, const Records& records) {
  const std::vector<TableFile> tables = survey_tables();
  const auto partial = [&](const TableFile& table) { return folder / (table.name + ".csv.partial"); };
  for (const TableFile& table : tables)
    if (const Result<Done> written = write_text(partial(table), table.header); !written) return written;
  for (const JournalEntry& entry : records) {
    const Result<WindowTables> window = read_record<WindowTables>(entry.record.text(), entry.task);
    if (!window) return window.error();
    if (window->lines.size() != tables.size()) return Error{entry.task + ": has other tables; run it again"};
    for (std::size_t table = 0; table < tables.size(); ++table)
      if (const Result<Done> added = append_text(partial(tables[table]), window->lines[table]); !added) return added;
  }
  std::error_code error;
  for (const TableFile& table : tables) {
    std::filesystem::rename(partial(table), folder / (table.name + ".csv"), error);
    if (error) return Error{printable(folder.string()) + ": tables cannot be written: " + error.message()};
  }
  return Done{};
}

// The run as one row of a ledger; what was measured stands in the tables.
void fill(Ledger& ledger, const AttentionRun& facts, const CheckLine& checks) {
  ledger.plan.model = facts.model;
  ledger.plan.text = facts.text;
  LedgerReal& real = ledger.real.emplace();
  real.model = facts.model;
  real.text = facts.text;
  real.windows = facts.windows;
  real.rows = checks.rows;
  real.weights = checks.weights;
  real.outside_budget = checks.outside;
  real.worst_ulp = checks.worst_ulp;
  real.budget_ulp = checks.budget_ulp;
}

int conclude(const Gpt2Options& options, const SurveyInput& input, bool merged, const Records& records,
             Results& results) {
  const std::filesystem::path folder = results.folder();
  const Result<Done> made = write_tables(folder, records);
  if (!made) return fail(made.error());
  AttentionRun facts = facts_of(options, input.run);
  if (options.device)
    facts.more.emplace_back("bounds evaluated on", merged || input.run.plan.device == nullptr
                                                       ? "devices of other processes"
                                                       : device::device_line());
  facts.windows = records.size();
  facts.draw = input.draw;
  facts.model = base_name(input.folder);
  facts.text = base_name(input.file);
  for (const JournalEntry& entry : records) facts.seconds += entry.seconds;
  facts.environment = results.ledger.environment;
  facts.started = results.started();
  const Result<AttentionReport> report = write_attention_report(folder, facts);
  if (!report) return fail(report.error());
  for (const std::string& old : report->old_columns) present_name_of("column", old);
  fmt::print("{}report: {}\n", report->terminal, (folder / "report.html").string());
  fill(results.ledger, facts, report->checks);
  const bool differing = report->outside > 0 || report->violated_true_claims > 0;
  return results.written_ledger(differing ? differs : report->undecided > 0 ? undecided : all_as_expected);
}

}  // namespace

Result<Campaign> gpt2_campaign(const Gpt2Options& options) {
  Result<SurveyInput> read = survey_input(options);
  if (!read) return read.error();
  const auto input = std::make_shared<const SurveyInput>(*std::move(read));
  const SurveyRun& run = input->run;
  Campaign campaign;
  campaign.plan = plan_facts("gpt2", survey_facts(options, run.plan, run.model, run.tokens));
  campaign.out = "out/gpt2";
  campaign.stages = {window_tasks(input, options.device)};
  campaign.conclude = [options, input](const Campaign& whole, const Records& records, Results& results) {
    return conclude(options, *input, !whole.folders.empty(), records, results);
  };
  return campaign;
}

int gpt2(const Gpt2Options& options) {
  if (options.columns) {
    fmt::print("{}", columns_text());
    return all_as_expected;
  }
  const auto device = bounds_device(options.device);
  if (!device && !options.run.resume) return fail(device.error());
  return run_campaign(gpt2_campaign(options), options.run);
}

}  // namespace attncert::cli
