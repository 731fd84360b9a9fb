// What commands print beside their results: one line for an error, and progress when the output is a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert::cli {

// Prints "attncert: <message>", printable, on standard error and returns the exit status of bad input.
int fail(const Error& error);

// The present name of what an argument or a file calls `given`. Where that is an old name (src/core/old_names.hpp),
// prints a line on standard error that says so.
std::string present_name_of(std::string_view kind, std::string_view given);

bool output_is_terminal();
bool errors_are_terminal();

// One line on standard error that is rewritten in place; silent when standard error is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();  // removes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(std::size_t done, std::size_t total, std::string_view latest);

 private:
  std::string what_;
  bool shown_ = false;
};

}  // namespace attncert::cli
