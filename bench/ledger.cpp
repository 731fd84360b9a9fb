#include "bench/ledger.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/bars.hpp"
#include "src/core/environment/environment.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {

namespace {

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void print(const BenchRow& row) {
  std::string verdict;
  if (row.bar) verdict = fmt::format("{} {}", *row.bar, row.misses() ? "MISSED" : "held");
  fmt::print("| {} | {} | {} | {:.3f} | {} | {:.3f} | {:.3f} to {:.3f} | {} |\n", row.benchmark, row.length, row.memory,
             row.nanoseconds, row.peer, row.ratio, row.ratio_low, row.ratio_high, verdict);
  std::fflush(stdout);
}

// An empty ledger of this machine, or what the file has of it.
Result<Bench> ledger_of(const std::filesystem::path& file) {
  const Environment here = environment(current_instruction_set());
  Bench bench;
  bench.machine = {
      {"cpu", here.cpu}, {"instruction_set", here.isa}, {"commit", here.commit + (here.dirty ? " with changes" : "")}};
  if (!std::filesystem::exists(file)) return bench;
  Result<Bench> there = read_bench(file);
  if (there && there->machine != bench.machine)
    return Error{file.string() + ": is of another machine, instruction set or commit; name another file"};
  return there;
}

}  // namespace

Ledger::Ledger() {
  fmt::print("| benchmark | length | memory | ns an element | beside | ratio | half of the rounds | bar |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
}

void Ledger::compare(const Benchmark& what, const std::vector<Subject>& subjects, std::size_t elements,
                     std::size_t rounds) {
  const std::vector<Measured> measured = interleave(subjects, elements, rounds, 2e-3);
  for (std::size_t i = 1; i < measured.size(); ++i) {
    const std::vector<double> ratios = ratios_of(measured[0], measured[i]);
    rows_.push_back({.benchmark = what.name,
                     .memory = what.memory,
                     .peer = measured[i].name,
                     .length = what.length,
                     .rounds = rounds,
                     .ratio = median(ratios),
                     .ratio_low = quantile(ratios, 0.25),
                     .ratio_high = quantile(ratios, 0.75),
                     .nanoseconds = median(measured[0].nanoseconds),
                     .peer_nanoseconds = median(measured[i].nanoseconds),
                     .bar = bar(what, measured[i].name)});
    print(rows_.back());
  }
}

int run_program(int argc, char** argv, const char* about, void (*measure)(Ledger& ledger, const Options& options)) {
  CLI::App app(about);
  Options options;
  std::string file;
  app.add_option("--json", file, "keep the ratios in this file, in the place of older ones");
  app.add_option("--only", options.only, "measure what contains this text");
  options.instruction_set = current_instruction_set();
  app.add_option("--instruction-set", options.instruction_set, "force it")->check(CLI::IsMember(instruction_sets()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const ForcedInstructionSet forced(options.instruction_set);
  const auto refuse = [](const std::string& why) {
    fmt::print(stderr, "{}\n", why);
    return 2;
  };
  Result<Bench> kept = file.empty() ? Bench() : ledger_of(file);  // before hours are spent
  if (!kept) return refuse(kept.error().message);
  Ledger ledger;
  measure(ledger, options);
  if (ledger.rows().empty())
    return refuse("--only: no benchmark contains \"" + options.only + "\"; leave it out to see all");
  if (file.empty()) return 0;
  for (const BenchRow& row : ledger.rows()) {
    std::erase_if(kept->rows, [&](const BenchRow& old) { return old.same_as(row); });
    kept->rows.push_back(row);
  }
  const Result<Done> written = write_bench(*kept, file);
  return written ? 0 : refuse(written.error().message);
}

}  // namespace attncert::bench
