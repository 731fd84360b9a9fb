#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace attncert::cli {

std::atomic<bool> stop{false};

namespace {

extern "C" void on_interrupt(int) {
  stop = true;
  constexpr char said[] = "\nattncert: stopping when what is at work is finished; once more ends at once\n";
  if (isatty(STDERR_FILENO) != 0) static_cast<void>(!write(STDERR_FILENO, said, sizeof said - 1));
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);  // a second one ends the program at once
}

}  // namespace

void stop_on_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

}  // namespace attncert::cli
