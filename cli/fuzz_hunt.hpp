// What `attncert fuzz` is asked for, made into a hunt: the subject, its engine, the folder.
#pragma once

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/fuzz_engine.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

Result<Hunt> hunt_of(const FuzzOptions& options);
Result<Done> make_hunt_folders(const std::filesystem::path& out);  // corpus/, artifacts/ and findings/

}  // namespace attncert::cli
