#include "properties/conformance/external/host_process.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include "properties/conformance/external/violation.hpp"

namespace attncert::external {
namespace {

using Clock = std::chrono::steady_clock;

// What the wait status of a process that ended says about its kernel.
Finding finding_of(int status, bool late) {
  Finding finding{static_cast<std::uint32_t>(Violation::hung), Run::first, Buffer::none, 0, 0, 0, 0};
  if (late) return finding;
  if (WIFSIGNALED(status)) {
    finding.detail = WTERMSIG(status);
    if (finding.detail != SIGALRM && finding.detail != SIGXCPU)
      finding.violation = static_cast<std::uint32_t>(Violation::crashed);
    return finding;
  }
  finding.violation = static_cast<std::uint32_t>(Violation::ended_process);
  finding.detail = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finding;
}

bool makes_sense(const Message& message) {
  if (message.kind > Kind::fault || message.findings > most_findings || message.run > Run::conduct) return false;
  for (std::uint32_t i = 0; i < message.findings; ++i) {
    const Finding& finding = message.found[i];
    if (finding.violation >= violation_names.size() || finding.run > Run::conduct || finding.buffer > Buffer::scratch)
      return false;
  }
  return true;
}

// The same command by way of Oclgrind, which writes what it finds to the descriptor.
void watch(Command& command, int log) {
  std::vector<std::string> arguments{"oclgrind",
                                     "--data-races",
                                     "--uniform-writes",
                                     "--max-errors",
                                     "1000000000",  // else the next kernel's are lost
                                     "--log",
                                     "/proc/self/fd/" + std::to_string(watcher_fd),
                                     command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  command.program = "/usr/bin/env";
  command.arguments = std::move(arguments);
  command.arguments.push_back("oclgrind");
  command.given.emplace_back(log, watcher_fd);
}

}  // namespace

HostProcess::Got HostProcess::receive(void* into, std::size_t bytes, std::chrono::milliseconds within) {
  const auto deadline = Clock::now() + within;
  for (auto* at = static_cast<char*>(into); bytes > 0;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waited{socket_, POLLIN, 0};
    const int ready = left > 0 ? poll(&waited, 1, static_cast<int>(left)) : 0;
    if (ready == 0) return Got::late;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t n = recv(socket_, at, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Got::nothing;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return Got::all;
}

Result<Done> HostProcess::start() {
  if (child_.running()) return Done{};
  const Result<Done> memory = memory_.reserve(sizeof(Request));
  if (!memory) return memory.error();
  const Result<Done> spawned = spawn();
  if (!spawned) return spawned.error();
  const Result<Done> loaded = load();
  if (!loaded) stop();
  return loaded;
}

Result<Done> HostProcess::spawn() {
  std::array<int, 2> ends{};
  if (access(program_.c_str(), X_OK) != 0)
    return Error{program_.string() + ": no program here; build or install attncert-kernel-host"};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error{program_.string() + ": no socket to the host; close other programs"};
  // What a kernel prints is not part of the report.
  Command command{program_, {library_.string(), std::to_string(limits_.memory)}};
  command.heard = false;
  command.given = {{ends[1], socket_fd}, {memory_.descriptor(), memory_fd}};
  const int log = limits_.oclgrind ? memfd_create("attncert-oclgrind", MFD_CLOEXEC) : -1;
  if (limits_.oclgrind) watch(command, log);
  const Result<Done> started = child_.start(command);
  close(ends[1]);
  if (log >= 0) close(log);
  socket_ = ends[0];
  if (!started) stop();
  return started;
}

Result<Done> HostProcess::load() {
  const std::string where = library_.string();
  std::vector<Descriptor> descriptors;
  Got got = receive(&loaded_, sizeof loaded_, limits_.loading);
  if (got == Got::all && loaded_.kernels == 0)
    return Error{std::string(loaded_.error, strnlen(loaded_.error, sizeof loaded_.error))};
  for (std::uint64_t i = 0; got == Got::all && i < loaded_.kernels; ++i)
    got = receive(&descriptors.emplace_back(), sizeof(Descriptor), limits_.loading);
  if (got == Got::late)
    return Error{where + ": does not return from loading; fix its constructors or attncert_kernels"};
  if (got == Got::nothing)
    return Error{where + ": brings its process down while it is loaded; fix its constructors or attncert_kernels"};
  descriptors_ = std::move(descriptors);
  return Done{};
}

void HostProcess::ask(const Ask& ask) {
  std::ignore = ::send(socket_, &ask, sizeof ask, MSG_NOSIGNAL);  // a process that is gone does not answer either
}

Message HostProcess::answer() {
  Run run = Run::first;
  for (Message message{};;) {
    const Got got = receive(&message, sizeof message, limits_.run);
    if (got != Got::all || !makes_sense(message)) return lost(run, got == Got::late);
    run = message.run;
    if (message.kind == Kind::fault) stop();
    if (message.kind != Kind::progress) return message;
  }
}

Message HostProcess::lost(Run run, bool late) {
  Message message{};
  message.kind = Kind::fault;
  message.findings = 1;
  message.found[0] = finding_of(stop(late), late);
  message.found[0].run = message.run = run;
  return message;
}

int HostProcess::stop(bool hangs) {
  if (socket_ < 0) return 0;
  close(std::exchange(socket_, -1));
  // A process that ends by itself says how it ended. One that is still there some moments later is killed.
  constexpr std::chrono::milliseconds moments{200};
  const bool by_itself = !hangs && child_.ended_within(moments);
  child_.kill_all();
  return by_itself ? child_.wait_status() : -1;  // -1: neither exited nor signalled: it closed the socket and lived on
}

}  // namespace attncert::external
