// The folder of a run: journal, ledger, reports, witnesses. Prepared before the search, so that a folder that cannot be
// written is known at once; an earlier run is replaced only when asked, and nothing that is not a run's is ever
// removed.
#pragma once

#include <filesystem>
#include <string>

#include "cli/commands.hpp"
#include "reports/journal.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {

struct RunFolder {
  std::filesystem::path folder;
  Journal journal;
  std::vector<TaskRecord> finished;  // of an interrupted run, with --resume
};

// `plan`: one line that a journal to be resumed must begin with.
Result<RunFolder> open_run_folder(const CertifyOptions& options, const std::string& plan);

// The maximiser's instances, of those claims whose tightest instance is one: tightest/<id>.json.
Result<Done> write_tightest(const std::filesystem::path& folder, const std::vector<TaskRecord>& records,
                            const Ledger& ledger);
Result<Done> write_reports(const std::filesystem::path& folder, const Ledger& ledger);

}  // namespace attncert::cli
