#include "properties/conformance/external/host/channel.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "properties/conformance/external/host/guarded_buffer.hpp"
#include "properties/conformance/external/violation.hpp"

namespace attncert::external {
namespace {

volatile Run current_run = Run::first;

bool was_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  // Bit 1 of the page fault's error code: the access was a write (Intel SDM vol. 3, 4.7).
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  return true;
#endif
}

Violation violation_of(const Finding& finding, bool write) {
  const bool inside = finding.position == 0;
  if (inside && write) return Violation::changed_input;  // inside a buffer only a write to a read-only one faults
  return write ? Violation::wrote_outside : Violation::read_outside;
}

void fault(int signal, siginfo_t* info, void* context) {
  static Message message{};  // static: a handler may not allocate, and its stack is small
  message.kind = Kind::fault;
  message.run = current_run;
  message.findings = 1;
  Finding& finding = message.found[0];
  finding = {static_cast<std::uint32_t>(Violation::crashed), current_run, Buffer::none, signal, 0, 0, 0};
  const bool memory = signal == SIGSEGV || signal == SIGBUS;
  if (memory && locate(info->si_addr, finding))
    finding.violation = static_cast<std::uint32_t>(violation_of(finding, was_write(context)));
  send(&message, sizeof message);
  _exit(128 + signal);
}

}  // namespace

bool receive(void* into, std::size_t bytes) {
  for (auto* at = static_cast<char*>(into); bytes > 0;) {
    const ssize_t n = read(socket_fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send(const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t n = write(socket_fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

void begin_run(Run run, std::uint64_t cpu_seconds) {
  current_run = run;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  const auto spent = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  limit.rlim_cur = spent + cpu_seconds;
  setrlimit(RLIMIT_CPU, &limit);
  alarm(static_cast<unsigned>(cpu_seconds));  // ends a kernel that sleeps while the parent is gone
  if (run == Run::first) return;              // it follows upon the request, or upon the last call's message
  Message message{};
  message.kind = Kind::progress;
  message.run = run;
  send(&message, sizeof message);
}

void end_runs() { alarm(0); }

void end_process(Finding finding) {
  Message message{};
  message.kind = Kind::fault;
  message.run = finding.run = current_run;
  message.findings = 1;
  message.found[0] = finding;
  send(&message, sizeof message);
  _exit(1);
}

void catch_faults() {
  constexpr std::size_t stack_bytes = 64 * 1024;  // the handler needs its own when a kernel overflows the stack
  stack_t stack{};
  stack.ss_sp = std::malloc(stack_bytes);
  stack.ss_size = stack_bytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace attncert::external
