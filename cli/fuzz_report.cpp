#include "cli/fuzz_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "properties/claims/claim.hpp"
#include "src/core/shell_word.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

// The worst case and the file to replay it. A finding is worse, and its engine did not live to keep it.
std::string worst_row(const Hunt& hunt, const HuntEnd& end) {
  if (end.progress.worst < 0) return "";
  const fs::path file = hunt.worst_file(end.progress.worst_job);
  std::error_code error;
  const bool kept = !end.found && fs::is_regular_file(file, error);
  return "; " + worst_text(end.progress) + (kept ? " in " + file.string() : "");
}

std::string text(const std::vector<StoredFinding>& findings) {
  std::string line = findings.size() == 1 ? "found" : fmt::format("{} findings", findings.size());
  for (const StoredFinding& finding : findings)
    line += fmt::format(" {}{}: {}", finding.file.string(), finding.is_new ? "" : " (known)", finding.what);
  return line;
}

bool are_expected(const FuzzSubject& subject, const std::vector<StoredFinding>& findings) {
  const Claim* claim = subject.target == "claim" ? find_claim(subject.name) : nullptr;
  return claim != nullptr && claim->expected == Expected::refuted &&
         std::all_of(findings.begin(), findings.end(), [](const StoredFinding& finding) { return finding.refutes; });
}

}  // namespace

void print_hunt(const Hunt& hunt, const WatchedHunt& watched, const std::string& outcome) {
  const HuntEnd& end = watched.end;
  const double core_seconds = std::max(end.seconds, 1e-3) * static_cast<double>(hunt.jobs);
  fmt::print("{}: {} executions in {:.0f} s, {:.0f}/s/core, coverage {}, features {}, corpus {}{}; {}\n",
             hunt.subject.name, end.progress.executions, end.seconds,
             static_cast<double>(end.progress.executions) / core_seconds, end.progress.coverage, end.progress.features,
             end.progress.corpus, worst_row(hunt, end), watched.findings.empty() ? outcome : text(watched.findings));
}

std::vector<LedgerJudgement> hunt_rows(const Hunt& hunt, const WatchedHunt& watched, const std::string& outcome) {
  const HuntEnd& end = watched.end;
  LedgerJudgement row;
  row.file = hunt.subject.name;
  row.part = "fuzz";
  row.read_as = worst_text(end.progress);
  row.verdict = end.found || end.interrupted ? "undecided" : "holds";
  row.why = outcome;
  row.elements = end.progress.executions;
  if (watched.findings.empty()) return {row};
  std::vector<LedgerJudgement> rows;
  for (const StoredFinding& finding : watched.findings) {
    row.verdict = are_expected(hunt.subject, {finding}) ? "holds" : "differs";
    row.why = finding.what;
    row.replay = "attncert replay " + shell_word(finding.file.string());
    if (!hunt.library.empty()) row.replay += " --library " + shell_word(hunt.library);
    if (!hunt.budget.empty()) row.replay += " --budget " + shell_word(hunt.budget);
    rows.push_back(row);
  }
  return rows;
}

int hunt_status(const Hunt& hunt, const WatchedHunt& watched) {
  return watched.findings.empty() || are_expected(hunt.subject, watched.findings) ? all_as_expected : differs;
}

}  // namespace attncert::cli
