#include "cli/options.hpp"

#include <set>

#include "cli/effort.hpp"
#include "src/core/number_in.hpp"

namespace attncert::cli {
namespace {

// CLI11 2.1 wraps "-1" and saturates long numbers: a seed is exactly what was written, or refused.
std::string whole_number(const std::string& text) {
  return number_in<std::uint64_t>(text) ? "" : "a whole number from 0 to 2^64 - 1";
}

std::string campaign_effort(const std::string& text) { return effort_named(text) ? "" : "one of " + effort_names(); }

}  // namespace

void add_real(CLI::App& command, RealOptions& real, int most_windows, const char* windows) {
  command.add_option("--model", real.model, "folder of a GPT-2 in HuggingFace layout [data/tiny-gpt2]");
  command.add_option("--text", real.text, "text file to run it on [data/sample.txt]");
  command.add_option("--windows", real.windows, windows)->check(CLI::Range(1, most_windows))->capture_default_str();
}

void add_seed(CLI::App& command, std::uint64_t& seed, const char* text) {
  command.add_option("--seed", seed, text)->check(CLI::Validator(whole_number, "UINT"))->capture_default_str();
}

void add_effort(CLI::App& command, std::string& effort) {
  command.add_option("--effort", effort, effort_names())
      ->check(CLI::Validator(campaign_effort, "EFFORT"))
      ->capture_default_str();
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "the ledger on standard output; what is for people on standard error");
}

void add_results(CLI::App& command, std::string& out, bool& json) {
  command.add_option("--out", out, "a new folder for ledger.json and the reports (docs/ledger.md)");
  add_json(command, json);
}

void add_shard(CLI::App& command, RunOptions& run) {
  command.add_flag("--resume", run.resume, "go on with an interrupted run of the folder");
  command.add_option("--shard", run.shard,
                     "only a part of the tasks, as 2/8, or auto: what the environment says; then attncert merge");
}

void add_run(CLI::App& command, RunOptions& run, const char* out) {
  command.add_option("--out", run.out, out);
  command.add_option("--jobs", run.jobs, "threads; the result does not depend on it [cores]")
      ->check(CLI::Range(1, 1024));
  add_shard(command, run);
  command.add_flag("--force", run.force, "replace an earlier run in the folder")
      ->excludes(command.get_option("--resume"));
  add_json(command, run.json);
}

std::vector<std::string> deciding_arguments(const CLI::App& command) {
  static const std::set<std::string> others{"--help", "--out", "--jobs", "--resume", "--force", "--shard", "--json"};
  std::vector<std::string> arguments{command.get_name()};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_lnames().empty() ? "" : "--" + option->get_lnames().front();
    if (option->count() == 0 || others.contains(name)) continue;
    const std::vector<std::string>& values = option->results();
    if (values == std::vector{option->get_default_str()}) continue;
    for (const std::string& value : values) arguments.push_back(name.empty() ? value : name + "=" + value);
  }
  return arguments;
}

void add_commands(CLI::App& app, Chosen& chosen) {
  for (const auto add : {add_list, add_certify, add_check, add_replay, add_accuracy, add_judge, add_cases, add_pipe,
                         add_report, add_gpt2, add_faults, add_fuzz, add_merge, add_status, add_compare, add_history})
    add(app, chosen);
}

CLI::Option* add_budget(CLI::App& command, std::string& budget) {
  return command
      .add_option("--budget", budget,
                  "the class of budgets that its kernels are held to: plain, plain+running, ... (docs/budgets.md)")
      ->check([](const std::string& name) { return name.empty() ? "name a class, as plain: docs/budgets.md" : ""; });
}

}  // namespace attncert::cli
