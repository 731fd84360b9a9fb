// attncert fuzz: finds a subject's engine, runs it over the corpus of an output folder, shows how far it is, and stores
// what it finds. The corpus stays: the same command goes on from it.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/external.hpp"
#include "cli/fuzz_findings.hpp"
#include "cli/interrupt.hpp"
#include "cli/results.hpp"
#include "cli/run_folder.hpp"
#include "properties/claims/claim.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

// On a terminal one line in place; elsewhere a line at once, a second later and every ten.
class Follower {
 public:
  explicit Follower(std::string subject) : subject_(std::move(subject)) {}
  ~Follower() { clear(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void show(const FuzzProgress& now, double seconds) {
    if (seconds < next_) return;
    next_ = in_place_ ? seconds + 0.1 : seconds < 1 ? 1 : seconds + 10;
    say(fmt::format("{}: {:.0f} s, {} executions, {:.0f}/s, coverage {}, features {}, corpus {}{}", subject_, seconds,
                    now.executions, static_cast<double>(now.executions) / std::max(seconds, 1e-3), now.coverage,
                    now.features, now.corpus, now.worst < 0 ? "" : ", " + worst_text(now)));
  }
  void clear() {
    if (in_place_ && shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }
  void say(const std::string& line) {
    if (in_place_) fmt::print(stderr, "\r\033[K{}", line.substr(0, width()));
    else fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
    shown_ = true;
  }

 private:
  static std::size_t width() {
    winsize window{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1U : 79U;
  }
  std::string subject_;
  bool in_place_ = errors_are_terminal(), shown_ = false;
  double next_ = 0;
};

Result<Done> make_folders(const fs::path& out) {
  for (const char* name : {"corpus", "artifacts", "findings"}) {
    std::error_code error;
    fs::create_directories(out / name, error);
    if (!error && access((out / name).c_str(), W_OK | X_OK) != 0) error.assign(errno, std::generic_category());
    if (error)
      return Error{(out / name).string() + ": cannot be written: " + error.message() + "; choose another --out"};
  }
  return Done{};
}

// What --library brings: its kernels stand for those of the suite.
Result<Hunt> hunt_on_library(const FuzzOptions& options) {
  AccuracyOptions named;
  named.library = options.library;
  named.budget = options.budget;
  const auto library = open_external_library(named);
  if (!library) return library.error();
  Hunt hunt;
  std::string names;
  for (const attncert_kernel* kernel : known_kernels(**library)) {
    names += (names.empty() ? "" : ", ") + std::string(kernel->name);
    const bool is_named = options.subject == kernel->name;
    if (is_named || options.subject == kernel->normalizer || options.subject == "normalizer")
      hunt.subject = {"normalizer", options.subject == "normalizer" ? options.subject : kernel->normalizer};
    if (is_named) hunt.kernel = kernel->name;
  }
  if (hunt.subject.name.empty())
    return Error{options.subject + ": neither a kernel of " + options.library + " nor a normalizer of one; it has " +
                 names};
  hunt.library = fs::absolute(options.library);
  hunt.budget = options.budget;
  return hunt;
}

Result<Hunt> hunt_on_built_in(const FuzzOptions& options) {
  const Result<FuzzSubject> subject = find_fuzz_subject(options.subject);
  if (!subject) return subject.error();
  Hunt hunt;
  hunt.subject = *subject;
  return hunt;
}

Result<Hunt> hunt_of(const FuzzOptions& options) {
  const bool on_library = !options.library.empty();
  Result<Hunt> hunt = on_library ? hunt_on_library(options) : hunt_on_built_in(options);
  if (!hunt) return hunt;
  const std::string& target = hunt->subject.target;
  const bool searches = on_library && options.engine.empty();
  const Result<fs::path> engine = searches ? find_search_engine() : find_engine(target, options.engine);
  if (!engine) return engine.error();
  hunt->engine = *engine;
  if (!searches) {  // attncert_search has limits of its own: those of the library's process
    const Result<std::vector<std::string>> limits = find_limits(target, *engine);
    if (!limits) return limits.error();
    hunt->limits = *limits;
  }
  const std::string name =
      on_library ? fs::path(options.library).stem().string() + "-" + options.subject : options.subject;
  hunt->out = options.out.empty() ? fs::path("out") / "fuzz" / name : fs::path(options.out);
  const Result<Done> made = make_folders(hunt->out);
  if (!made) return made.error();
  hunt->jobs = options.jobs;
  hunt->seconds = options.seconds;
  hunt->seed = options.seed;
  return hunt;
}

// The worst case and the file to replay it. A finding is worse, and its engine did not live to keep it.
std::string worst_row(const Hunt& hunt, const HuntEnd& end) {
  if (end.progress.worst < 0) return "";
  const fs::path file = hunt.worst_file(end.progress.worst_job);
  std::error_code error;
  const bool kept = !end.found && fs::is_regular_file(file, error);
  return "; " + worst_text(end.progress) + (kept ? " in " + file.string() : "");
}

// The one line of a whole run.
void print_summary(const Hunt& hunt, const HuntEnd& end, const std::string& outcome) {
  const double core_seconds = std::max(end.seconds, 1e-3) * static_cast<double>(hunt.jobs);
  fmt::print("{}: {} executions in {:.0f} s, {:.0f}/s/core, coverage {}, features {}, corpus {}{}; {}\n",
             hunt.subject.name, end.progress.executions, end.seconds,
             static_cast<double>(end.progress.executions) / core_seconds, end.progress.coverage, end.progress.features,
             end.progress.corpus, worst_row(hunt, end), outcome);
}

std::string text(const std::vector<StoredFinding>& findings) {
  std::string line = findings.size() == 1 ? "found" : fmt::format("{} findings", findings.size());
  for (const StoredFinding& finding : findings)
    line += fmt::format(" {}{}: {}", finding.file.string(), finding.is_new ? "" : " (known)", finding.what);
  return line;
}

// A violation of a claim that is expected to be refuted is as expected; every other finding is not.
bool are_expected(const FuzzSubject& subject, const std::vector<StoredFinding>& findings) {
  const Claim* claim = subject.target == "claim" ? find_claim(subject.name) : nullptr;
  return claim != nullptr && claim->expected == Expected::refuted &&
         std::all_of(findings.begin(), findings.end(), [](const StoredFinding& finding) { return finding.refutes; });
}

// What a run that stored no finding came to.
std::string outcome(const Hunt& hunt, const HuntEnd& end) {
  if (!end.found && !end.interrupted) return "nothing found";
  const std::string found = end.found ? "what was found is not stored yet" : "nothing found";
  return found + "; interrupted: the same command goes on from " + hunt.out.string();
}

// What was found, or that nothing was, as rows of a ledger beside the corpus.
Ledger ledger_of(const Hunt& hunt, const HuntEnd& end, const std::vector<StoredFinding>& findings,
                 std::chrono::system_clock::time_point start) {
  Ledger ledger;
  ledger.plan.seed = hunt.seed;
  ledger.environment = environment(current_instruction_set());
  LedgerJudgement row;
  row.file = hunt.subject.name;
  row.part = "fuzz";
  row.read_as = worst_text(end.progress);
  row.verdict = end.found || end.interrupted ? "undecided" : "holds";
  row.why = outcome(hunt, end);
  row.elements = end.progress.executions;
  if (findings.empty()) ledger.judgements.push_back(row);
  for (const StoredFinding& finding : findings) {
    row.verdict = are_expected(hunt.subject, {finding}) ? "holds" : "differs";
    row.why = finding.what;
    row.replay = "attncert replay " + shell_word(finding.file.string());
    if (!hunt.library.empty()) row.replay += " --library " + shell_word(hunt.library);
    if (!hunt.budget.empty()) row.replay += " --budget " + shell_word(hunt.budget);
    ledger.judgements.push_back(row);
  }
  ledger.timing = timing_since(start, hunt.out.string());
  return ledger;
}

int conclude(const Hunt& hunt, const HuntEnd& end, Follower& follower, const LedgerOutput& output,
             std::chrono::system_clock::time_point start) {
  const Result<std::vector<StoredFinding>> findings =
      store_findings(hunt, stop, [&](const std::string& line) { follower.say(line); });
  follower.clear();
  if (!findings) return fail(findings.error());
  if (findings->empty() && end.fault) return fail(*end.fault);
  const Ledger ledger = ledger_of(hunt, end, *findings, start);
  if (const auto written = write_reports(hunt.out, ledger); !written) return fail(written.error());
  print_summary(hunt, end, findings->empty() ? outcome(hunt, end) : text(*findings));
  output.print(ledger);
  if (findings->empty()) return stop ? interrupted : all_as_expected;
  return are_expected(hunt.subject, *findings) ? all_as_expected : differs;
}

}  // namespace

int fuzz(const FuzzOptions& options) {
  const Result<Hunt> hunt = hunt_of(options);
  if (!hunt) return fail(hunt.error());
  stop_on_signals();
  const LedgerOutput output(options.json);
  const auto start = std::chrono::system_clock::now();
  Follower follower(hunt->subject.name);
  const HuntEnd end =
      run_hunt(*hunt, stop, [&](const FuzzProgress& now, double seconds) { follower.show(now, seconds); });
  return conclude(*hunt, end, follower, output, start);
}

}  // namespace attncert::cli
