#include "reports/row_line.hpp"

#include <fmt/format.h>

#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {

RowLine line_of(const LedgerClaim& row, const Ledger&) {
  std::string says = fmt::format("{}: expected {}, reached {}", standing(row), row.expected, row.reached);
  if (!row.checker.empty() && row.checker != "accepted") says += "; the checker: " + row.checker;
  return {row.id, says, row.replay};
}

RowLine line_of(const KernelResult& row, const Ledger&) {
  const std::string share = share_text(row.worst_fraction);
  return {row.isa.empty() ? row.kernel : row.kernel + " on " + row.isa,
          fmt::format("{} {}: {} of {} ulp{}; {} of {} elements outside, {} undecided; contract: {}; laws: {}", share,
                      share_of(share, "its budget"), ulp_text(row.worst_fraction * row.budget_ulp),
                      ulp_text(row.budget_ulp), row.worst_entry.empty() ? "" : ", " + row.worst_entry,
                      grouped(row.outside), grouped(row.elements), grouped(row.undecided), row.contract, row.laws),
          row.replay};
}

RowLine line_of(const LedgerFault& row, const Ledger& ledger) {
  const std::string text = row.text.empty() ? "" : ": " + row.text;
  return {row.name,
          row.wrong ? (row.caught_by.empty() ? "wrong, and not caught" : "caught by " + row.caught_by) + text
                    : (row.caught_by.empty() ? "right" : "right, and refused by " + row.caught_by) + text,
          fmt::format("attncert faults --seed {} --effort {}", ledger.plan.seed, ledger.plan.effort)};
}

RowLine line_of(const LedgerJudgement& row, const Ledger&) {
  std::string says = row.verdict + (row.why.empty() ? "" : ": " + row.why);
  if (row.outside > 0) says += fmt::format("; {} of {} elements outside", grouped(row.outside), grouped(row.elements));
  if (!row.rounding.empty()) says += "; class " + row.rounding;
  for (const std::string& name : row.explained_by) says += "; explained by: " + name;
  return {row.file + (row.part.empty() ? "" : ", " + row.part), says, row.replay};
}

RowLine line_of(const LedgerReal& row, const Ledger&) {
  return {
      "weights of " + row.model,
      fmt::format("{} of {} captured weights outside the budget of {} ulp; worst {} ulp", grouped(row.outside_budget),
                  grouped(row.weights), ulp_text(row.budget_ulp), ulp_text(row.worst_ulp)),
      ""};
}

}  // namespace attncert::report
