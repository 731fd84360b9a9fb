#include "cli/run_folder.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "cli/survey_run.hpp"
#include "reports/formats.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* journal_name = "journal.jsonl";
constexpr const char* lock_name = ".lock";
constexpr const char* evidence_folders[] = {"witnesses", "certificates", "tightest"};
constexpr const char* figures_folder = "figures";

std::string report_file(const ReportFormat& format) { return "report" + std::string(format.ending); }

// What a run writes beside its evidence and figures.
std::vector<std::string> run_files() {
  std::vector<std::string> files{journal_name, ledger_name, "ks.csv", "diagnosis.csv"};
  for (const TableFile& table : survey_tables()) files.push_back(table.name + ".csv");
  for (const ReportFormat& format : report_formats())
    if (!format.ending.empty()) files.push_back(report_file(format));
  return files;
}

void remove_all_of(const fs::path& folder, const char* ending) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file, error);
}

// Removes what an earlier run wrote, and nothing else.
Result<Done> clear(const fs::path& folder) {
  std::error_code error;
  for (const std::string& file : run_files()) fs::remove(folder / file, error);
  for (const char* kind : evidence_folders) remove_all_of(folder / kind, ".json");
  remove_all_of(folder / figures_folder, ".svg");
  if (fs::exists(folder / ledger_name, error))
    return Error{printable(folder.string()) + ": the earlier run cannot be removed; choose another --out"};
  return Done{};
}

bool holds_nothing(const fs::path& folder) {
  std::error_code error;
  return std::all_of(fs::directory_iterator(folder, error), fs::directory_iterator(),
                     [](const auto& entry) { return entry.path().filename() == lock_name; });
}

// Every journal and ledger says in its first line or two which of the formats of attncert it has.
bool is_ours(const fs::path& file) {
  const Result<std::string> begin = read_text(file, 0);
  return begin && begin->substr(0, 100).find("\"attncert-") != std::string::npos;
}

Result<Done> usable(const fs::path& folder, const RunOptions& options) {
  std::error_code error;
  const std::string name = printable(folder.string());
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return Error{name + ": is not a folder; choose another --out"};
  const bool earlier = is_ours(folder / journal_name) || is_ours(folder / ledger_name);
  if (options.resume) {
    if (fs::exists(folder / journal_name, error)) return Done{};
    return Error{(folder / journal_name).string() + ": no journal to resume; leave --resume out to start a run"};
  }
  if (earlier && !options.force)
    return Error{name + ": holds an earlier run; use --resume, --force to replace it, or another --out"};
  if (!earlier && fs::exists(folder, error) && !holds_nothing(folder))
    return Error{name + ": holds files that are not a run's; choose another --out"};
  fs::create_directories(folder, error);
  if (error) return Error{name + ": cannot be made: " + error.message() + "; choose another --out"};
  return Done{};
}

}  // namespace

// A file of its own: the journal is replaced when a run goes on, and its lock would go with it. On a network's file
// system flock() locks for all machines (Linux 2.6.12, NFS).
Result<FolderLock> FolderLock::of(const fs::path& folder) {
  FolderLock lock;
  const fs::path file = folder / lock_name;
  lock.file_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock.file_ < 0) return Error{printable(folder.string()) + ": cannot be written; choose another --out"};
  if (flock(lock.file_, LOCK_EX | LOCK_NB) != 0)
    return Error{printable(folder.string()) +
                 ": another process is at work in it; wait for it, or choose another --out"};
  return lock;
}

Result<FolderLock> FolderLock::shared(const fs::path& folder) {
  FolderLock lock;
  lock.file_ = open((folder / lock_name).c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (lock.file_ < 0 && (errno == ENOENT || errno == ENOTDIR)) return lock;
  if (lock.file_ >= 0 && flock(lock.file_, LOCK_SH | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) return Error{printable(folder.string()) + ": a process is at work in it; wait for it"};
  return Error{printable((folder / lock_name).string()) + ": cannot be locked: " + std::strerror(errno) +
               "; copy the folder to another place"};
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

Result<RunFolder> open_run_folder(const RunOptions& options, const JournalHead& head,
                                  const std::set<std::string>& tasks) {
  if (options.out.empty()) return RunFolder{};
  const fs::path folder = options.out, file = folder / journal_name;
  const Result<Done> ready = usable(folder, options);
  if (!ready) return ready.error();
  Result<FolderLock> lock = FolderLock::of(folder);
  if (!lock) return lock.error();
  if (options.resume) {
    Result<ResumedJournal> resumed = Journal::resume(file, head, tasks);
    if (!resumed) return resumed.error();
    if (resumed->damaged != 0)
      fmt::print(stderr, "attncert: {}: {} damaged lines were taken away; their tasks run again\n",
                 printable(file.string()), resumed->damaged);
    return RunFolder{folder, std::move(resumed->journal), std::move(resumed->finished), *std::move(lock)};
  }
  if (options.force)
    if (const Result<Done> cleared = clear(folder); !cleared) return cleared.error();
  Result<Journal> journal = Journal::start(file, head);
  if (!journal) return journal.error();
  return RunFolder{folder, *std::move(journal), {}, *std::move(lock)};
}

Result<Done> make_evidence_folders(const fs::path& folder) {
  std::error_code error;
  for (const char* kind : evidence_folders) {
    fs::create_directories(folder / kind, error);
    if (error) return Error{printable((folder / kind).string()) + ": cannot be made: " + error.message()};
  }
  return Done{};
}

Result<Done> write_reports(const fs::path& folder, const Ledger& ledger) {
  for (const ReportFormat& format : report_formats()) {
    if (format.ending.empty()) continue;
    const Result<Done> written = write_text(folder / report_file(format), format.render(ledger, {}));
    if (!written) return written.error();
  }
  return write_text(folder / ledger_name, to_json(ledger));
}

}  // namespace attncert::cli
