#include "cli/checker.hpp"

#include <unistd.h>

#include <chrono>

#include "cli/interrupt.hpp"
#include "src/core/process.hpp"

namespace attncert::cli {
namespace {

// The stored witnesses take milliseconds, an instance at the limits of check/scope.cpp (250 tokens of 2^17 bits)
// minutes of processor time: an hour leaves room for a machine that is busy with other work.
constexpr std::chrono::seconds limit_for_one_file{3600};

}  // namespace

Result<std::filesystem::path> checker_program() {
  const std::filesystem::path program = program_folder() / "attncert-check";
  if (access(program.c_str(), X_OK) != 0)
    return Error{program.string() + ": the checker is missing; build the target attncert-check"};
  return program;
}

Result<CheckerAnswer> run_checker(const std::vector<std::filesystem::path>& files) {
  const Result<std::filesystem::path> program = checker_program();
  if (!program) return program.error();
  Command command{*program, {files.begin(), files.end()}};
  command.terminal = Command::Terminal::shared;
  const std::chrono::seconds within = limit_for_one_file * files.size();
  Result<CommandResult> ran = run(command, within, stop);
  if (!ran) return ran.error();
  if (stop) return Error{program->string() + ": interrupted; call it again"};
  if (ran->late)
    return Error{program->string() + ": no answer within " + std::to_string(within.count()) +
                 " s; give it fewer files, or smaller instances"};
  if (ran->exit_status() < 0)
    return Error{program->string() + ": the checker ended " + how_it_ended(ran->wait_status) + "; build it again"};
  return CheckerAnswer{ran->exit_status(), std::move(ran->output)};
}

}  // namespace attncert::cli
