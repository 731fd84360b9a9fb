#include "cli/checker.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "cli/places.hpp"

extern char** environ;

namespace attncert::cli {

Result<std::filesystem::path> checker_program() {
  const std::filesystem::path program = program_folder() / "attncert-check";
  if (access(program.c_str(), X_OK) != 0)
    return Error{program.string() + ": the checker is missing; build the target attncert-check"};
  return program;
}

Result<CheckerAnswer> run_checker(const std::vector<std::filesystem::path>& files) {
  const Result<std::filesystem::path> found = checker_program();
  if (!found) return found.error();
  const std::filesystem::path& program = *found;

  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return Error{program.string() + ": no pipe to the checker; close other programs"};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
  std::vector<std::string> words{program.string()};
  for (const auto& file : files) words.push_back(file.string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);

  CheckerAnswer answer;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; spawned == 0 && (n = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;)
    answer.output.append(buffer.data(), static_cast<std::size_t>(n));
  close(pipe_ends[0]);
  int status = 0;
  if (spawned != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return Error{program.string() + ": the checker did not run to its end; build it again"};
  answer.status = WEXITSTATUS(status);
  return answer;
}

}  // namespace attncert::cli
