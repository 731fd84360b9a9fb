// Starts attncert-check, the independent judge that is built beside this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::cli {

struct CheckerAnswer {
  int status = 0;      // 0 accepted, 1 rejected, 2 malformed
  std::string output;  // what it printed, both streams
};

// The program, or an Error when it is not there.
Result<std::filesystem::path> checker_program();

// Judges all the files in one call. An Error when the program is missing or did not end by itself.
Result<CheckerAnswer> run_checker(const std::vector<std::filesystem::path>& files);

}  // namespace attncert::cli
