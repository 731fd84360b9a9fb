// A folder of cases: NAME.safetensors holds the inputs, NAME.out.safetensors what the kernel made of them, NAME.refused
// a line that says why it declines, NAME.failed how its process ended instead, or what is wrong beside the outputs, and
// NAME.notes lines that say what the kernel is not: the worker of a library may write these beside outputs.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::cli {

struct CasePaths {
  std::filesystem::path inputs, outputs, refused, failed, notes;
  std::string name;
  bool waits() const;  // neither outputs nor a reason why there are none
};
std::vector<std::string> notes_of(const CasePaths& paths);  // "not batch-invariant"

// Sorted by name. Error: the folder cannot be read, or holds no case.
Result<std::vector<CasePaths>> cases_in(const std::filesystem::path& folder);

// Starts `command FOLDER` by the shell, again where it ends before its time, until every case has an output, a refusal
// or a failure. A case at which it ends by a signal or with another status than 0, or without having written anything
// new, or takes longer than the limit, has failed. Without `resume` what an earlier run left is removed first. Error:
// it cannot be started, or that cannot be removed.
Result<Done> run_on_cases(const std::string& command, const std::filesystem::path& folder,
                          std::chrono::duration<double> limit, bool resume,
                          const std::function<void(std::size_t done, std::size_t total)>& progress);

}  // namespace attncert::cli
