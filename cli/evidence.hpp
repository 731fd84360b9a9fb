// The checker of a run: evidence is written to the run's folder and judged by attncert-check, the independent program.
#pragma once

#include <filesystem>

#include "properties/claims/certify/certify.hpp"

namespace attncert::cli {

// Writes witnesses/<id>.json and certificates/<id>.json under `folder`, and has each judged.
Checker checker_in(const std::filesystem::path& folder);

}  // namespace attncert::cli
