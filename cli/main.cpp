// attncert: arguments become the options of one subcommand (commands.hpp), and its status the exit status.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"

namespace {

using namespace attncert::cli;

constexpr const char* footer =
    "Exit status: 0 all as expected, 1 a verdict or a budget differs, 2 bad usage or input, 3 undecided, 130 "
    "interrupted.";

// CLI11 2.1 wraps "-1" and saturates long numbers: a seed is exactly what was written, or refused.
std::string whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? "" : "a whole number from 0 to 2^64 - 1";
}

std::string whole_seconds(const std::string& text) {
  constexpr std::uint64_t year = 31'536'000;  // libFuzzer's clock is an int
  if (!whole_number(text).empty() || text.size() > 8) return "whole seconds from 1 to 31536000";
  const std::uint64_t seconds = std::stoull(text);
  return seconds >= 1 && seconds <= year ? "" : "whole seconds from 1 to 31536000";
}

void add_real(CLI::App& command, RealOptions& real) {
  command.add_option("--model", real.model, "folder of a GPT-2 in HuggingFace layout [data/tiny-gpt2]");
  command.add_option("--text", real.text, "text file to run it on [data/sample.txt]");
  command.add_option("--windows", real.windows, "windows of the text, at most")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

void add_survey(CLI::App& command, Gpt2Options& options) {
  command.add_option("--model", options.real.model, "folder of a GPT-2 in HuggingFace layout [data/tiny-gpt2]");
  command.add_option("--text", options.real.text, "text file to run it on [data/sample.txt]");
  command
      .add_option("--windows", options.real.windows, "windows of the text, at most; the partial last one is left out")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--queries", options.queries,
                     "positions between commas, or all [14 by the logarithm of the length]");
  command.add_option("--normalizer", options.normalizer, "in place of softmax, as list --normalizers names it")
      ->capture_default_str();
  command.add_option("--temperature", options.temperature, "put on the model's logits")->capture_default_str();
  command.add_option("--alpha", options.alpha, "of entmax: 3/2, 1.7, ...")->capture_default_str();
  command.add_option("--ssmax-scale", options.ssmax_scale, "s of ssmax")->capture_default_str();
  command.add_option("--k", options.k, "of top-k-softmax")->capture_default_str();
  command.add_option("--tokens", options.tokens, "what x_i are: embed (wte + wpe), hidden (block input), ln1, value")
      ->capture_default_str();
  command.add_option("--scales", options.scales, "raw, unit: as they are, on a sphere")->capture_default_str();
  command.add_option("--radius", options.radius, "of that sphere")->capture_default_str();
  command.add_option("--counts", options.counts, "N between commas [5, powers of two; 1% to 99% of the longest row]");
  command.add_option("--temperatures", options.temperatures,
                     "of the Jacobian of the longest row, between commas [.01 to 10]");
  command.add_option("--draw", options.draw, "whose Figure 1, LAYER:HEAD between commas [four, by how concentrated]");
  command.add_option("--out", options.out, "folder of the tables, figures and the report [out/gpt2]");
  command.add_option("--jobs", options.jobs, "windows at a time [cores]")->check(CLI::Range(1, 1024));
  command.add_flag("--resume", options.resume, "go on from the last whole window");
  command.add_flag("--force", options.force, "replace an earlier run");
  command.add_flag("--columns", options.columns, "what the columns of the tables mean");
}

constexpr const char* efforts[] = {"quick", "normal", "full"};

std::string search_effort(const std::string& text) {
  const bool named = std::find(std::begin(efforts), std::end(efforts), text) != std::end(efforts);
  return named || effort_factor(text) ? "" : "quick, normal, full, or a number from 0.01 to 1000 (times normal)";
}

void add_effort(CLI::App& command, std::string& effort) {
  command.add_option("--effort", effort, "quick, normal or full")
      ->check(CLI::IsMember({"quick", "normal", "full"}))
      ->capture_default_str();
}

void add_fuzz(CLI::App& command, FuzzOptions& options) {
  command
      .add_option("subject", options.subject,
                  "a normalizer, a bound, a claim, a reader of files, checker, or all of a target (see list --fuzz)")
      ->required();
  command.add_option("--time", options.seconds, "seconds")
      ->check(CLI::Validator(whole_seconds, "UINT"))
      ->capture_default_str();
  command.add_option("--jobs", options.jobs, "engines at a time, which share the corpus")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the engines; with one job the same seed does the same for a while")
      ->check(CLI::Validator(whole_number, "UINT"))
      ->capture_default_str();
  command.add_option("--out", options.out,
                     "folder of corpus and findings; one that is there goes on [out/fuzz/SUBJECT]");
  command.add_option("--engine", options.engine, "the fuzzing program [attncert_fuzz_TARGET of build/fuzz]");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "attncert: is what people claim about attention normalizers true, and does a kernel compute what it says?"};
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", ATTNCERT_VERSION);
  std::function<int()> chosen;

  ListOptions list_options;
  CLI::App* list_command = app.add_subcommand("list", "the claims, or the kernels and instruction sets");
  list_command->add_flag("--normalizers", list_options.normalizers, "normalizers, their formulas and laws");
  list_command->add_flag("--kernels", list_options.kernels, "kernels and instruction sets of this machine");
  list_command->add_flag("--fuzz", list_options.fuzz, "what `attncert fuzz` takes: targets and their subjects");
  list_command->callback([&] { chosen = [&] { return list(list_options); }; });

  CertifyOptions certify_options;
  CLI::App* certify_command = app.add_subcommand("certify", "audit claims and kernels; write a ledger and a report");
  certify_command->add_option("claims", certify_options.claims, "ids (see `attncert list`) [all]");
  certify_command->add_option("--seed", certify_options.seed, "same seed, same ledger")
      ->check(CLI::Validator(whole_number, "UINT"))
      ->capture_default_str();
  certify_command
      ->add_option("--effort", certify_options.effort, "quick, normal, full, or a number: so many times normal")
      ->check(CLI::Validator(search_effort, "EFFORT"))
      ->capture_default_str();
  add_real(*certify_command, certify_options.real);
  certify_command->add_flag("--no-real", certify_options.no_real, "no captured attention");
  certify_command->add_flag("--no-kernels", certify_options.no_kernels, "no accuracy campaign of the kernels");
  certify_command->add_flag("--cold", certify_options.cold, "do not replay stored witnesses first");
  certify_command->add_option("--out", certify_options.out, "folder of the run [out/<seed>]");
  certify_command->add_option("--jobs", certify_options.jobs, "threads; the result does not depend on it [cores]")
      ->check(CLI::Range(1, 1024));
  CLI::Option* resume =
      certify_command->add_flag("--resume", certify_options.resume, "go on with an interrupted run of the folder");
  certify_command->add_flag("--force", certify_options.force, "replace an earlier run in the folder")->excludes(resume);
  certify_command->callback([&] { chosen = [&] { return certify(certify_options); }; });

  CheckOptions check_options;
  CLI::App* check_command =
      app.add_subcommand("check", "have witnesses judged by attncert-check, the independent checker");
  check_command->add_option("files", check_options.files, "witness files")->required();
  check_command->callback([&] { chosen = [&] { return check(check_options); }; });

  ReplayOptions replay_options;
  CLI::App* replay_command = app.add_subcommand("replay", "judge one instance again and show it");
  replay_command
      ->add_option("what", replay_options.what,
                   "a witness file, an input of a fuzz target, ID:SEED:CASE, ID:SEED:tape=HEX, or ID:real:... as a "
                   "report prints it")
      ->required();
  replay_command->add_option("--target", replay_options.target,
                             "the file is an input of this fuzz target [by its name, TARGET-..., or its folder's]");
  add_real(*replay_command, replay_options.real);
  replay_command->callback([&] { chosen = [&] { return replay(replay_options); }; });

  AccuracyOptions accuracy_options;
  CLI::App* accuracy_command = app.add_subcommand("accuracy", "measure the kernels against enclosures, in ulp");
  accuracy_command->add_option("--normalizer", accuracy_options.normalizers,
                               "softmax, log-softmax, ..., or a bound: distance, separability, ... [all]");
  accuracy_command->add_option("--isa", accuracy_options.isas,
                               "instruction sets (see `attncert list --kernels`) [all]");
  accuracy_command->add_option("--dtype", accuracy_options.dtypes, "f32, f64, f16, bf16 [all]")
      ->check(CLI::IsMember({"f32", "f64", "f16", "bf16"}));
  accuracy_command->add_flag_callback(
      "--quick", [&] { accuracy_options.effort = "quick"; }, "same as --effort quick");
  accuracy_command->add_option("--seed", accuracy_options.seed, "seed of the rows")
      ->check(CLI::Validator(whole_number, "UINT"))
      ->capture_default_str();
  add_effort(*accuracy_command, accuracy_options.effort);
  accuracy_command->add_option("--case", accuracy_options.only_case, "one row only, by its name in a report")
      ->transform([](const std::string& given) { return present_name_of("case", given); });
  CLI::Option* row = accuracy_command->add_option(
      "--row", accuracy_options.row,
      "this row only, entry by entry: logits between commas, nan, inf and 0x1p-3 among them");
  accuracy_command->add_option("--temperature", accuracy_options.temperature, "of the row")
      ->capture_default_str()
      ->needs(row);
  CLI::Option* library =
      accuracy_command->add_option("--library", accuracy_options.library,
                                   "a shared library of kernels (docs/kernels.md) in place of the built-in ones");
  accuracy_command
      ->add_option("--time-limit", accuracy_options.time_limit, "seconds for one run of a kernel of the library")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str()
      ->needs(library);
  accuracy_command
      ->add_option("--memory-limit", accuracy_options.memory_limit, "GiB of address space for the library's process")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str()
      ->needs(library);
  accuracy_command->callback([&] { chosen = [&] { return accuracy(accuracy_options); }; });

  ReportOptions report_options;
  CLI::App* report_command = app.add_subcommand("report", "write the report of a ledger again");
  report_command->add_option("ledger", report_options.ledger, "ledger.json of a run")->required();
  report_command
      ->add_option("--format", report_options.format,
                   "table, markdown, html, claims (docs/claims.md), or kernels (docs/kernels-table.md)")
      ->check(CLI::IsMember({"table", "markdown", "html", "claims", "kernels"}))
      ->capture_default_str();
  report_command->add_option("--out", report_options.out, "file [standard output]");
  report_command->callback([&] { chosen = [&] { return report(report_options); }; });

  Gpt2Options gpt2_options;
  CLI::App* gpt2_command =
      app.add_subcommand("gpt2", "run a GPT-2 on a text: what its heads do, and how exact its weights are");
  add_survey(*gpt2_command, gpt2_options);
  gpt2_command->callback([&] { chosen = [&] { return gpt2(gpt2_options); }; });

  FaultsOptions faults_options;
  CLI::App* faults_command =
      app.add_subcommand("faults", "deliberately wrong kernels: which check notices each, after how many cases");
  faults_command->add_option("--seed", faults_options.seed, "seed of the rows")
      ->check(CLI::Validator(whole_number, "UINT"))
      ->capture_default_str();
  add_effort(*faults_command, faults_options.effort);
  faults_command->add_option("--out", faults_options.out, "also write the table to this file, as Markdown");
  faults_command->callback([&] { chosen = [&] { return faults(faults_options); }; });

  FuzzOptions fuzz_options;
  CLI::App* fuzz_command = app.add_subcommand("fuzz", "hunt for what violates a subject; store it, minimised");
  add_fuzz(*fuzz_command, fuzz_options);
  fuzz_command->callback([&] { chosen = [&] { return fuzz(fuzz_options); }; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::RequiredError& error) {
    // CLI11 asks for the missing subcommand before it names the word that is none.
    const bool misspelt = app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-';
    std::fprintf(stderr, "attncert: %s%s; see attncert --help\n", misspelt ? argv[1] : error.what(),
                 misspelt ? ": no such subcommand" : "");
    return bad_usage;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "attncert: %s; see attncert --help\n", error.what());
    return bad_usage;
  }
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
