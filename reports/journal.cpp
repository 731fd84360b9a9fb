#include "reports/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "reports/records.hpp"
#include "src/core/files.hpp"
#include "src/core/hash.hpp"

namespace attncert {
namespace {

constexpr std::string_view format_name = "attncert-journal/4";

std::string head_line(const JournalHead& head) {
  return fmt::format("{{\"format\":\"{}\",\"head\":{}}}\n", format_name, record_text(head));
}

// {"seconds":1.5,"sum":"0123456789abcdef","task":"search:x","record":{...}}. The sum is of the plan, the task and the
// record: a line that was edited, or comes from another plan, is noticed.
std::uint64_t sum_of(std::uint64_t plan, std::string_view task_and_record) {
  return fingerprint(task_and_record, plan);
}

std::string line_of(std::uint64_t plan, const JournalEntry& entry) {
  const std::string rest = fmt::format("\"task\":\"{}\",\"record\":{}}}", entry.task, entry.record.text());
  return fmt::format("{{\"seconds\":{},\"sum\":\"{:016x}\",{}\n", entry.seconds, sum_of(plan, rest), rest);
}

constexpr std::size_t held = 1 << 16;  // bytes of a record: longer ones stay in their file

bool skip(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// As line_of() writes it and no other.
std::optional<JournalEntry> entry_of(std::string_view line, std::uint64_t plan) {
  JournalEntry entry;
  if (!skip(line, "{\"seconds\":")) return std::nullopt;
  const auto number = std::from_chars(line.data(), line.data() + line.size(), entry.seconds);
  line.remove_prefix(static_cast<std::size_t>(number.ptr - line.data()));
  if (number.ec != std::errc() || !skip(line, ",\"sum\":\"")) return std::nullopt;
  const std::string sum(line.substr(0, 16));
  line.remove_prefix(sum.size());
  if (!skip(line, "\",") || sum != fmt::format("{:016x}", sum_of(plan, line))) return std::nullopt;
  if (!skip(line, "\"task\":\"")) return std::nullopt;
  const auto quote = line.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  entry.task = line.substr(0, quote);
  line.remove_prefix(quote);
  if (!skip(line, "\",\"record\":") || !line.ends_with('}')) return std::nullopt;
  entry.record = std::string(line.substr(0, line.size() - 1));
  return entry;
}

Result<JournalHead> head_of(std::string_view line, const std::string& where) {
  if (!skip(line, fmt::format("{{\"format\":\"{}\",\"head\":", format_name)) || !line.ends_with('}'))
    return Error{where + ": is no journal of this version; use --force to start anew"};
  return read_record<JournalHead>(std::string(line.substr(0, line.size() - 1)), where);
}

// Takes away a last line that was cut short, and puts the head there, whose arguments may ask for more tasks.
Result<Done> cut_behind(const std::filesystem::path& file, const StoredJournal& old, const JournalHead& head) {
  const std::filesystem::path partial = file.string() + ".partial";
  std::ifstream from(file, std::ios::binary);
  std::ofstream to(partial, std::ios::binary | std::ios::trunc);
  to << head_line(head);
  from.seekg(static_cast<std::streamoff>(old.begin));
  std::vector<char> block(std::size_t{1} << 20);
  for (std::uint64_t left = old.end - old.begin; left > 0 && from && to;) {
    const std::size_t size = std::min<std::uint64_t>(left, block.size());
    from.read(block.data(), static_cast<std::streamsize>(size));
    to.write(block.data(), from.gcount());
    left -= size;
  }
  to.close();
  std::error_code error;
  if (from && to) std::filesystem::rename(partial, file, error);
  if (!from || !to || error) return Error{file.string() + ": cannot be written; check the disk"};
  return Done{};
}

Result<StoredJournal> read(std::istream& stream, const std::string& where, const std::filesystem::path& file) {
  StoredJournal stored;
  std::uint64_t plan = 0, end = 0;
  std::size_t number = 0;
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) {  // at its end a line is cut short
    end += line.size() + 1;
    if (++number == 1) {
      Result<JournalHead> head = head_of(line, where);
      if (!head) return head.error();
      stored.head = *std::move(head);
      stored.begin = end;
      plan = fingerprint(stored.head.plan);
    } else if (std::optional<JournalEntry> entry = entry_of(line, plan)) {
      const std::size_t size = entry->record.text().size();
      if (!file.empty() && size > held) entry->record = RecordText(file, end - 2 - size, size);  // before "}\n"
      stored.entries.push_back(*std::move(entry));
    } else {
      stored.damaged.push_back(number);
    }
  }
  if (number == 0) return Error{where + ": holds no plan; use --force to start anew"};
  stored.end = end;
  return stored;
}

}  // namespace

std::string RecordText::text() const {
  if (file_.empty()) return held_;
  std::ifstream stream(file_, std::ios::binary);
  std::string text(size_, '\0');
  stream.seekg(static_cast<std::streamoff>(begin_));
  stream.read(text.data(), static_cast<std::streamsize>(size_));
  if (!stream) throw std::runtime_error(file_.string() + ": can no longer be read");
  return text;
}

Result<StoredJournal> journal_of(const std::string& text, const std::string& where) {
  std::istringstream stream(text);
  return read(stream, where, "");
}

Result<StoredJournal> read_journal(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string() + ": cannot be read"};
  return read(stream, file.string(), file);
}

std::string journal_text(const StoredJournal& journal) {
  const std::uint64_t plan = fingerprint(journal.head.plan);
  std::string text = head_line(journal.head);
  for (const JournalEntry& entry : journal.entries) text += line_of(plan, entry);
  return text;
}

Journal::Journal(std::filesystem::path file, const JournalHead& head)
    : file_(std::move(file)), plan_(fingerprint(head.plan)) {}

Result<Journal> Journal::start(const std::filesystem::path& file, const JournalHead& head) {
  const Result<Done> written = write_text(file, head_line(head));
  if (!written) return written.error();
  return Journal(file, head);
}

Result<Journal> Journal::resume(const std::filesystem::path& file, JournalHead head,
                                std::vector<JournalEntry>& finished) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Error{file.string() + ": no journal to resume; leave --resume out to start a run"};
  Result<StoredJournal> old = read_journal(file);
  if (!old) return old.error();
  if (old->head.plan != head.plan || old->head.shard != head.shard)
    return Error{file.string() +
                 ": belongs to another plan: other arguments, input or build, or another shard; use --force to start "
                 "anew"};
  if (!old->damaged.empty())
    return Error{fmt::format("{}: line {} is damaged; use --force to start anew", file.string(), old->damaged[0])};
  head.finished = old->entries.size();
  const Result<Done> cut = cut_behind(file, *old, head);
  if (!cut) return cut.error();
  old = read_journal(file);  // long records may lie elsewhere now
  if (!old) return old.error();
  finished = std::move(old->entries);
  return Journal(file, head);
}

Result<Done> Journal::append(JournalEntry& entry) {
  std::error_code error;
  const std::uint64_t begin = std::filesystem::file_size(file_, error);
  const std::string line = line_of(plan_, entry);
  const Result<Done> appended = append_text(file_, line);
  const std::size_t size = entry.record.text().size();
  if (appended && size > held) entry.record = RecordText(file_, begin + line.size() - 2 - size, size);
  return appended;
}

}  // namespace attncert
