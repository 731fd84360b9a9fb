// Subcommands that read the ledgers of several runs.
#include "cli/options.hpp"

namespace attncert::cli {
namespace {

void add_compared(CLI::App& command, ComparedOptions& compared) {
  command.add_option("--out", compared.out, "a new folder for the report, as a page and as Markdown");
  command.add_flag("--any-plan", compared.any_plan, "runs of other seeds, efforts, texts and models too");
  command.add_flag("--any-build", compared.any_build, "of other compilers, flags and libraries too");
  command.add_flag("--any-machine", compared.any_machine, "of other processors, instruction sets and devices too");
}

}  // namespace

void add_compare(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(
      app, "compare", "what changed between two runs; exit status 1 where something is worse", compare, chosen);
  command->add_option("before", options->before, "ledger.json or folder of a run")->required();
  command->add_option("after", options->after, "of the run that is held against it")->required();
  add_compared(*command, options->compared);
  command
      ->add_option("--max-slowdown", options->max_slowdown,
                   "a time more than so many times as long is a regression too [none is]")
      ->check(CLI::Range(1.0, 1e6));
  command->add_flag("--json", options->json, "the comparison on standard output; what is for people on standard error");
}

void add_history(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_command(app, "history", "the numbers of many runs of one plan, over their commits", history, chosen);
  command->add_option("paths", options->paths, "ledgers, folders of runs, or folders of such folders")->required();
  add_compared(*command, options->compared);
  command->add_flag("--json", options->json, "the numbers on standard output; what is for people on standard error");
}

}  // namespace attncert::cli
