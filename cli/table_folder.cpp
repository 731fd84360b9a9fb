#include "cli/table_folder.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "cli/places.hpp"
#include "src/core/strict_json.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* journal_name = "journal.jsonl";

// The sizes in a line of the journal; none where it is damaged.
std::optional<std::vector<std::uintmax_t>> sizes_of(std::string_view line) {
  try {
    const nlohmann::json numbers = strict_json::parsed(line, {.depth = 1});
    std::vector<std::uintmax_t> sizes;
    for (const nlohmann::json& number : strict_json::array(numbers, "line")) {
      if (!number.is_number_unsigned()) return std::nullopt;
      sizes.push_back(number.get<std::uintmax_t>());
    }
    return sizes;
  } catch (const strict_json::Fault&) {
    return std::nullopt;
  }
}

}  // namespace

Result<Done> check_folder(const fs::path& folder, bool resume, bool force) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return Error{folder.string() + ": is not a folder; choose another --out"};
  const bool earlier = fs::exists(folder / journal_name, error);
  if (resume && !earlier) return Error{folder.string() + ": holds no run to resume; leave --resume out"};
  if (earlier && !resume && !force)
    return Error{folder.string() + ": holds an earlier run; use --resume, --force to replace it, or another --out"};
  if (!earlier && fs::exists(folder, error) && !fs::is_empty(folder, error))
    return Error{folder.string() + ": holds files that are not a run's; choose another --out"};
  return Done{};
}

Result<TableFolder> TableFolder::open(const fs::path& folder, std::vector<TableFile> tables, const std::string& plan,
                                      bool resume, bool force) {
  const Result<Done> checked = check_folder(folder, resume, force);
  if (!checked) return checked.error();
  TableFolder result(folder, std::move(tables));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{folder.string() + ": cannot be made: " + error.message() + "; choose another --out"};
  const Result<Done> ready = resume ? result.resume(plan) : result.start(plan);
  if (!ready) return ready.error();
  return result;
}

// What an earlier run made goes first, so that nothing of it stands beside the new tables; the journal is replaced
// last, in one step, so that the folder stays a run's at every moment.
Result<Done> TableFolder::start(const std::string& plan) {
  std::error_code error;
  for (const char* made : {"report.html", "report.md", "ledger.json", "ks.csv", "diagnosis.csv"})
    fs::remove(folder_ / made, error);
  std::vector<fs::path> pictures;
  for (const auto& entry : fs::directory_iterator(folder_ / "figures", error))
    if (entry.path().extension() == ".svg") pictures.push_back(entry.path());
  for (const fs::path& picture : pictures) fs::remove(picture, error);
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    const Result<Done> written = write_text(file(table), tables_[table].header);
    if (!written) return written;
    sizes_[table] = tables_[table].header.size();
  }
  return write_text(journal(), plan + "\n");
}

fs::path TableFolder::journal() const { return folder_ / journal_name; }

Result<Done> TableFolder::resume(const std::string& plan) {
  const Result<std::string> text = read_text(journal());
  if (!text) return text.error();
  const Error other{journal().string() + ": belongs to another plan, model, text or version; use --force"};
  const auto first = text->find('\n');
  if (first == std::string::npos || text->substr(0, first) != plan) return other;
  for (std::size_t table = 0; table < tables_.size(); ++table) sizes_[table] = tables_[table].header.size();
  std::size_t end = first + 1;
  for (auto next = text->find('\n', end); next != std::string::npos; next = text->find('\n', end)) {
    const std::optional<std::vector<std::uintmax_t>> sizes = sizes_of(std::string_view(*text).substr(end, next - end));
    if (!sizes || sizes->size() != tables_.size()) return other;
    sizes_ = *sizes;
    ++windows_;
    end = next + 1;
  }
  std::error_code error;
  if (end < text->size()) fs::resize_file(journal(), end, error);  // a line cut short
  if (error) return Error{journal().string() + ": cannot be cut: " + error.message() + "; choose another --out"};
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    const auto size = fs::file_size(file(table), error);
    if (error || size < sizes_[table])
      return Error{file(table).string() + ": is shorter than the journal says; use --force to measure anew"};
    if (size > sizes_[table]) fs::resize_file(file(table), sizes_[table], error);
    if (error) return Error{file(table).string() + ": cannot be cut: " + error.message() + "; choose another --out"};
  }
  return Done{};
}

// The journal last: what it does not know of, a resumed run cuts off.
Result<Done> TableFolder::append(const std::vector<std::string>& lines) {
  ATTNCERT_ASSERT(lines.size() == tables_.size());
  nlohmann::json line = nlohmann::json::array();
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    const Result<Done> written = append_text(file(table), lines[table]);
    if (!written) return written;
    line.push_back(sizes_[table] += lines[table].size());
  }
  const Result<Done> journalled = append_text(journal(), line.dump() + "\n");
  if (!journalled) return journalled;
  ++windows_;
  return Done{};
}

}  // namespace attncert::cli
