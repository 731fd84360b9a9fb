#include "cli/fuzz_replay.hpp"
#include "src/core/printable.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/fuzz_engine.hpp"
#include "cli/fuzz_log.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds longest_replay{60};  // an input takes milliseconds; what hangs is itself a finding

// The rest of the first line that starts so; "" when there is none.
std::string rest_of_line(const std::string& output, std::string_view start) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) return printable(std::string_view(line).substr(start.size()));
  return "";
}

// Why a path that is no regular file cannot be replayed.
const char* what_it_is(fs::file_type type) {
  if (type == fs::file_type::not_found) return "is not there";
  if (type == fs::file_type::none) return "cannot be looked at";  // its folder forbids it
  return type == fs::file_type::directory ? "is a folder" : "is a device, pipe or socket";
}

}  // namespace

Result<fs::path> replay_program() {
  const fs::path program = program_folder() / "attncert_replay";
  if (access(program.c_str(), X_OK) != 0)
    return Error{program.string() + ": the replayer of fuzz inputs is missing; build the target attncert_replay"};
  return program;
}

std::optional<std::string> target_of(const fs::path& file) {
  if (file.extension() == ".json" || file.extension() == ".txt") return std::nullopt;
  const std::string name = file.filename().string(), folder = fs::absolute(file).parent_path().filename().string();
  const Result<std::vector<FuzzSubject>> subjects = fuzz_subjects();
  if (!subjects) return std::nullopt;
  for (const FuzzSubject& one : *subjects)
    if (one.whole() && (folder == one.target || name.starts_with(one.target + "-"))) return one.target;
  return std::nullopt;
}

std::string violation_in(const std::string& output, const std::string& target) {
  if (const std::string found = rest_of_line(output, target + ": "); !found.empty()) return found;
  for (const std::string_view words : {"runtime error: ", "ERROR: "}) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
      if (line.find(words) != std::string::npos) return printable(line);
  }
  FuzzLog log;
  log.take(output + "\n");
  return log.last_line();
}

Result<Replayed> replay_input(const std::string& target, const fs::path& file, const std::atomic<bool>& stop,
                              std::vector<std::string> settings) {
  const Result<fs::path> program = replay_program();
  if (!program) return program.error();
  settings.emplace_back("ATTNCERT_FUZZ_RECORDS=1");
  const Command command{*program, {"--words", target, file.string()}, std::move(settings)};
  const Result<CommandResult> ran = run(command, longest_replay, stop);
  if (!ran) return ran.error();
  if (!ran->late && ran->exit_status() == bad_usage)
    return Error{file.string() + ": is not replayed: " + violation_in(ran->output, target)};
  FuzzLog log;
  log.take(ran->output);
  Replayed replayed{!ran->passed(), rest_of_line(ran->output, "WORDS "), worst_text(log.progress()), ""};
  if (ran->late) replayed.what = fmt::format("not ready after {} s", longest_replay.count());
  else if (replayed.violated) {
    replayed.what = rest_of_line(ran->output, target + ": ");
    if (replayed.what.empty()) replayed.what = "the process ended " + how_it_ended(ran->wait_status);
  }
  return replayed;
}

int show_input(const std::string& target, const fs::path& file) {
  const Result<std::vector<FuzzSubject>> subjects = fuzz_subjects();
  if (!subjects) return fail(subjects.error());
  if (std::none_of(subjects->begin(), subjects->end(),
                   [&](const FuzzSubject& one) { return one.whole() && one.target == target; }))
    return fail(Error{target + ": no such fuzz target; attncert list --fuzz names them, their subjects behind each"});
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  if (type != fs::file_type::regular)
    return fail(Error{file.string() + ": " + what_it_is(type) + "; name an input of a fuzz target"});
  const std::atomic<bool> never{false};
  const Result<Replayed> replayed = replay_input(target, file, never);
  if (!replayed) return fail(replayed.error());
  fmt::print("{}: {}\n", target, replayed->words);
  if (!replayed->worst.empty()) fmt::print("  {}\n", replayed->worst);
  if (replayed->violated) fmt::print("  violated: {}\n", replayed->what);
  else fmt::print("  fine\n");
  return replayed->violated ? differs : all_as_expected;
}

}  // namespace attncert::cli
