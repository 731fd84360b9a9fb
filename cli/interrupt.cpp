#include "cli/interrupt.hpp"

#include <csignal>

namespace attncert::cli {

std::atomic<bool> stop{false};

namespace {

extern "C" void on_interrupt(int) {
  stop = true;
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);  // a second one ends the program at once
}

}  // namespace

void stop_on_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

}  // namespace attncert::cli
