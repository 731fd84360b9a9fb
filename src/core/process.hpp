// A program run as a child process: no shell, a time limit, and every descriptor closed but those that are given.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/core/result.hpp"

namespace attncert {

struct Command {
  // What the child shares with this program.
  enum class Terminal : std::uint8_t {
    none,    // It reads from /dev/null, in a process group of its own: Ctrl-C reaches this program alone, and what the
             // child starts ends with it.
    shared,  // It keeps this program's input and process group: Ctrl-C reaches both.
  };

  std::filesystem::path program;
  std::vector<std::string> arguments{};
  std::vector<std::string> settings{};  // "NAME=value", in place of the environment's own
  Terminal terminal = Terminal::none;
  bool heard = true;                         // both output streams come into one pipe; otherwise they are dropped
  std::vector<std::pair<int, int>> given{};  // descriptor here, its number in the child
};

bool is_on_path(const std::string& program);  // as a shell looks for it

class Child {
 public:
  Child() = default;
  ~Child() { kill_all(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Result<Done> start(const Command& command);
  bool running() const { return !reaped_; }  // as far as it was looked at
  int descriptor() const { return pipe_; }   // to poll; -1: nothing more to come
  std::string read_now();                    // what it has printed, without waiting
  bool ended();                              // without waiting
  bool ended_within(std::chrono::milliseconds time);
  int wait_status() const { return status_; }
  void signal(int number) const;  // to the whole group
  void kill_all();

 private:
  void send(int number) const;
  void reap();  // waits for it
  pid_t process_ = 0;
  int pipe_ = -1, status_ = 0;
  bool own_group_ = true, reaped_ = true;
};

// In place of waitpid's status, which the kernel keeps from a program that ignores SIGCHLD: such a child did not pass.
inline constexpr int status_lost = -1;

struct CommandResult {
  bool late = false;    // stopped: the limit, or `stop`
  int wait_status = 0;  // waitpid's, or status_lost
  std::string output;
  bool passed() const { return !late && wait_status == 0; }
  int exit_status() const;  // -1: a signal ended it
};

// Waits for its end, at most for `limit`; an Error when it cannot be started.
Result<CommandResult> run(const Command& command, std::chrono::seconds limit, const std::atomic<bool>& stop = false);

std::filesystem::path program_folder();     // of this program: others that it starts are beside it
std::string how_it_ended(int wait_status);  // "with status 1", "by signal 9 (Killed)"

}  // namespace attncert
