// The table that certify prints last: aligned by display width, so that it reads the same with and without colour.
#include <string>
#include <vector>

#include "reports/aligned.hpp"
#include "reports/ledger.hpp"
#include "reports/wording.hpp"

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
  std::string remark = standing(claim) == "differs" ? "DIFFERS" : "";
  if (!claim.proved_domain.empty()) remark += (remark.empty() ? "for " : ": for ") + claim.proved_domain;
  std::vector<std::string> row{claim.id, claim.expected, claim.reached};
  for (const std::uint64_t count : shown_counts(claim.counts)) row.push_back(count_text(claim, count));
  row.insert(row.end(), {real_text(claim), tightness_text(claim), witness_size(claim),
                         claim.checker.empty() || claim.checker == "accepted" ? remark : "CHECKER " + claim.checker});
  return row;
}

// Green where it agrees, yellow where undecided, red where it differs (ANSI X3.64 colours 32, 33, 31); what is measured
// does neither.
std::string coloured(const std::string& text, const LedgerClaim& claim) {
  const std::string word = standing(claim);
  if (word == "measured") return text;
  const char* code = word == "as expected" ? "32" : word == "undecided" ? "33" : "31";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

}  // namespace

std::string verdict_table(const Ledger& ledger, bool colour) {
  std::vector<std::vector<std::string>> rows(1);
  std::vector<bool> to_the_left;
  for (const Column& column : columns) {
    rows[0].emplace_back(column.title);
    to_the_left.push_back(!column.right);
  }
  for (const LedgerClaim& claim : ledger.claims) rows.push_back(row_of(claim));
  const auto painted = [&](std::size_t row, std::size_t column, const std::string& cell) {
    return colour && row > 0 && column == reached_column ? coloured(cell, ledger.claims[row - 1]) : cell;
  };
  return aligned(rows, to_the_left, painted) + "\n" + summary(ledger) + "\n";
}

}  // namespace attncert
