#include "properties/conformance/external/host/process_state.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "properties/conformance/external/conduct.hpp"
#include "src/core/hash.hpp"
#include "src/core/mixer.hpp"

extern "C" char** environ;

namespace attncert::external {
namespace {

constexpr std::size_t most_said = sizeof(Message::watcher) - 1;

using State = std::array<std::uint64_t, state_aspects.size()>;

template <class Plain>
std::uint64_t hash_of(const Plain& plain) {
  return fnv1a({reinterpret_cast<const char*>(&plain), sizeof plain});
}

// SA_RESTORER of the kernel's interface: glibc sets it in what it installs, so that a handler that was put back has it
// where the one of the start had not. It says where the handler returns to, not what the signal does.
constexpr unsigned restorer = 0x04000000;

std::uint64_t signal_handlers() {
  std::uint64_t all = 0;
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    const auto handler = reinterpret_cast<std::uintptr_t>(action.sa_handler);
    all = mixed(all ^ handler) + (static_cast<unsigned>(action.sa_flags) & ~restorer);
  }
  return all;
}

std::uint64_t signal_mask() {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  std::uint64_t all = 0;
  for (int signal = 1; signal < SIGRTMAX; ++signal)
    all = all << 1 ^ all >> 63 ^ static_cast<std::uint64_t>(sigismember(&blocked, signal));
  return all;
}

// The process's locale and the thread's.
std::uint64_t locale() {
  return fnv1a(std::setlocale(LC_ALL, nullptr)) ^ reinterpret_cast<std::uintptr_t>(uselocale(nullptr));
}

std::uint64_t environment() {
  std::uint64_t all = 0;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("__"))
      all = mixed(all ^ fnv1a(*entry));  // those are the implementation's
  return all;
}

std::uint64_t working_directory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) == nullptr ? 0 : fnv1a(path.data());
}

std::uint64_t creation_mask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

// Every look starts the generators again, so that the next number is the same unless somebody took one or started them
// (with another seed than this one, which nobody else has).
constexpr unsigned own_seed = 0x5EED2A7;
std::uint64_t next_rand() {
  const int next = std::rand();
  std::srand(own_seed);
  return static_cast<std::uint64_t>(next);
}
std::uint64_t next_drand48() {
  const long next = lrand48();
  srand48(own_seed);
  return static_cast<std::uint64_t>(next);
}

std::uint64_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return hash_of(set);
}

std::uint64_t priority() { return static_cast<std::uint64_t>(getpriority(PRIO_PROCESS, 0)); }

// In the order of state_aspects.
constexpr std::array<std::uint64_t (*)(), state_aspects.size()> aspects = {
    signal_handlers, signal_mask, locale,       environment, working_directory,
    creation_mask,   next_rand,   next_drand48, processors,  priority};

State state_now() {
  State state{};
  for (std::size_t i = 0; i < aspects.size(); ++i) state[i] = aspects[i]();
  return state;
}

// The first look of a process finds every aspect changed.
State last_state;

// A standard stream, which became a pipe. What does not fit is lost and does not block the kernel.
struct Stream {
  int descriptor, readable = -1;

  void watch() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) return;
    readable = ends[0];
    dup2(ends[1], descriptor);
    close(ends[1]);
  }
  std::uint64_t take() const {
    std::array<char, 4096> bytes{};
    std::uint64_t count = 0;
    for (ssize_t n = 0; readable >= 0 && (n = read(readable, bytes.data(), bytes.size())) > 0;)
      count += static_cast<std::uint64_t>(n);
    return count;
  }
};
std::array<Stream, 2> streams{{{STDOUT_FILENO}, {STDERR_FILENO}}};

// The beginning of what Oclgrind wrote to its log since the last look, in one line: a message says first what happened
// and in which kernel.
bool has_watcher = false;
std::string said_by_watcher() {
  static off_t seen = 0;
  if (!has_watcher) return "";
  std::string said;
  std::array<char, 4096> text{};
  for (ssize_t n = 0; (n = pread(watcher_fd, text.data(), text.size(), seen)) > 0; seen += n)
    for (const char c : std::string_view(text.data(), static_cast<std::size_t>(n))) {
      const bool space = c == '\n' || c == '\t' || c == ' ';
      if (said.size() >= most_said) break;
      if (!space) said += c;
      else if (!said.empty() && said.back() != ' ') said += ' ';
    }
  return said;
}

}  // namespace

std::vector<std::size_t> changed_aspects() {
  std::vector<std::size_t> changed;
  const State now = state_now();
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] != last_state[i]) changed.push_back(i);
  if (!changed.empty()) last_state = state_now();  // the generators' numbers are those of a fresh start again
  return changed;
}

void watch_process(bool under_oclgrind) {
  has_watcher = under_oclgrind;
  said_by_watcher();  // of loading
  std::fflush(nullptr);
  for (Stream& stream : streams) stream.watch();
  changed_aspects();
}

void look_around(Run run, Findings& findings) {
  for (const std::size_t aspect : has_watcher ? std::vector<std::size_t>() : changed_aspects())  // Oclgrind draws rand
    findings.add(Violation::process_changed, {0, run, Buffer::none, static_cast<std::int32_t>(aspect), 0, 0, 0});
  std::fflush(nullptr);
  for (const Stream& stream : streams)
    if (const std::uint64_t count = stream.take(); count > 0)
      findings.add(Violation::printed, {0, run, Buffer::none, stream.descriptor, 0, count, 0});
}

void look_at_watcher(Run run, Findings& findings) {
  if (const std::string said = said_by_watcher(); !said.empty()) findings.add_watcher(run, said);
}

}  // namespace attncert::external
