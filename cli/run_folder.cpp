#include "cli/run_folder.hpp"

#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/places.hpp"
#include "properties/claims/certify/search.hpp"
#include "reports/formats.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;
namespace {

std::string report_file(const ReportFormat& format) { return "report" + std::string(format.ending); }

// What a run writes beside its evidence.
std::vector<std::string> run_files() {
  std::vector<std::string> files{"journal.jsonl", "ledger.json"};
  for (const ReportFormat& format : report_formats())
    if (!format.ending.empty()) files.push_back(report_file(format));
  return files;
}

constexpr const char* evidence_folders[] = {"witnesses", "certificates", "tightest"};

void make_evidence_folders(const fs::path& folder, std::error_code& error) {
  for (const char* kind : evidence_folders)
    if (!error) fs::create_directories(folder / kind, error);
}

// Removes what an earlier run wrote, and nothing else.
Result<Done> clear(const fs::path& folder) {
  std::error_code error;
  for (const std::string& file : run_files()) fs::remove(folder / file, error);
  for (const char* kind : evidence_folders) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / kind, error))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    for (const fs::path& file : files) fs::remove(file, error);
  }
  if (fs::exists(folder / "ledger.json", error))
    return Error{folder.string() + ": the earlier run cannot be removed; choose another --out"};
  return Done{};
}

}  // namespace

Result<RunFolder> open_run_folder(const CertifyOptions& options, const std::string& plan) {
  const fs::path folder = options.out.empty() ? fs::path("out") / std::to_string(options.seed) : fs::path(options.out);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return Error{folder.string() + ": is not a folder; choose another --out"};
  if (options.resume) {
    if (fs::exists(folder / "journal.jsonl", error)) make_evidence_folders(folder, error);
    std::vector<TaskRecord> finished;
    Result<Journal> journal = Journal::resume(folder / "journal.jsonl", plan, finished);
    if (!journal) return journal.error();
    return RunFolder{folder, *std::move(journal), std::move(finished)};
  }
  const bool earlier = fs::exists(folder / "journal.jsonl", error) || fs::exists(folder / "ledger.json", error);
  if (earlier && !options.force)
    return Error{folder.string() + ": holds an earlier run; use --resume, --force to replace it, or another --out"};
  if (!earlier && fs::exists(folder, error) && !fs::is_empty(folder, error))
    return Error{folder.string() + ": holds files that are not a run's; choose another --out"};
  make_evidence_folders(folder, error);
  if (error) return Error{folder.string() + ": cannot be made: " + error.message() + "; choose another --out"};
  const Result<Done> writable = write_text(folder / "witnesses" / ".writable", "");
  if (!writable) return writable.error();
  fs::remove(folder / "witnesses" / ".writable", error);
  if (earlier) {  // only when a new run can take its place
    const Result<Done> cleared = clear(folder);
    if (!cleared) return cleared.error();
  }
  Result<Journal> journal = Journal::start(folder / "journal.jsonl", plan);
  if (!journal) return journal.error();
  return RunFolder{folder, *std::move(journal), {}};
}

Result<Done> write_tightest(const fs::path& folder, const std::vector<TaskRecord>& records, const Ledger& ledger) {
  std::set<std::string> named;
  for (const LedgerClaim& claim : ledger.claims) {
    if (claim.tightest) named.insert(claim.tightest->replay);
    for (const PartTally& part : claim.parts)
      if (part.tightest) named.insert(part.tightest->replay);
  }
  for (const TaskRecord& record : records)
    for (const auto& [file, witness] : record.tightest) {
      if (!named.contains(file)) continue;
      const Result<Done> written = write_witness(witness, folder / file);
      if (!written) return written.error();
    }
  return Done{};
}

Result<Done> write_reports(const fs::path& folder, const Ledger& ledger) {
  for (const ReportFormat& format : report_formats()) {
    if (format.ending.empty()) continue;
    const Result<Done> written = write_text(folder / report_file(format), format.render(ledger, {}));
    if (!written) return written.error();
  }
  return write_text(folder / "ledger.json", to_json(ledger));
}

}  // namespace attncert::cli
