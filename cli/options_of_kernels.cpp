// Subcommands that judge kernels and what kernels computed.
#include <fmt/ranges.h>

#include "cli/console.hpp"
#include "cli/options.hpp"
#include "properties/conformance/accuracy/device_tier.hpp"
#include "properties/dumps/cases.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "properties/dumps/settings.hpp"
#include "src/core/number_in.hpp"
#include "src/core/old_names.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {
namespace {

std::string help_of_judge() {
  return fmt::format(
      "host, or device: one with f64 judges ordinary rows of {} of f32, f16 and bf16, the host what that leaves open",
      fmt::join(judged_on_device, ", "));
}

std::string whole_seconds(const std::string& text) {
  constexpr std::uint64_t year = 31'536'000;  // libFuzzer's clock is an int
  const std::optional<std::uint64_t> seconds = number_in<std::uint64_t>(text);
  return text.size() <= 8 && seconds >= 1u && seconds <= year ? "" : "whole seconds from 1 to 31536000";
}

std::string limit_or_none(std::string& text) {
  const std::optional<std::uint64_t> limit = number_in<std::uint64_t>(text);
  const bool none = text == "none";
  if (none) text = "0";
  return none || (limit >= 1u && limit <= 65'536u) ? "" : "is neither 1 to 65536 nor none";
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  return names;
}

// An option each; one that both kinds of dumps have is there once.
template <class Settings>
void add_settings(CLI::App& command, std::span<const Setting<Settings>> list,
                  std::map<std::string, std::string>& texts) {
  for (const Setting<Settings>& setting : list) {
    const std::string option = "--" + std::string(setting.name);
    if (command.get_option_no_throw(option) == nullptr)
      command.add_option_function<std::string>(
          option, [&texts, name = std::string(setting.name)](const std::string& text) { texts[name] = text; },
          std::string(setting.help));
  }
}

}  // namespace

void add_accuracy(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_campaign(app, "accuracy", "measure the kernels against enclosures, in ulp",
                                               accuracy_campaign, chosen, accuracy);
  command->add_option("--normalizer", options->normalizers,
                      "softmax, log-softmax, ..., or a bound: distance, separability, ... [all]");
  CLI::Option* const isa =
      command->add_option("--isa", options->isas, "instruction sets (see `attncert list --kernels`) [all]");
  const std::vector<std::string> dtypes = dtype_names();
  command->add_option("--dtype", options->dtypes, CLI::detail::join(dtypes, ", ") + " [all]")
      ->check(CLI::IsMember(dtypes));
  command->add_flag_callback(
      "--quick", [chosen_options = options] { chosen_options->effort = "quick"; }, "same as --effort quick");
  add_seed(*command, options->seed, "seed of the rows");
  add_effort(*command, options->effort);
  CLI::Option* const only = command->add_option("--case", options->only_case, "one row only, by its name in a report");
  only->transform([](const std::string& given) { return present_name_of("case", given); });
  CLI::Option* row = command->add_option(
      "--row", options->row, "this row only, entry by entry: logits between commas, nan, inf and 0x1p-3 among them");
  command->add_option("--temperature", options->temperature, "of the row")->capture_default_str()->needs(row);
  add_run(*command, options->run, "a new folder for ledger.json and the reports (docs/ledger.md)");
  for (const char* of_campaign : {"--out", "--json", "--shard"}) row->excludes(command->get_option(of_campaign));
  CLI::Option* library = command->add_option(
      "--library", options->library, "a shared library of kernels (docs/kernels.md) in place of the built-in ones");
  CLI::Option* const kernel = command->add_option("--kernel", options->kernels, "kernels by their names [all]");
  CLI::Option* const exec =
      command->add_option("--exec", options->exec,
                          "COMMAND FOLDER computes the campaign's rows of one normalizer, as files (docs/dumps.md)");
  exec->excludes(library)->excludes(row)->excludes(isa)->excludes(only)->excludes(kernel);
  command->add_option("--judge", options->judge, help_of_judge())
      ->check(CLI::IsMember({"host", "device"}))
      ->capture_default_str()
      ->excludes(row)
      ->excludes(exec);
  CLI::Option* const budget = add_budget(*command, options->budget);
  CLI::Option* const time =
      command
          ->add_option("--time-limit", options->time_limit, "seconds for one run of a kernel of the library or command")
          ->check(CLI::Range(0.01, 3600.0))
          ->capture_default_str();
  command->parse_complete_callback([=] {
    for (const CLI::Option* option : {budget, time})
      if (option->count() != 0 && library->count() + exec->count() == 0)
        throw CLI::RequiresError(option->get_name(), "--library or --exec");
  });
  command
      ->add_option("--memory-limit", options->memory_limit,
                   "GiB of address space for the library's process, or none, as drivers of GPUs map terabytes")
      ->transform(CLI::Validator(limit_or_none, "1 to 65536, or none"))
      ->capture_default_str()
      ->needs(library);
  command
      ->add_option("--under", options->under,
                   "run the library's process under oclgrind: races and accesses beyond a buffer of its OpenCL kernels")
      ->check(CLI::IsMember({"oclgrind"}))
      ->needs(library);
}

void add_judge(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "judge", "judge what a kernel computed, from files of tensors (docs/dumps.md)", judge, chosen);
  command
      ->add_option("paths", options->paths,
                   "files with q, k, v and o or logits and weights (.safetensors, .npz), folders of .npy, or of cases")
      ->required();
  add_settings(*command, dump_settings(), options->settings);
  add_settings(*command, row_settings(), options->settings);
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
  command->add_flag("--resume", options->resume, "keep the outputs of an earlier run, and run the other cases")
      ->needs(exec);
  add_seed(*command, options->seed, "of the library's cases");
  command->add_option("--time-limit", options->time_limit, "seconds that a kernel may take for all calls of a case")
      ->check(CLI::Range(0.1, 36000.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "a line of JSON for each file");
  command->add_option("--out", options->out, "a new folder for ledger.json and the reports (docs/ledger.md)");
  command->add_option(
      "--save-repro", options->save_repro,
      "write what the worst element that differs is computed from to this file: its row, of gradients its KV head");
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
  command->add_option("--dtype-kv", options->dtype_kv, "of k and v: f32, f16, bf16, e4m3, e5m2 [as --dtype]")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "e4m3", "e5m2"}));
  command->add_option("--normalizer", options->normalizer,
                      "rows of logits for this normalizer's kernel, not attention");
  command->add_option("--head-size", options->head_size, "of q, k and v")
      ->check(CLI::Range(std::size_t{1}, largest_head_size))
      ->capture_default_str();
  command
      ->add_option("--features", options->features,
                   "what the kernel can be asked for: " + CLI::detail::join(attention_features, ", "))
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(attention_features), std::end(attention_features))));
  command->add_option("--effort", options->effort, "so many times the random cases")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
}

void add_pipe(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(
      app, "pipe", "a worker of judge --exec that hands the cases to a command's standard input (docs/dumps.md)", pipe,
      chosen);
  command->add_option("command", options->command, "a shell's, as \"ssh host python3 worker.py\"")->required();
  command->add_option("folder", options->folder, "of cases; judge --exec gives it")->required();
}

void add_faults(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_campaign(app, "faults", "deliberately wrong kernels: which check notices each, after how many cases",
                   faults_campaign, chosen);
  add_seed(*command, options->seed, "seed of the rows");
  add_effort(*command, options->effort);
  add_run(*command, options->run, "a new folder for ledger.json and the reports (docs/ledger.md)");
}

void add_merge(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "merge", "put the shards of a run together, and say what is wrong with them", merge, chosen);
  command->add_option("folders", options->folders, "of the shards")->required();
  add_results(*command, options->run.out, options->run.json);
  command->add_option("--recheck", options->recheck, "run so many tasks of each shard again, and compare bit for bit")
      ->check(CLI::Range(0, 1'000'000));
  command->add_option("--recheck-seed", options->seed, "which tasks [drawn anew each time, and printed]");
  command->add_flag("--any-instruction-sets", options->any_instruction_sets,
                    "shards of machines with different instruction sets, devices and OpenBLAS are one run");
  for (const auto& [name, help] : {std::pair("--library", "the library that the run was of, which the merge loads"),
                                   std::pair("--engine", "the program that the run was with, which the merge starts"),
                                   std::pair("--model", "where the run's model lies [where it lay]"),
                                   std::pair("--text", "where the run's text lies [where it lay]")})
    command->add_option_function<std::string>(
        name,
        [files = &options->files, option = std::string(name)](const std::string& file) { (*files)[option] = file; },
        help);
}

void add_status(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(app, "status", "how far the shards of a run are", status, chosen);
  command->add_option("folders", options->folders, "of the shards")->required();
}

void add_fuzz(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_campaign(app, "fuzz", "hunt for what violates a subject; store it, minimised", fuzz_campaign, chosen, fuzz);
  command
      ->add_option("subject", options->subject,
                   "a normalizer, a bound, a claim, a reader of files, checker, or all of a target (see list --fuzz)")
      ->required();
  command->add_option("--time", options->seconds, "seconds")
      ->check(CLI::Validator(whole_seconds, "UINT"))
      ->capture_default_str();
  options->run.jobs = 1;
  command->add_option("--jobs", options->run.jobs, "engines at a time, which share the corpus")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  add_seed(*command, options->seed, "of the engines; with one job the same seed does the same for a while");
  command->add_option("--out", options->run.out,
                      "folder of corpus and findings; one that is there goes on [out/fuzz/SUBJECT]");
  add_shard(*command, options->run);
  CLI::Option* const shard = command->get_option("--shard");
  shard->description("one of several hunts, as 2/8, or auto: what the environment says; then attncert merge");
  command->get_option("--resume")->needs(shard);
  add_json(*command, options->run.json);
  CLI::Option* const library = command->add_option(
      "--library", options->library,
      "a shared library of kernels (docs/kernels.md) in place of the built-in ones; the subject is one of "
      "them, a normalizer, or normalizer for all");
  add_budget(*command, options->budget)->needs(library);
  command->add_option("--engine", options->engine,
                      "the fuzzing program [attncert_fuzz_TARGET of build/fuzz; with --library attncert_search]");
}

}  // namespace attncert::cli
