#include "reports/journal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

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
  const std::string rest = fmt::format("\"task\":\"{}\",\"record\":{}}}", entry.task, entry.record);
  return fmt::format("{{\"seconds\":{},\"sum\":\"{:016x}\",{}\n", entry.seconds, sum_of(plan, rest), rest);
}

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
  entry.record = line.substr(0, line.size() - 1);
  return entry;
}

Result<JournalHead> head_of(std::string_view line, const std::string& where) {
  if (!skip(line, fmt::format("{{\"format\":\"{}\",\"head\":", format_name)) || !line.ends_with('}'))
    return Error{where + ": is no journal of this version; use --force to start anew"};
  return read_record<JournalHead>(std::string(line.substr(0, line.size() - 1)), where);
}

}  // namespace

Result<StoredJournal> journal_of(const std::string& text, const std::string& where) {
  StoredJournal stored;
  std::uint64_t plan = 0;
  std::size_t number = 0;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (++number == 1) {
      Result<JournalHead> head = head_of(line, where);
      if (!head) return head.error();
      stored.head = *std::move(head);
      plan = fingerprint(stored.head.plan);
    } else if (std::optional<JournalEntry> entry = entry_of(line, plan)) {
      stored.entries.push_back(*std::move(entry));
    } else {
      stored.damaged.push_back(number);
    }
  }
  if (number == 0) return Error{where + ": holds no plan; use --force to start anew"};
  return stored;
}

Result<StoredJournal> read_journal(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  return text ? journal_of(*text, file.string()) : text.error();
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

Result<Journal> Journal::resume(const std::filesystem::path& file, const JournalHead& head,
                                std::vector<JournalEntry>& finished) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Error{file.string() + ": no journal to resume; leave --resume out to start a run"};
  Result<StoredJournal> old = read_journal(file);
  if (!old) return old.error();
  if (old->head.plan != head.plan || old->head.shard != head.shard)
    return Error{file.string() +
                 ": belongs to a run with other arguments, of another shard or of another build; use --force to start "
                 "anew"};
  if (!old->damaged.empty())
    return Error{fmt::format("{}: line {} is damaged; use --force to start anew", file.string(), old->damaged[0])};
  old->head = head;
  const Result<Done> rewritten = write_text(file, journal_text(*old));
  if (!rewritten) return rewritten.error();
  finished = std::move(old->entries);
  return Journal(file, head);
}

Result<Done> Journal::append(const JournalEntry& entry) { return append_text(file_, line_of(plan_, entry)); }

}  // namespace attncert
