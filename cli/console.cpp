#include "cli/console.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "cli/commands.hpp"
#include "src/core/old_names.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
int fail(const Error& error) {
  std::fprintf(stderr, "attncert: %s\n", printable(error.message).c_str());
  return bad_usage;
}

std::string present_name_of(std::string_view kind, std::string_view given) {
  const std::string name = present_name(kind, given);
  if (name != given) std::fprintf(stderr, "attncert: %s\n", old_name_notice(given, name).c_str());
  return name;
}

bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool errors_are_terminal() { return isatty(STDERR_FILENO) == 1; }

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::size_t done, std::size_t total, std::string_view latest) {
  if (!errors_are_terminal()) return;
  constexpr int widest = 60;  // of the latest item: the line stays on one row
  const int width = static_cast<int>(latest.size()) < widest ? static_cast<int>(latest.size()) : widest;
  std::fprintf(stderr, "\r\033[K%s %zu/%zu  %.*s", what_.c_str(), done, total, width, latest.data());
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace attncert::cli
