// The files of a run: each has a writer, so that what is accepted is written and read again.
#include <sstream>
#include <vector>

#include "fuzz/readers.hpp"
#include "reports/journal.hpp"
#include "reports/ledger.hpp"
#include "reports/records.hpp"
#include "src/core/certificate.hpp"
#include "src/core/record.hpp"
#include "src/core/table.hpp"
#include "study/attention_lines.hpp"

namespace attncert::fuzz {
namespace {

// Written, read, written: the two texts are one. Both texts are compared, since the readers' structures have no
// equality.
template <class Read, class Write>
std::string round_trip(std::string_view file, Read read, Write write) {
  const auto first = read(std::string(file), where);
  if (!first) return objection(first.error());
  const std::string written = write(*first);
  const auto second = read(written, where);
  if (!second) return "what was accepted is refused when written: " + second.error().message;
  return write(*second) == written ? "" : "what was accepted is another thing when written";
}

template <class Line>
Result<std::vector<Line>> lines_of(const std::string& text, const std::string& name) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  const auto done = read_table<Line>(stream, name, [&](const Line& line) { lines.push_back(line); });
  if (!done) return done.error();
  return lines;
}

template <class Line>
std::string table_of(std::string_view file) {
  return round_trip(file, lines_of<Line>, [](const std::vector<Line>& lines) {
    std::string text = header_line<Line>();
    for (const Line& line : lines) append_line(text, line);
    return text;
  });
}

std::string record(std::string_view text) {
  const Result<TaskRecord> read = read_record<TaskRecord>(std::string(text), where);
  if (!read) return "";
  for (const auto& [id, sources] : read->tallies)
    for (const auto& [source, tally] : sources)
      if (tally.max_bits < 0) return "a precision below 0 bits";
  return round_trip(text, read_record<TaskRecord>, record_text<TaskRecord>);
}

}  // namespace

std::string witness(std::string_view file) {
  return round_trip(file, witness_from_json, [](const Witness& read) { return to_json(read); });
}

std::string certificate(std::string_view file) {
  return round_trip(file, certificate_from_json, [](const Certificate& read) { return to_json(read); });
}

// `attncert report` writes every format of a ledger that it could read.
std::string ledger(std::string_view file) {
  const std::string wrong = round_trip(file, ledger_from_json, [](const Ledger& read) { return to_json(read); });
  const Result<Ledger> read = ledger_from_json(std::string(file), where);
  if (!wrong.empty() || !read) return wrong;
  static_cast<void>(markdown(*read));
  static_cast<void>(html(*read));
  static_cast<void>(verdict_table(*read, true));
  static_cast<void>(exit_status(*read));
  return "";
}

std::string journal(std::string_view file) {
  if (const Result<StoredJournal> read = journal_of(std::string(file), where))
    for (const JournalEntry& entry : read->entries)
      if (std::string fault = record(entry.record.text()); !fault.empty()) return fault;
  std::string fault = round_trip(file, journal_of, journal_text);
  return fault.empty() ? record(file) : fault;  // a record alone is an input too
}

std::string tables(std::string_view file) {
  using Table = std::string (*)(std::string_view);
  static constexpr Table tables[] = {table_of<HeadLine>,        table_of<SelectionLine>, table_of<JacobianLine>,
                                     table_of<AlternativeLine>, table_of<GeometryLine>,  table_of<CheckLine>,
                                     table_of<ClaimLine>};
  if (file.empty()) return "";
  const auto which = static_cast<unsigned char>(file.front()) % 8U;  // room for one more
  return which < std::size(tables) ? tables[which](file.substr(1)) : "";
}

}  // namespace attncert::fuzz
