// attncert: arguments become the options of one subcommand (commands.hpp), and its status the exit status.
#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "properties/dumps/cases.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "properties/dumps/settings.hpp"
#include "reports/formats.hpp"
#include "src/core/number_in.hpp"
#include "src/kernel/dtype.hpp"

namespace {

using namespace attncert::cli;

constexpr const char* footer =
    "Exit status: 0 all as expected, 1 a verdict or a budget differs, 2 bad usage or input, 3 undecided, 130 "
    "interrupted.";

// CLI11 2.1 wraps "-1" and saturates long numbers: a seed is exactly what was written, or refused.
std::string whole_number(const std::string& text) {
  return attncert::number_in<std::uint64_t>(text) ? "" : "a whole number from 0 to 2^64 - 1";
}

std::string whole_seconds(const std::string& text) {
  constexpr std::uint64_t year = 31'536'000;  // libFuzzer's clock is an int
  const std::optional<std::uint64_t> seconds = attncert::number_in<std::uint64_t>(text);
  return text.size() <= 8 && seconds >= 1u && seconds <= year ? "" : "whole seconds from 1 to 31536000";
}

void add_real(CLI::App& command, RealOptions& real, int most_windows = 1000,
              const char* windows = "windows of the text, at most") {
  command.add_option("--model", real.model, "folder of a GPT-2 in HuggingFace layout [data/tiny-gpt2]");
  command.add_option("--text", real.text, "text file to run it on [data/sample.txt]");
  command.add_option("--windows", real.windows, windows)->check(CLI::Range(1, most_windows))->capture_default_str();
}

void add_seed(CLI::App& command, std::uint64_t& seed, const char* text) {
  command.add_option("--seed", seed, text)->check(CLI::Validator(whole_number, "UINT"))->capture_default_str();
}

std::string search_effort(const std::string& text) {
  const bool known = attncert::effort_named(text) || effort_factor(text);
  return known ? "" : effort_names() + ", or a number from 0.01 to 1000 (times normal)";
}

std::string campaign_effort(const std::string& text) {
  return attncert::effort_named(text) ? "" : "one of " + effort_names();
}

void add_effort(CLI::App& command, std::string& effort) {
  command.add_option("--effort", effort, effort_names())
      ->check(CLI::Validator(campaign_effort, "EFFORT"))
      ->capture_default_str();
}

using Chosen = std::function<int()>;

// A subcommand, and its options, which live as long as what was chosen.
template <class Options>
std::pair<CLI::App*, Options*> add_command(CLI::App& app, const char* name, const char* text,
                                           int (*run)(const Options&), Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(name, text);
  command->callback([options, run, &chosen] { chosen = [options, run] { return run(*options); }; });
  return {command, options.get()};
}

void add_list(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "list", "the claims, or the normalizers, the kernels, what can be fuzzed", list, chosen);
  command->add_flag("--normalizers", options->normalizers, "normalizers, their formulas and laws");
  command->add_flag("--kernels", options->kernels, "kernels and instruction sets of this machine");
  command->add_flag("--budgets", options->budgets, "classes of budgets that a kernel of a library may name");
  command->add_flag("--fuzz", options->fuzz, "what `attncert fuzz` takes: targets and their subjects");
  command->add_flag("--inputs", options->inputs, "classes of inputs, and how many rows a quick campaign draws of each");
}

void add_certify(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "certify", "audit claims and kernels; write a ledger and a report", certify, chosen);
  command->add_option("claims", options->claims, "ids (see `attncert list`) [all]");
  add_seed(*command, options->seed, "same seed, same ledger");
  command->add_option("--effort", options->effort, effort_names() + ", or a number: so many times normal")
      ->check(CLI::Validator(search_effort, "EFFORT"))
      ->capture_default_str();
  add_real(*command, options->real);
  command->add_flag("--no-real", options->no_real, "no captured attention");
  command->add_flag("--no-kernels", options->no_kernels, "no accuracy campaign of the kernels");
  command->add_flag("--cold", options->cold, "do not replay stored witnesses first");
  command->add_option("--out", options->out, "folder of the run [out/<seed>]");
  command->add_option("--jobs", options->jobs, "threads; the result does not depend on it [cores]")
      ->check(CLI::Range(1, 1024));
  CLI::Option* resume = command->add_flag("--resume", options->resume, "go on with an interrupted run of the folder");
  command->add_flag("--force", options->force, "replace an earlier run in the folder")->excludes(resume);
}

void add_check(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(
      app, "check", "have witnesses and certificates judged by attncert-check, the independent checker", check, chosen);
  command->add_option("files", options->files, "witness or certificate files")->required();
}

void add_budget(CLI::App& command, std::string& budget, CLI::Option* library) {
  command
      .add_option("--budget", budget,
                  "the class of budgets that its kernels are held to: plain, plain+running, ... (docs/budgets.md)")
      ->check([](const std::string& name) { return name.empty() ? "name a class, as plain: docs/budgets.md" : ""; })
      ->needs(library);
}

void add_replay(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(app, "replay", "judge one instance again and show it", replay, chosen);
  command
      ->add_option("what", options->what,
                   "a witness file, an input of a fuzz target, ID:SEED:CASE, ID:SEED:tape=HEX, ID:known:NUMBER, or "
                   "ID:real:... as a "
                   "report prints it")
      ->required();
  command->add_option("--target", options->target,
                      "the file is an input of this fuzz target [by its name, TARGET-..., or its folder's]");
  CLI::Option* const library =
      command->add_option("--library", options->library,
                          "the shared library of kernels that the input, a file or KERNEL:tape=HEX, was found for");
  add_budget(*command, options->budget, library);
  add_real(*command, options->real);
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const attncert::Format& format : attncert::formats) names.emplace_back(format.name);
  return names;
}

void add_results(CLI::App& command, std::string& out, bool& json) {
  command.add_option("--out", out, "a new folder for ledger.json and the reports (docs/ledger.md)");
  command.add_flag("--json", json, "the ledger on standard output; what is for people on standard error");
}

void add_accuracy(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "accuracy", "measure the kernels against enclosures, in ulp", accuracy, chosen);
  command->add_option("--normalizer", options->normalizers,
                      "softmax, log-softmax, ..., or a bound: distance, separability, ... [all]");
  command->add_option("--isa", options->isas, "instruction sets (see `attncert list --kernels`) [all]");
  const std::vector<std::string> dtypes = dtype_names();
  command->add_option("--dtype", options->dtypes, CLI::detail::join(dtypes, ", ") + " [all]")
      ->check(CLI::IsMember(dtypes));
  command->add_flag_callback(
      "--quick", [chosen_options = options] { chosen_options->effort = "quick"; }, "same as --effort quick");
  add_seed(*command, options->seed, "seed of the rows");
  add_effort(*command, options->effort);
  command->add_option("--case", options->only_case, "one row only, by its name in a report")
      ->transform([](const std::string& given) { return present_name_of("case", given); });
  add_results(*command, options->out, options->json);
  CLI::Option* row = command->add_option(
      "--row", options->row, "this row only, entry by entry: logits between commas, nan, inf and 0x1p-3 among them");
  command->add_option("--temperature", options->temperature, "of the row")->capture_default_str()->needs(row);
  CLI::Option* library = command->add_option(
      "--library", options->library, "a shared library of kernels (docs/kernels.md) in place of the built-in ones");
  add_budget(*command, options->budget, library);
  command->add_option("--time-limit", options->time_limit, "seconds for one run of a kernel of the library")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str()
      ->needs(library);
  command->add_option("--memory-limit", options->memory_limit, "GiB of address space for the library's process")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str()
      ->needs(library);
}

// An option each; one that both kinds of dumps have is there once.
template <class Settings>
void add_settings(CLI::App& command, std::span<const attncert::Setting<Settings>> list,
                  std::map<std::string, std::string>& texts) {
  for (const attncert::Setting<Settings>& setting : list) {
    const std::string option = "--" + std::string(setting.name);
    if (command.get_option_no_throw(option) == nullptr)
      command.add_option_function<std::string>(
          option, [&texts, name = std::string(setting.name)](const std::string& text) { texts[name] = text; },
          std::string(setting.help));
  }
}

void add_judge(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "judge", "judge what a kernel computed, from files of tensors (docs/dumps.md)", judge, chosen);
  command
      ->add_option("paths", options->paths,
                   "files with q, k, v and o or logits and weights (.safetensors, .npz), folders of .npy, or of cases")
      ->required();
  add_settings(*command, attncert::dump_settings(), options->settings);
  add_settings(*command, attncert::row_settings(), options->settings);
  CLI::Option* const rows =
      command->add_option("--rows", options->rows, "judge so many rows of a file [some seconds']");
  rows->check(CLI::Range(1, 1 << 30));
  command->add_flag("--all", options->all, "judge every row")->excludes(rows);
  CLI::Option* const exec =
      command->add_option("--exec", options->exec, "COMMAND FOLDER runs the kernel on each folder's cases first");
  CLI::Option* const library =
      command->add_option("--library", options->library,
                          "a shared library of attention kernels (attncert/attention.h), run on cases of their own");
  library->excludes(exec);
  add_seed(*command, options->seed, "of the library's cases");
  command->add_option("--time-limit", options->time_limit, "seconds that a kernel may take for one case")
      ->check(CLI::Range(0.1, 36000.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "a line of JSON for each file");
  command->add_option("--out", options->out, "a new folder for ledger.json and the reports (docs/ledger.md)");
  command->add_option("--save-repro", options->save_repro,
                      "write the row of the worst element that differs to this file");
  command->add_option("--jobs", options->jobs, "threads; the result does not depend on it [cores]")
      ->check(CLI::Range(1, 1024));
}

void add_cases(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "cases", "write cases to run an attention kernel on (docs/dumps.md)", cases, chosen);
  command->add_option("folder", options->folder, "a new folder")->required();
  add_seed(*command, options->seed, "same seed, same cases");
  command->add_option("--dtype", options->dtype, "of q, k and v, or of logits: f32, f16, bf16, f64 of logits alone")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "f64"}))
      ->capture_default_str();
  command->add_option("--normalizer", options->normalizer,
                      "rows of logits for this normalizer's kernel, not attention");
  command->add_option("--head-size", options->head_size, "of q, k and v")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      ->add_option("--features", options->features,
                   "what the kernel can be asked for: " + CLI::detail::join(attncert::attention_features, ", "))
      ->delimiter(',')
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(attncert::attention_features), std::end(attncert::attention_features))));
  command->add_option("--effort", options->effort, "so many times the random cases")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
}

void add_report(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(app, "report", "write the report of a ledger again", report, chosen);
  std::vector<std::string> names;
  std::string help;
  for (const attncert::ReportFormat& format : attncert::report_formats()) {
    names.emplace_back(format.name);
    help += (help.empty() ? "" : ", ") + names.back();
    if (!format.text.empty()) help += " (" + std::string(format.text) + ")";
  }
  CLI::Option* const ledger = command->add_option("ledger", options->ledger, "ledger.json of a run");
  command->add_flag("--schema", options->schema, "the JSON Schema of every ledger, in place of a report")
      ->excludes(ledger);
  command->add_option("--format", options->format, help)->check(CLI::IsMember(names))->capture_default_str();
  command->add_option("--out", options->out, "file [standard output]");
}

void add_gpt2(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "gpt2", "run a GPT-2 on a text: what its heads do, and how exact its weights are", gpt2, chosen);
  add_real(*command, options->real, 1'000'000, "windows of the text, at most; the partial last one is left out");
  command->add_option("--queries", options->queries,
                      "positions between commas, or all [14 by the logarithm of the length]");
  command->add_option("--normalizer", options->normalizer, "in place of softmax, as list --normalizers names it")
      ->capture_default_str();
  command->add_option("--temperature", options->temperature, "put on the model's logits")->capture_default_str();
  command->add_option("--alpha", options->alpha, "of entmax: 3/2, 1.7, ...")->capture_default_str();
  command->add_option("--ssmax-scale", options->ssmax_scale, "s of ssmax")->capture_default_str();
  command->add_option("--k", options->k, "of top-k-softmax")->capture_default_str();
  command->add_option("--tokens", options->tokens, "what x_i are: embed (wte + wpe), hidden (block input), ln1, value")
      ->capture_default_str();
  command->add_option("--scales", options->scales, "raw, unit: as they are, on a sphere")->capture_default_str();
  command->add_option("--radius", options->radius, "of that sphere")->capture_default_str();
  command->add_option("--counts", options->counts, "N between commas [5, powers of two; 1% to 99% of the longest row]");
  command->add_option("--temperatures", options->temperatures,
                      "of the Jacobian of the longest row, between commas [.01 to 10]");
  command->add_option("--draw", options->draw, "whose Figure 1, LAYER:HEAD between commas [four, by how concentrated]");
  command->add_option("--out", options->out, "folder of the tables, figures and the report [out/gpt2]");
  command->add_option("--jobs", options->jobs, "windows at a time [cores]")->check(CLI::Range(1, 1024));
  command->add_flag("--resume", options->resume, "go on from the last whole window");
  command->add_flag("--force", options->force, "replace an earlier run");
  command->add_flag("--columns", options->columns, "what the columns of the tables mean");
}

void add_faults(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(
      app, "faults", "deliberately wrong kernels: which check notices each, after how many cases", faults, chosen);
  add_seed(*command, options->seed, "seed of the rows");
  add_effort(*command, options->effort);
  add_results(*command, options->out, options->json);
}

void add_fuzz(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "fuzz", "hunt for what violates a subject; store it, minimised", fuzz, chosen);
  command
      ->add_option("subject", options->subject,
                   "a normalizer, a bound, a claim, a reader of files, checker, or all of a target (see list --fuzz)")
      ->required();
  command->add_option("--time", options->seconds, "seconds")
      ->check(CLI::Validator(whole_seconds, "UINT"))
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "engines at a time, which share the corpus")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  add_seed(*command, options->seed, "of the engines; with one job the same seed does the same for a while");
  command->add_option("--out", options->out,
                      "folder of corpus and findings; one that is there goes on [out/fuzz/SUBJECT]");
  CLI::Option* const library = command->add_option(
      "--library", options->library,
      "a shared library of kernels (docs/kernels.md) in place of the built-in ones; the subject is one of "
      "them, a normalizer, or normalizer for all");
  add_budget(*command, options->budget, library);
  command->add_option("--engine", options->engine,
                      "the fuzzing program [attncert_fuzz_TARGET of build/fuzz; with --library attncert_search]");
}

// Prints what is wrong with the arguments, or the help that was asked for.
int say(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    const int alone = !version && !app.get_subcommands().empty() ? 3 : 2;  // attncert check --help, attncert --version
    if (argc == alone) return app.exit(error);
    std::fprintf(stderr, "attncert: %s beside other arguments, none of which was used; give it alone\n",
                 version ? "--version" : "--help");
    return bad_usage;
  }
  // CLI11 asks for the missing subcommand before it names the word that is none.
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool misspelt = required && app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-';
  std::fprintf(stderr, "attncert: %s%s; see attncert --help\n", misspelt ? argv[1] : error.what(),
               misspelt ? ": no such subcommand" : "");
  return bad_usage;
}

int run(const Chosen& chosen) {
  int status = bad_usage;
  try {
    status = chosen();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "attncert: out of memory; give it more, or a smaller input\n");
    return bad_usage;
  } catch (const std::exception& error) {  // nothing else catches: the functions below return Results
    std::fprintf(stderr, "attncert: %s; check the disk, the memory and the files named\n", error.what());
    return bad_usage;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "attncert: standard output cannot be written; check where it goes\n");
    return bad_usage;
  }
  return status;
}

constexpr const char* purpose =
    "attncert: is what people claim about attention normalizers true, and does a kernel compute what it says?";

// What a person needs who knows the name only. No verdict was asked for, so none is claimed by the status.
int say_what_for() {
  std::printf(
      "%s\n\n"
      "  attncert certify                    judges each claim of the catalogue, and this machine's kernels\n"
      "  attncert accuracy --library FILE    judges the kernels of a shared library of yours\n"
      "  attncert gpt2                       shows what attention does in a model, head by head\n\n"
      "attncert --help has the other commands, attncert COMMAND --help the options of one.\n",
      purpose);
  return bad_usage;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return say_what_for();
  CLI::App app{purpose};
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", ATTNCERT_VERSION);
  Chosen chosen;
  for (const auto add : {add_list, add_certify, add_check, add_replay, add_accuracy, add_judge, add_cases, add_report,
                         add_gpt2, add_faults, add_fuzz})
    add(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return say(app, error, argc, argv);
  }
  return run(chosen);
}
