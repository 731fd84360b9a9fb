#include "reports/journal.hpp"

#include <utility>

#include "reports/json_fields.hpp"
#include "src/core/files.hpp"

namespace attncert {
std::string journal_line(const TaskRecord& record) {
  return json_fields::written(record).dump(-1, ' ', false, json_fields::Written::error_handler_t::replace);
}

Result<TaskRecord> read_journal_line(const std::string& line, const std::string& where) {
  json_fields::Read whole;
  TaskRecord record;
  std::string fault = json_fields::parse(line, whole);
  if (fault.empty()) json_fields::Node(&whole, "", fault).read(record);
  if (!fault.empty())
    return Error{where + ": a line of the journal is damaged (" + fault +
                 "); run again with --force in place of --resume"};
  return record;
}

Result<Journal> Journal::start(const std::filesystem::path& file, const std::string& plan) {
  const Result<Done> written = write_text(file, plan + "\n");
  if (!written) return written.error();
  return Journal(file);
}

Result<Journal> Journal::resume(const std::filesystem::path& file, const std::string& plan,
                                std::vector<TaskRecord>& finished) {
  const Result<std::string> old = read_text(file);
  if (!old) return Error{file.string() + ": no journal to resume; leave --resume out to start a run"};
  const std::string& text = *old;
  std::string kept;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (begin == 0) {
      if (line != plan)
        return Error{file.string() +
                     ": belongs to a run with other arguments or another build; use --force to start anew"};
    } else {
      Result<TaskRecord> record = read_journal_line(line, file.string());
      if (!record) return record.error();
      finished.push_back(*std::move(record));
    }
    kept += line + "\n";
  }
  if (kept.empty()) return Error{file.string() + ": holds no plan; use --force to start anew"};
  const Result<Done> rewritten = write_text(file, kept);
  if (!rewritten) return rewritten.error();
  return Journal(file);
}

Result<Done> Journal::append(const TaskRecord& record) { return append_text(file_, journal_line(record) + "\n"); }

}  // namespace attncert
