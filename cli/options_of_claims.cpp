// Subcommands that speak of claims, of reports and of a model.
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/options.hpp"
#include "reports/formats.hpp"

namespace attncert::cli {
namespace {

std::string search_effort(const std::string& text) {
  const bool known = effort_named(text) || effort_factor(text);
  return known ? "" : effort_names() + ", or a number from 0.01 to 1000 (times normal)";
}

}  // namespace

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
      add_campaign(app, "certify", "audit claims and kernels; write a ledger and a report", certify_campaign, chosen);
  command->add_option("claims", options->claims, "ids (see `attncert list`) [all]");
  add_seed(*command, options->seed, "same seed, same ledger");
  command->add_option("--effort", options->effort, effort_names() + ", or a number: so many times normal")
      ->check(CLI::Validator(search_effort, "EFFORT"))
      ->capture_default_str();
  add_real(*command, options->real);
  command->add_flag("--no-real", options->no_real, "no captured attention");
  command->add_flag("--no-kernels", options->no_kernels, "no accuracy campaign of the kernels");
  command->add_flag("--cold", options->cold, "do not replay stored witnesses first");
  add_run(*command, options->run, "folder of the run [out/<seed>]");
}

void add_check(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(
      app, "check", "have witnesses and certificates judged by attncert-check, the independent checker", check, chosen);
  command->add_option("files", options->files, "witness or certificate files")->required();
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
  add_budget(*command, options->budget)->needs(library);
  add_real(*command, options->real);
}

void add_report(CLI::App& app, Chosen& chosen) {
  const auto [command, options] = add_command(app, "report", "write the report of a ledger again", report, chosen);
  std::vector<std::string> names;
  std::string help;
  for (const ReportFormat& format : report_formats()) {
    names.emplace_back(format.name);
    help += (help.empty() ? "" : ", ") + names.back();
    if (!format.text.empty()) help += " (" + std::string(format.text) + ")";
  }
  CLI::Option* const ledger = command->add_option("ledger", options->ledger, "ledger.json of a run");
  command->add_flag("--schema", options->schema, "the JSON Schema of every ledger, in place of a report")
      ->excludes(ledger);
  command->add_option("--format", options->format, help)->check(CLI::IsMember(names))->capture_default_str();
  command->add_option("--out", options->out, "file [standard output]");
  command->add_option("--bench", options->bench, "the speeds that benchmarks kept by --json, shown too");
  command->add_option("--figures", options->figures,
                      "a new folder for every picture as an SVG file, in place of a report");
}

void add_gpt2(CLI::App& app, Chosen& chosen) {
  const auto [command, options] =
      add_campaign(app, "gpt2", "run a GPT-2 on a text: what its heads do, and how exact its weights are",
                   gpt2_campaign, chosen, gpt2);
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
  command->add_flag("--device", options->device,
                    "evaluate the bounds on the device that list --kernels names, one with f64");
  command->add_option("--draw", options->draw, "whose Figure 1, LAYER:HEAD between commas [four, by how concentrated]");
  add_run(*command, options->run, "folder of the tables, figures and the report [out/gpt2]");
  CLI::Option* const columns = command->add_flag("--columns", options->columns, "what the columns of the tables mean");
  for (const char* of_run : {"--out", "--shard", "--resume", "--force", "--json"})
    columns->excludes(command->get_option(of_run));
}

}  // namespace attncert::cli
