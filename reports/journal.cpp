#include "reports/journal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "reports/records.hpp"
#include "src/core/files.hpp"
#include "src/core/hash.hpp"
#include "src/core/printable.hpp"

namespace attncert {
namespace {

constexpr std::string_view format_name = "attncert-journal/5";

std::string head_line(const JournalHead& head) {
  return fmt::format("{{\"format\":\"{}\",\"head\":{}}}\n", format_name, record_text(head));
}

std::uint64_t sum_of(const PlanFacts& plan) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : plan) sum = fingerprint(value, fingerprint(name, sum));
  return sum;
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
    return Error{where + ": is no journal of this version; run it again with --force"};
  return read_record<JournalHead>(std::string(line.substr(0, line.size() - 1)), where);
}

// What of an interrupted run is to be gone on with, or why it cannot be.
Result<Done> fits(const StoredJournal& old, const JournalHead& head, const std::set<std::string>& tasks,
                  const std::string& where) {
  if (old.head.plan != head.plan)
    return Error{where + ": belongs to another plan: " + difference(old.head.plan, head.plan, "now") +
                 "; use --force to start anew"};
  if (old.head.shard != head.shard)
    return Error{where + ": is of shard " + printable(old.head.shard) + ", not of " + head.shard +
                 "; choose another --out"};
  std::set<std::string> seen;
  for (const JournalEntry& entry : old.entries) {
    if (!tasks.contains(entry.task))
      return Error{where + ": has task " + printable(entry.task) +
                   ", which is none of this plan; give the arguments of the earlier run, or use --force to start anew"};
    if (!seen.insert(entry.task).second)
      return Error{where + ": has task " + printable(entry.task) + " twice; use --force to start anew"};
  }
  return Done{};
}

// The journal without what was damaged, under a new head, whose arguments may ask for more tasks: a record at a time.
Result<Done> rewrite(const std::filesystem::path& file, const JournalHead& head, const StoredJournal& old) {
  const std::filesystem::path partial = file.string() + ".partial";
  Result<Done> written = write_text(partial, head_line(head));
  for (const JournalEntry& entry : old.entries)
    if (written) written = append_text(partial, line_of(sum_of(head.plan), entry));
  std::error_code error;
  if (written) std::filesystem::rename(partial, file, error);
  if (!written || error) {
    std::filesystem::remove(partial, error);
    return Error{file.string() + ": cannot be written; make room or choose another place"};
  }
  return Done{};
}

Result<StoredJournal> read(std::istream& stream, const std::string& where, const std::filesystem::path& file) {
  StoredJournal stored;
  std::uint64_t plan = 0, end = 0;  // end: of the lines so far, in bytes
  std::size_t number = 0;
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) {  // at its end a line is cut short
    end += line.size() + 1;
    if (++number == 1) {
      Result<JournalHead> head = head_of(line, where);
      if (!head) return head.error();
      stored.head = *std::move(head);
      plan = sum_of(stored.head.plan);
    } else if (std::optional<JournalEntry> entry = entry_of(line, plan)) {
      const std::size_t size = entry->record.text().size();
      if (!file.empty() && size > held) entry->record = RecordText(file, end - 2 - size, size);  // before "}\n"
      stored.entries.push_back(*std::move(entry));
    } else {
      stored.damaged.push_back(number);
    }
  }
  if (number == 0) return Error{where + ": holds no plan; run it again with --force"};
  return stored;
}

}  // namespace

std::string difference(const PlanFacts& one, const PlanFacts& other, const std::string& whose) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& here, const std::string& there) {
    text += fmt::format("{}{}: {}, and {} {}", text.empty() ? "" : "; ", name, here, there, whose);
  };
  for (const auto& [name, value] : one) {
    const auto found = other.find(name);
    if (found == other.end()) add(name, value, "none");
    else if (found->second != value) add(name, value, found->second);
  }
  for (const auto& [name, value] : other)
    if (!one.contains(name)) add(name, "none", value);
  return printable(text);
}

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
  std::error_code error;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, error)) stream.open(file, std::ios::binary);  // a pipe would be waited for
  if (!stream.is_open()) return Error{file.string() + ": cannot be read; name the folder of a run"};
  return read(stream, file.string(), file);
}

std::string journal_text(const StoredJournal& journal) {
  const std::uint64_t plan = sum_of(journal.head.plan);
  std::string text = head_line(journal.head);
  for (const JournalEntry& entry : journal.entries) text += line_of(plan, entry);
  return text;
}

Journal::Journal(std::filesystem::path file, const JournalHead& head)
    : file_(std::move(file)), plan_(sum_of(head.plan)) {}

Result<Journal> Journal::start(const std::filesystem::path& file, const JournalHead& head) {
  const Result<Done> written = write_text(file, head_line(head));
  if (!written) return written.error();
  return Journal(file, head);
}

Result<ResumedJournal> Journal::resume(const std::filesystem::path& file, JournalHead head,
                                       const std::set<std::string>& tasks) {
  Result<StoredJournal> old = read_journal(file);
  if (!old) return old.error();
  const Result<Done> fitting = fits(*old, head, tasks, file.string());
  if (!fitting) return fitting.error();
  const std::size_t damaged = old->damaged.size();
  head.finished = old->entries.size();
  const Result<Done> written = rewrite(file, head, *old);
  if (!written) return written.error();
  old = read_journal(file);  // long records may lie elsewhere now
  if (!old) return old.error();
  return ResumedJournal{Journal(file, head), std::move(old->entries), damaged};
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
