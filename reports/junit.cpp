// JUnit XML, as CI systems read it: testsuites of testcases, each with at most one failure, error or skipped.
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "reports/ledger.hpp"
#include "reports/row_line.hpp"
#include "src/core/xml_text.hpp"

namespace attncert {
namespace {

using report::RowLine;
using report::xml_text;

// A file that cannot be read and a kernel that failed on a case gave no result, and what a kernel declines is no
// failure.
enum class Outcome { passed, failure, error, skipped };

template <class Row>
Outcome outcome_of(const Row& row) {
  return exit_status(row) == 0 ? Outcome::passed : Outcome::failure;
}
Outcome outcome_of(const LedgerJudgement& row) {
  if (row.verdict == "refused") return Outcome::skipped;
  if (row.verdict == "cannot be read" || row.verdict == "failed") return Outcome::error;
  return exit_status(row) == 0 ? Outcome::passed : Outcome::failure;
}

std::string text_of(const RowLine& line, std::string_view suite, Outcome outcome, int status) {
  std::string text = fmt::format("    <testcase classname=\"attncert.{}\" name=\"{}\">", suite, xml_text(line.name));
  const bool error = outcome == Outcome::error;
  if (outcome == Outcome::skipped) text += fmt::format("<skipped message=\"{}\"/>", xml_text(line.says()));
  else if (outcome != Outcome::passed)
    text += fmt::format("<{0} type=\"{1}\" message=\"{2}\">{3}</{0}>", error ? "error" : "failure",
                        error         ? "no result"
                        : status == 3 ? "undecided"
                                      : "differs",
                        xml_text(line.says()),
                        xml_text(line.says() + (line.replay.empty() ? "" : "\nrepeat: " + line.replay)));
  return text + "</testcase>\n";
}

template <class Row>
std::string suite_of(std::string_view name, std::span<const Row> rows, const Ledger& ledger) {
  if (rows.empty()) return "";
  std::string cases;
  std::map<Outcome, std::size_t> counts;
  for (const Row& row : rows) {
    const Outcome outcome = outcome_of(row);
    ++counts[outcome];
    cases += text_of(report::line_of(row, ledger), name, outcome, exit_status(row));
  }
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n", name,
      rows.size(), counts[Outcome::failure], counts[Outcome::error], counts[Outcome::skipped], cases);
}

}  // namespace

std::string junit(const Ledger& ledger) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attncert\">\n";
  for_each_kind(ledger, [&](const char* name, auto rows) { text += suite_of(name, rows, ledger); });
  return text + "</testsuites>\n";
}

}  // namespace attncert
