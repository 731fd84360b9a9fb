// The evidence of a run, and its checker: evidence is written to the run's folder and judged by attncert-check, the
// independent program.
#pragma once

#include <filesystem>

#include "properties/claims/certify/certify.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {

// Writes witnesses/<id>.json and certificates/<id>.json under `folder`, and has each judged.
Checker checker_in(const std::filesystem::path& folder);

// The maximiser's instances, of those claims whose tightest instance is one: tightest/<id>.json.
Result<Done> write_tightest(const std::filesystem::path& folder, const std::vector<TaskRecord>& records,
                            const Ledger& ledger);

}  // namespace attncert::cli
