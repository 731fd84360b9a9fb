// A program run as a child: no shell, no standard input, both output streams in one pipe, in a process group of its
// own, so that a terminal's Ctrl-C reaches this program alone and what the child starts ends with it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::cli {

struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments, settings;  // settings: "NAME=value", in place of the environment's own
};

class Child {
 public:
  Child() = default;
  ~Child() { kill_all(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Result<Done> start(const Command& command);
  int descriptor() const { return pipe_; }  // to poll; -1: nothing more to come
  std::string read_now();                   // what it has printed, without waiting
  bool ended();                             // without waiting
  int wait_status() const { return status_; }
  void signal(int number) const;  // to the whole group
  void kill_all();

 private:
  void reap();  // the whole group ends with it
  pid_t process_ = 0;
  int pipe_ = -1, status_ = 0;
  bool reaped_ = true;
};

struct Ran {
  bool late = false;    // stopped: the limit, or `stop`
  int wait_status = 0;  // waitpid's
  std::string output;
  bool passed() const { return !late && wait_status == 0; }
  int exit_status() const;  // -1: a signal ended it
};

// An Error when it cannot be started.
Result<Ran> run(const Command& command, std::chrono::seconds limit, const std::atomic<bool>& stop);

std::string how_it_ended(int wait_status);  // "with status 1", "by signal 9 (Killed)"

}  // namespace attncert::cli
