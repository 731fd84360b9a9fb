#include "cli/fuzz_findings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "cli/console.hpp"
#include "cli/fuzz_replay.hpp"
#include "cli/fuzz_witness.hpp"
#include "cli/places.hpp"
#include "src/core/environment/environment.hpp"
#include "src/core/hash.hpp"
#include "src/core/shell_word.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

using Stop = std::atomic<bool>;

constexpr std::chrono::seconds minimising{30}, slack{15};  // slack: libFuzzer ends a run that it is in the midst of
constexpr std::chrono::seconds again{60};                  // one input, whose own limit of time is below

Command engine_on(const Hunt& hunt, std::vector<std::string> options, const fs::path& input) {
  Command command{hunt.engine, hunt.limits, hunt.settings()};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.push_back(input.string());
  return command;
}

// What the engine says of this one input; "" when it passes.
std::string violation_of(const Hunt& hunt, const fs::path& input, const Stop& stop) {
  const fs::path left = hunt.out / "artifacts" / "again";  // libFuzzer stores what it is given once more
  const Result<CommandResult> ran = run(engine_on(hunt, {"-exact_artifact_path=" + left.string()}, input), again, stop);
  std::error_code error;
  fs::remove(left, error);
  if (!ran) return ran.error().message;
  if (ran->passed()) return "";
  return ran->late ? fmt::format("not ready after {} s", again.count())
                   : violation_in(ran->output, hunt.subject.target);
}

// A smaller input that violates as well, or the artifact itself. Only a crash gets smaller at a useful pace.
fs::path minimised(const Hunt& hunt, const fs::path& artifact, const Stop& stop) {
  const fs::path smaller = hunt.out / "artifacts" / "minimised";
  std::error_code error;
  fs::remove(smaller, error);
  if (!artifact.filename().string().starts_with("crash-") || stop) return artifact;
  const Command command = engine_on(hunt,
                                    {"-minimize_crash=1", fmt::format("-max_total_time={}", minimising.count()),
                                     "-exact_artifact_path=" + smaller.string()},
                                    artifact);
  static_cast<void>(run(command, minimising + slack, stop));
  if (!fs::is_regular_file(smaller, error) || violation_of(hunt, smaller, stop).empty()) return artifact;
  return smaller;
}

// The input that says the same without ATTNCERT_FUZZ_SUBJECT; itself where the replayer cannot be asked.
fs::path plain(const Hunt& hunt, const fs::path& input, const Stop& stop) {
  const fs::path out = hunt.out / "artifacts" / "plain";
  const Result<fs::path> program = replay_program();
  if (!program || hunt.subject.whole()) return input;
  const Result<CommandResult> ran =
      run({*program, {"--plain", out.string(), hunt.subject.target, input.string()}, hunt.settings()}, again, stop);
  return ran && ran->passed() ? out : input;
}

struct Found {
  std::string bytes, what, replayed;  // replayed: what attncert_replay makes of it
  std::optional<ClaimFinding> claim;
};

// How to see it again: without an engine where that shows it, for sanitizers see more.
std::string account(const Hunt& hunt, const Found& found, const fs::path& file) {
  const char* fault = std::getenv("ATTNCERT_FUZZ_FAULT");
  const std::string setting = fault == nullptr || *fault == 0 ? "" : fmt::format("ATTNCERT_FUZZ_FAULT={} ", fault);
  const Environment place = environment("");
  const std::string budget = hunt.budget.empty() ? "" : " --budget " + shell_word(hunt.budget);
  const std::string on = hunt.library.empty() ? "" : " --library " + shell_word(hunt.library) + budget;
  std::string library;
  if (!hunt.library.empty())
    library = fmt::format("ATTNCERT_FUZZ_LIBRARY={} ", shell_word(fs::absolute(hunt.library).string()));
  if (!hunt.budget.empty()) library += fmt::format("ATTNCERT_FUZZ_BUDGET={} ", shell_word(hunt.budget));
  std::string text =
      fmt::format("what      {}\ntarget    {}, subject {}\n", found.what, hunt.subject.target, hunt.subject.name);
  const std::string input = shell_word(file.string()), witness = shell_word(file.string() + ".json");
  if (found.claim) text += fmt::format("witness   attncert replay {0}; attncert check {0}\n", witness);
  else text += fmt::format("replay    {}attncert replay {}{}\nreplayed  {}\n", setting, input, on, found.replayed);
  text += fmt::format("engine    {}{}{} {}\n", setting, library, shell_word(hunt.engine.string()), input);
  text += fmt::format("commit    {}{}\ncompiler  {}\nCPU       {}\n", place.commit, place.dirty ? ", changed" : "",
                      place.compiler, place.cpu);
  if (!hunt.library.empty()) return text;  // the stored inputs are for the suite's own kernels
  return text + fmt::format("keep it   cp {} fuzz/corpus/{}/finding-...\n", input, hunt.subject.target);
}

// What attncert_replay makes of it: a sanitizer sees more.
std::string replayed(const Hunt& hunt, const fs::path& file, const Stop& stop) {
  const Result<Replayed> seen = replay_input(hunt.subject.target, file, stop, hunt.on_library());
  if (!seen) return seen.error().message;
  return seen->words + "; " + (seen->worst.empty() ? "" : seen->worst + "; ") +
         (seen->violated ? "violated" : "passes without the engine");
}

Result<Found> seen(const Hunt& hunt, const fs::path& input, const Stop& stop) {
  const fs::path file = plain(hunt, input, stop);
  Result<std::string> bytes = read_text(file);
  if (!bytes) return bytes.error();
  return Found{*std::move(bytes), violation_of(hunt, file, stop), replayed(hunt, file, stop), std::nullopt};
}

// A claim's counterexample is shrunk as an instance, which goes farther than any change of bytes, and in a moment.
bool shrink(Found& found) {
  found.claim = claim_finding(found.what.substr(0, found.what.find(':')), found.bytes, environment("").commit);
  if (!found.claim) return false;
  found.bytes = found.claim->input;
  found.what += "; shrunk to " + found.claim->size;
  return true;
}

Result<Found> looked_at(const Hunt& hunt, const fs::path& artifact, const Stop& stop) {
  if (hunt.subject.target == "claim")
    if (Result<Found> found = seen(hunt, artifact, stop); found && shrink(*found)) return found;
  Result<Found> found = seen(hunt, minimised(hunt, artifact, stop), stop);
  if (found && found->what.empty())
    found->what = "not seen again: passes when run alone (" + artifact.filename().string() + ")";
  return found;
}

Result<StoredFinding> stored(const Hunt& hunt, const Found& found) {
  const fs::path file = hunt.out / "findings" / finding_name(hunt.subject.target, found.bytes);
  std::error_code error;
  const StoredFinding finding{file, found.what, !fs::exists(file, error), found.claim.has_value()};
  if (!finding.is_new) return finding;
  if (found.claim) {
    const Result<Done> witness = write_witness(found.claim->witness, file.string() + ".json");
    if (!witness) return witness.error();
  }
  // The input comes last: where it stands, all of it is there.
  for (const auto& [path, text] :
       {std::pair<fs::path, std::string>(file.string() + ".txt", account(hunt, found, file)), {file, found.bytes}}) {
    const Result<Done> written = write_text(path, text);
    if (!written) return written.error();
  }
  return finding;
}

}  // namespace

std::string finding_name(const std::string& target, const std::string& bytes) {
  return target + "-" + fmt::format("{:016x}", fnv1a(bytes)).substr(0, 12);  // 48 bits
}

Result<std::optional<StoredFinding>> store_again(const Hunt& hunt, const fs::path& input, const Stop& stop) {
  Result<Found> found = seen(hunt, input, stop);
  if (!found) return found.error();
  if (stop || found->what.empty()) return std::optional<StoredFinding>();
  if (hunt.subject.target == "claim") static_cast<void>(shrink(*found));
  const Result<StoredFinding> finding = stored(hunt, *found);
  std::error_code error;
  fs::remove(hunt.out / "artifacts" / "plain", error);
  if (!finding) return finding.error();
  return std::optional(*finding);
}

Result<std::vector<StoredFinding>> store_findings(const Hunt& hunt, const Stop& stop,
                                                  const std::function<void(const std::string&)>& say) {
  std::vector<StoredFinding> list;
  for (const fs::path& artifact : artifacts_of(hunt.out)) {
    say("found something: " + artifact.filename().string() + "; it is minimised now");
    const Result<Found> found = looked_at(hunt, artifact, stop);
    if (stop) break;  // what was seen of it is not to be trusted
    if (!found) return found.error();
    const Result<StoredFinding> finding = stored(hunt, *found);
    if (!finding) return finding.error();
    list.push_back(*finding);
    std::error_code error;
    for (const fs::path& done : {artifact, hunt.out / "artifacts" / "minimised", hunt.out / "artifacts" / "plain"})
      fs::remove(done, error);
  }
  return list;
}

}  // namespace attncert::cli
