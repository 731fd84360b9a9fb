// The search of an external library's kernels (fuzz/search.hpp) as accuracy ends with it, and its inputs once more.
#pragma once

#include <chrono>
#include <vector>

#include "cli/commands.hpp"
#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/external/external_library.hpp"

namespace attncert::cli {

// Searches each kernel that the campaign judged and did not refuse, prints what came of it beside the time that all of
// it took since `start`, and returns `differs` where something was found.
int search_library(ExternalLibrary& library, const AccuracyOptions& options, const std::vector<AccuracyRow>& rows,
                   std::chrono::steady_clock::time_point start);

// `attncert replay WHAT --library FILE`: WHAT is a file, or KERNEL:tape=HEX as the search prints it; in place of one of
// its kernels "normalizer" means all of them.
int replay_on_library(const ReplayOptions& options);

}  // namespace attncert::cli
