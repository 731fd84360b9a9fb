#include "cli/interrupt.hpp"

#include <csignal>

namespace attncert::cli {

std::atomic<bool> stop{false};

namespace {

extern "C" void on_interrupt(int) {
  stop = true;
  std::signal(SIGINT, SIG_DFL);  // a second one ends the program at once; a fuzz engine ends at its next line
}

}  // namespace

void stop_on_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

}  // namespace attncert::cli
