// The table that certify prints last: aligned by display width, so that it reads the same with and without colour.
#include <algorithm>
#include <string>
#include <vector>

#include "reports/ledger.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert {
using namespace report;
namespace {

struct Column {
  const char* title;
  bool right;  // numbers stand to the right
};
const std::vector<Column> columns{{"claim", false},     {"expected", false}, {"reached", false}, {"tried", true},
                                  {"admissible", true}, {"held", true},      {"violated", true}, {"equality", true},
                                  {"undecided", true},  {"real", true},      {"tightest", true}, {"witness", false},
                                  {"", false}};
constexpr std::size_t reached_column = 2;

std::vector<std::string> row_of(const LedgerClaim& claim) {
  const Counts& counts = claim.counts;
  std::string remark = standing(claim) == "differs" ? "DIFFERS" : "";
  if (!claim.proved_domain.empty()) remark += (remark.empty() ? "for " : ": for ") + claim.proved_domain;
  return {claim.id,
          claim.expected,
          claim.reached,
          count_text(claim, counts.tried),
          count_text(claim, counts.admissible),
          count_text(claim, counts.held),
          count_text(claim, counts.violated),
          count_text(claim, counts.equality),
          count_text(claim, counts.undecided),
          real_text(claim),
          tightness_text(claim),
          witness_size(claim),
          claim.checker.empty() || claim.checker == "accepted" ? remark : "CHECKER " + claim.checker};
}

// Green where it agrees, yellow where undecided, red where it differs (ANSI X3.64 colours 32, 33, 31); what is measured
// does neither.
std::string coloured(const std::string& text, const LedgerClaim& claim) {
  const std::string word = standing(claim);
  if (word == "measured") return text;
  const char* code = word == "as expected" ? "32" : word == "undecided" ? "33" : "31";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - text.size(), ' ');
  return right ? space + text : text + space;
}

void append_line(std::string& table, std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  table += line + "\n";
}

}  // namespace

std::string verdict_table(const Ledger& ledger, bool colour) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> width;
  for (const Column& column : columns) width.push_back(std::string(column.title).size());
  for (const LedgerClaim& claim : ledger.claims) {
    rows.push_back(row_of(claim));
    for (std::size_t i = 0; i < columns.size(); ++i) width[i] = std::max(width[i], rows.back()[i].size());
  }
  std::string table, line;
  for (std::size_t i = 0; i < columns.size(); ++i) line += padded(columns[i].title, width[i], columns[i].right) + "  ";
  append_line(table, line);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    line.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = padded(rows[row][i], width[i], columns[i].right);
      line += (colour && i == reached_column ? coloured(cell, ledger.claims[row]) : cell) + "  ";
    }
    append_line(table, line);
  }
  return table + "\n" + summary(ledger) + "\n";
}

}  // namespace attncert
