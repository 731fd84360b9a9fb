// From arguments to the options of a subcommand (commands.hpp): each add_... makes a subcommand, and what was chosen
// runs it. Included by .cpp files only.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace attncert::cli {

struct Chosen {
  std::function<int()> run;
  std::function<Result<Campaign>(const std::string& shard)> campaign;  // of a command that is one
};

// The command and those of its arguments that decide what it finds, as they would be given again.
std::vector<std::string> deciding_arguments(const CLI::App& command);

// A subcommand, and its options, which live as long as what was chosen.
template <class Options>
std::pair<CLI::App*, Options*> add_command(CLI::App& app, const char* name, const char* text,
                                           int (*run)(const Options&), Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(name, text);
  command->callback([options, run, &chosen] { chosen.run = [options, run] { return run(*options); }; });
  return {command, options.get()};
}

// Likewise, of a command whose work is tasks. run: where it is not always.
template <class Options>
std::pair<CLI::App*, Options*> add_campaign(CLI::App& app, const char* name, const char* text,
                                            Result<Campaign> (*make)(const Options&), Chosen& chosen,
                                            int (*run)(const Options&) = nullptr) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(name, text);
  command->callback([options, make, run, command, &chosen] {
    options->run.arguments = deciding_arguments(*command);
    chosen.campaign = [options, make](const std::string& shard) {
      options->run.shard = shard;
      return make(*options);
    };
    chosen.run = [options, make, run] {
      return run != nullptr ? run(*options) : run_campaign(make(*options), options->run);
    };
  });
  return {command, options.get()};
}

// Options that several have.
void add_real(CLI::App& command, RealOptions& real, int most_windows = 1000,
              const char* windows = "windows of the text, at most");
void add_seed(CLI::App& command, std::uint64_t& seed, const char* text);
void add_effort(CLI::App& command, std::string& effort);
void add_json(CLI::App& command, bool& json);  // the ledger
void add_results(CLI::App& command, std::string& out, bool& json);
// --out, --jobs, --resume, --force, --shard and --json. out: what it says of the folder.
void add_run(CLI::App& command, RunOptions& run, const char* out);
void add_shard(CLI::App& command, RunOptions& run);  // --resume and --shard
CLI::Option* add_budget(CLI::App& command, std::string& budget);

void add_commands(CLI::App& app, Chosen& chosen);  // all of them

void add_list(CLI::App& app, Chosen& chosen);
void add_certify(CLI::App& app, Chosen& chosen);
void add_check(CLI::App& app, Chosen& chosen);
void add_replay(CLI::App& app, Chosen& chosen);
void add_report(CLI::App& app, Chosen& chosen);
void add_gpt2(CLI::App& app, Chosen& chosen);

void add_accuracy(CLI::App& app, Chosen& chosen);
void add_judge(CLI::App& app, Chosen& chosen);
void add_cases(CLI::App& app, Chosen& chosen);
void add_pipe(CLI::App& app, Chosen& chosen);
void add_faults(CLI::App& app, Chosen& chosen);
void add_fuzz(CLI::App& app, Chosen& chosen);
void add_merge(CLI::App& app, Chosen& chosen);
void add_status(CLI::App& app, Chosen& chosen);
void add_compare(CLI::App& app, Chosen& chosen);
void add_history(CLI::App& app, Chosen& chosen);

}  // namespace attncert::cli
