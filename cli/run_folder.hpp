// The folder of a run: journal, ledger, reports, evidence. Prepared before the first task, so that a folder that cannot
// be written is known at once; an earlier run is replaced only when asked, and nothing that is not a run's is ever
// removed. One process at a time has it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "reports/journal.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {

inline constexpr const char* ledger_name = "ledger.json";

// Held as long as it lives, by this process alone.
class FolderLock {
 public:
  FolderLock() = default;
  static Result<FolderLock> of(const std::filesystem::path& folder);
  // With others who only read; where no run has left a lock, none is taken.
  static Result<FolderLock> shared(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  int file_ = -1;
};

struct RunFolder {
  std::filesystem::path folder;        // "" where nothing is kept
  std::optional<Journal> journal;      // none likewise
  std::vector<JournalEntry> finished;  // of an interrupted run, with --resume
  FolderLock lock;
};

// tasks: of the run; a journal that has others is not resumed.
Result<RunFolder> open_run_folder(const RunOptions& options, const JournalHead& head,
                                  const std::set<std::string>& tasks);

// witnesses/, certificates/ and tightest/ of a run of claims.
Result<Done> make_evidence_folders(const std::filesystem::path& folder);
Result<Done> write_reports(const std::filesystem::path& folder, const Ledger& ledger);

}  // namespace attncert::cli
