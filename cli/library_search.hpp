// The search of an external library's kernels (fuzz/search.hpp) as accuracy ends with it, and its inputs once more.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "cli/commands.hpp"
#include "properties/conformance/external/external_library.hpp"
#include "src/core/kernel_result.hpp"

namespace attncert::cli {

struct SearchOutcome {
  std::string text;  // in lines, below the kernel's name
  bool found = false;
};
// Searches a kernel that the campaign judged; one that it refused is not searched.
SearchOutcome searched(ExternalLibrary& library, const attncert_kernel& kernel, const AccuracyOptions& options,
                       const KernelResult& row, const std::atomic<bool>& stop);
std::uint64_t searched_executions(const AccuracyOptions& options);  // of each kernel, at most

// `attncert replay WHAT --library FILE`: WHAT is a file, or KERNEL:tape=HEX as the search prints it; in place of one of
// its kernels "normalizer" means all of them.
int replay_on_library(const ReplayOptions& options);

}  // namespace attncert::cli
