// attncert gpt2: a model's attention on a text, measured head by head. Arguments -> plan -> windows (tables that grow) -> figures, diagnosis
// and claims -> exit status.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "src/cli/commands.hpp"
#include "src/cli/console.hpp"
#include "src/cli/places.hpp"
#include "src/cli/survey_options.hpp"
#include "src/cli/survey_run.hpp"
#include "src/core/environment.hpp"
#include "src/gpt2/gpt2.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

std::atomic<bool> stop{false};
extern "C" void on_survey_interrupt(int) {
  stop = true;
  std::signal(SIGINT, SIG_DFL);  // a second one ends the program at once
}

Result<std::vector<TokenId>> whole_windows(const Gpt2& model, const std::string& text, const std::string& where) {
  std::vector<TokenId> tokens = model.tokenizer.encode(text);
  if (tokens.size() < model.shape.T)
    return Error{fmt::format("{}: has {} tokens where one window of this model needs {}; give a longer text", where,
                             tokens.size(), model.shape.T)};
  return tokens;
}

}  // namespace

int gpt2(const Gpt2Options& options) {
  if (options.columns) {
    fmt::print("{}", columns_text());
    return all_as_expected;
  }
  const Result<std::filesystem::path> folder = model_folder(options.real), file = text_file(options.real);
  if (!folder) return fail(folder.error());
  if (!file) return fail(file.error());
  const Result<std::string> text = read_text(*file);
  if (!text) return fail(text.error());
  const Result<Gpt2> model = load(*folder);
  if (!model) return fail(model.error());
  const Result<SurveyPlan> plan = survey_plan(options, model->shape.T);
  if (!plan) return fail(plan.error());
  const Result<Normalizer> normalizer =
      normalizer_named(options.normalizer, options.temperature, &plan->weighting.parameters);
  if (!normalizer) return fail(normalizer.error());
  const Result<std::vector<TokenId>> tokens = whole_windows(*model, *text, file->string());
  if (!tokens) return fail(tokens.error());

  const Environment build = environment(current_instruction_set());
  Result<TableFolder> tables =
      TableFolder::open(options.out.empty() ? "out/gpt2" : options.out, survey_tables(),
                        survey_plan_line(options, *plan, *model, *text, build.commit + (build.dirty ? "+" : "")),
                        options.resume, options.force);
  if (!tables) return fail(tables.error());
  std::signal(SIGINT, on_survey_interrupt);
  std::signal(SIGTERM, on_survey_interrupt);
  const SurveyRun run{*model,
                      *plan,
                      *normalizer,
                      *tokens,
                      file->string(),
                      std::min(options.real.windows, tokens->size() / model->shape.T),
                      options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency())};
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
  return all_as_expected;
}

}  // namespace attncert::cli
