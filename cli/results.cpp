#include "cli/results.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/run_folder.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

Ledger::Timing timing_since(std::chrono::system_clock::time_point start, const std::string& folder) {
  Ledger::Timing timing;
  timing.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(start)));
  timing.seconds = std::chrono::duration<double>(std::chrono::system_clock::now() - start).count();
  timing.folder = folder;
  return timing;
}

LedgerOutput::LedgerOutput(bool json) {
  if (!json) return;
  standard_output_ = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

void LedgerOutput::print(const Ledger& ledger) const {
  if (is_wanted()) print(to_json(ledger));
}

void LedgerOutput::print(const std::string& json) const {
  if (!is_wanted()) return;
  std::fflush(stdout);
  dup2(standard_output_, STDOUT_FILENO);
  std::fputs(json.c_str(), stdout);
}

Result<Done> make_results_folder(const std::string& out) {
  if (out.empty()) return Done{};
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return Error{printable(out) + ": cannot be made: " + error.message() + "; choose another --out"};
  if (!fs::is_empty(out, error) || error)
    return Error{printable(out) + ": is not empty; choose another --out, or remove it"};
  return Done{};
}

Result<Results> Results::open(const std::string& out, bool json) {
  const Result<Done> made = make_results_folder(out);
  if (!made) return made.error();
  return Results(out, json);
}

Results::Results(std::string out, bool json) : out_(std::move(out)), json_(json) {
  ledger.environment = environment(current_instruction_set());
}

std::string Results::started() const { return timing_since(start_, out_).started; }

void Results::complete() {
  ledger.plan.facts = facts;
  // What stands elsewhere in the ledger.
  for (const char* known : {"seed", "effort", "claims", "commit", "compiler"}) ledger.plan.facts.erase(known);
  Ledger::Timing timing = timing_since(start_, out_);
  timing.per_claim = std::move(ledger.timing.per_claim);
  timing.throughput = std::move(ledger.timing.throughput);
  ledger.timing = std::move(timing);
}

int Results::written(int status, bool for_programs) {
  if (!wanted() || status == bad_usage) return status;
  complete();
  if (!out_.empty()) {
    const Result<Done> done = write_reports(out_, ledger);
    if (!done) return fail(done.error());
    fmt::print(for_programs ? stderr : stdout, "report: {}\n", printable((fs::path(out_) / "report.html").string()));
  }
  json_.print(ledger);
  return status;
}

int Results::written_ledger(int status) {
  complete();
  const Result<Done> done = write_text(fs::path(out_) / ledger_name, to_json(ledger));
  if (!done) return fail(done.error());
  json_.print(ledger);
  return status;
}

}  // namespace attncert::cli
