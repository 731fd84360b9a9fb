#include "src/core/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

extern char** environ;

namespace attncert {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all = settings;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view own(*line);
    const std::string_view name = own.substr(0, own.find('=') + 1);
    if (std::none_of(settings.begin(), settings.end(), [&](const std::string& one) { return one.starts_with(name); }))
      all.emplace_back(own);
  }
  return all;
}

// What becomes of descriptors in the child, and copies of those that it is given, which are closed here in the end.
class Descriptors {
 public:
  Descriptors() { posix_spawn_file_actions_init(&actions_); }
  ~Descriptors() {
    posix_spawn_file_actions_destroy(&actions_);
    for (const int copy : copies_) close(copy);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

  void add_streams(const Command& command, int output) {
    if (command.terminal == Command::Terminal::none)
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      if (output < 0) posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_WRONLY, 0);
      else posix_spawn_file_actions_adddup2(&actions_, output, stream);
    }
  }

  // All the others are closed, those too that a library of this process opened without O_CLOEXEC. 0, or errno.
  int give(const std::vector<std::pair<int, int>>& given) {
    // The copies lie above every number in the child, so that none is overwritten before it has been put in its place.
    int above = STDERR_FILENO + 1;
    for (const auto& [here, there] : given) above = std::max(above, there + 1);
    std::vector<int> taken;
    for (const auto& [here, there] : given) {
      const int copy = fcntl(here, F_DUPFD_CLOEXEC, above);
      if (copy < 0) return errno;
      copies_.push_back(copy);
      posix_spawn_file_actions_adddup2(&actions_, copy, there);
      taken.push_back(there);
    }
    for (int number = STDERR_FILENO + 1; number < above; ++number)
      if (std::find(taken.begin(), taken.end(), number) == taken.end())
        posix_spawn_file_actions_addclose(&actions_, number);
    return posix_spawn_file_actions_addclosefrom_np(&actions_, above);
  }

 private:
  posix_spawn_file_actions_t actions_;
  std::vector<int> copies_;
};

// `output` becomes both output streams, /dev/null where it is -1. 0, or errno.
int spawn(const Command& command, int output, pid_t& process) {
  Descriptors descriptors;
  descriptors.add_streams(command, output);
  if (const int failed = descriptors.give(command.given); failed != 0) return failed;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, command.terminal == Command::Terminal::none ? POSIX_SPAWN_SETPGROUP : 0);
  std::vector<std::string> words{command.program.string()}, environment = environment_with(command.settings);
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const int failed = posix_spawn(&process, command.program.c_str(), descriptors.actions(), &attributes,
                                 pointers(words).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  return failed;
}

}  // namespace

bool is_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = std::filesystem::path(folder.empty() ? "." : folder) / program;
        std::filesystem::is_regular_file(file) && access(file.c_str(), X_OK) == 0)
      return true;
  return false;
}

Result<Done> Child::start(const Command& command) {
  kill_all();
  std::array<int, 2> ends{-1, -1};
  if (command.heard && pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error{command.program.string() + ": no pipe to it: " + std::strerror(errno) + "; close other programs"};
  const int failed = spawn(command, ends[1], process_);
  if (command.heard) close(ends[1]);
  pipe_ = ends[0];
  if (failed != 0) {
    kill_all();
    return Error{command.program.string() + ": cannot be started: " + std::strerror(failed) + "; build it again"};
  }
  if (command.heard) fcntl(pipe_, F_SETFL, O_NONBLOCK);
  own_group_ = command.terminal == Command::Terminal::none;
  reaped_ = false;
  return Done{};
}

std::string Child::read_now() {
  std::string text;
  std::array<char, 65536> buffer{};
  while (pipe_ >= 0 && text.size() < buffer.size()) {
    const ssize_t n = read(pipe_, buffer.data(), buffer.size());
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    if (n > 0 || (n < 0 && errno == EINTR)) continue;
    if (n < 0 && errno == EAGAIN) break;
    close(pipe_);
    pipe_ = -1;
  }
  return text;
}

bool Child::ended() {
  siginfo_t seen{};
  if (reaped_) return true;
  const int failed = waitid(P_PID, static_cast<id_t>(process_), &seen, WEXITED | WNOHANG | WNOWAIT);
  // Where SIGCHLD is ignored, the kernel reaps a child as soon as it has ended, and there is none any more.
  const bool gone = failed != 0 && errno == ECHILD;
  if (!gone && (failed != 0 || seen.si_pid == 0)) return false;
  if (!gone) send(SIGKILL);  // the rest of the group: until the dead child is waited for, its number is nobody else's
  reap();
  return true;
}

bool Child::ended_within(std::chrono::milliseconds time) {
  for (const Clock::time_point end = Clock::now() + time; !ended();) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void Child::send(int number) const { kill(own_group_ ? -process_ : process_, number); }

void Child::signal(int number) const {
  if (!reaped_) send(number);
}

void Child::reap() {
  pid_t waited = 0;
  do waited = waitpid(process_, &status_, 0);
  while (waited < 0 && errno == EINTR);
  if (waited < 0) status_ = status_lost;
  reaped_ = true;
}

void Child::kill_all() {
  if (!reaped_) {
    send(SIGKILL);
    reap();
  }
  if (pipe_ >= 0) close(pipe_);
  pipe_ = -1;
}

Result<CommandResult> run(const Command& command, std::chrono::seconds limit, const std::atomic<bool>& stop) {
  Child child;
  const Result<Done> started = child.start(command);
  if (!started) return started.error();
  CommandResult ran;
  for (const Clock::time_point end = Clock::now() + limit; !child.ended();) {
    if (stop || Clock::now() >= end) {
      ran.late = true;
      child.signal(SIGKILL);
    }
    // A child that closes its output mostly ends at once; one that prints nothing, or is not heard, is looked at 50
    // times a second.
    pollfd waited{child.descriptor(), POLLIN, 0};
    poll(&waited, 1, command.heard && child.descriptor() < 0 ? 1 : 20);  // ms
    ran.output += child.read_now();
  }
  for (std::string more = child.read_now(); !more.empty(); more = child.read_now()) ran.output += more;
  ran.wait_status = child.wait_status();
  return ran;
}

int CommandResult::exit_status() const { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1; }

std::filesystem::path program_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : program.parent_path();
}

std::string how_it_ended(int wait_status) {
  if (wait_status == status_lost) return "unseen: this program was started with SIGCHLD ignored";
  if (WIFEXITED(wait_status)) return "with status " + std::to_string(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  return "by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

}  // namespace attncert
