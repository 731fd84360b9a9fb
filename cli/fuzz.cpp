// attncert fuzz: finds a subject's engine, runs it over the corpus of an output folder, shows how far it is, and stores
// what it finds. The corpus stays: the same command goes on from it.
#include <chrono>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/fuzz_hunt.hpp"
#include "cli/fuzz_report.hpp"
#include "cli/interrupt.hpp"
#include "cli/results.hpp"
#include "cli/run_folder.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// What a run that stored no finding came to.
std::string outcome_of(const Hunt& hunt, const HuntEnd& end) {
  if (!end.found && !end.interrupted) return "nothing found";
  const std::string found = end.found ? "what was found is not stored yet" : "nothing found";
  return found + "; interrupted: the same command goes on from " + hunt.out.string();
}

// A ledger beside the corpus.
int conclude(const Hunt& hunt, const WatchedHunt& done, const LedgerOutput& output,
             std::chrono::system_clock::time_point start) {
  const std::string outcome = outcome_of(hunt, done.end);
  Ledger ledger;
  ledger.plan.seed = hunt.seed;
  ledger.environment = environment(current_instruction_set());
  ledger.judgements = hunt_rows(hunt, done, outcome);
  ledger.timing = timing_since(start, hunt.out.string());
  if (const auto written = write_reports(hunt.out, ledger); !written) return fail(written.error());
  print_hunt(hunt, done, outcome);
  output.print(ledger);
  return stop && done.findings.empty() ? interrupted : hunt_status(hunt, done);
}

}  // namespace

int fuzz(const FuzzOptions& options) {
  if (!options.run.shard.empty()) return run_campaign(fuzz_campaign(options), options.run);
  const Result<Hunt> hunt = hunt_of(options);
  if (!hunt) return fail(hunt.error());
  stop_on_signals();
  const LedgerOutput output(options.run.json);
  const auto start = std::chrono::system_clock::now();
  const Result<WatchedHunt> done = watched(*hunt);
  return done ? conclude(*hunt, *done, output, start) : fail(done.error());
}

}  // namespace attncert::cli
