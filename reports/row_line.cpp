#include "reports/row_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {

std::string RowLine::says() const { return fmt::format("{}", fmt::join(facts, "; ")); }

RowLine line_of(const LedgerClaim& row, const Ledger&) {
  RowLine line{
      row.id, {fmt::format("{}: expected {}, reached {}", standing(row), row.expected, row.reached)}, row.replay};
  if (!row.checker.empty() && row.checker != "accepted") line.facts.push_back("the checker: " + row.checker);
  return line;
}

RowLine line_of(const KernelResult& row, const Ledger&) {
  const std::string share = share_text(row.worst_fraction), error = absolute_error_text(row.worst_entry);
  std::vector<std::pair<bool, std::string>> facts;  // whether it fails the row
  const bool beyond = !(row.worst_fraction <= 1);
  facts.emplace_back(beyond, fmt::format("{} {}: {} of {} ulp{}", share, share_of(share, "its budget"),
                                         ulp_text(row.worst_fraction * row.budget_ulp), ulp_text(row.budget_ulp),
                                         error.empty() ? "" : ", absolute error " + error));
  if (!row.worst_entry.empty()) facts.emplace_back(beyond, "at " + row.worst_entry);
  facts.emplace_back(row.outside > 0 || row.undecided > 0,
                     fmt::format("{}, {} undecided", outside_text(row), grouped(row.undecided)));
  if (const std::string spread = spread_text(row); !spread.empty()) facts.emplace_back(beyond, spread);
  if (const std::string text = at_unit_temperature_text(row); beyond && !text.empty()) facts.emplace_back(true, text);
  facts.emplace_back(row.contract_broken > 0, "contract: " + row.contract);
  const bool lawless = row.laws_broken > 0 || row.laws_undecided > 0;
  facts.emplace_back(lawless, "laws: " + (lawless ? row.laws.substr(0, row.laws.find("; kept:")) : row.laws));
  // Of a row that fails, what fails it.
  if (std::ranges::any_of(facts, &std::pair<bool, std::string>::first))
    std::erase_if(facts, [](const auto& fact) { return !fact.first; });
  RowLine line{row.isa.empty() ? row.kernel : row.kernel + " on " + row.isa, {}, row.replay};
  for (auto& [fails, fact] : facts) line.facts.push_back(std::move(fact));
  return line;
}

RowLine line_of(const LedgerFault& row, const Ledger& ledger) {
  const std::string text = row.text.empty() ? "" : ": " + row.text;
  return {row.name,
          {row.wrong ? (row.caught_by.empty() ? "wrong, and not caught" : "caught by " + row.caught_by) + text
                     : (row.caught_by.empty() ? "right" : "right, and refused by " + row.caught_by) + text},
          fmt::format("attncert faults --seed {} --effort {}", ledger.plan.seed, ledger.plan.effort)};
}

RowLine line_of(const LedgerJudgement& row, const Ledger&) {
  RowLine line{row.file + (row.part.empty() ? "" : ", " + row.part),
               {row.verdict + (row.why.empty() ? "" : ": " + row.why)},
               row.replay};
  if (row.outside > 0)
    line.facts.push_back(fmt::format("{} of {} elements outside", grouped(row.outside), grouped(row.elements)));
  if (!row.rounding.empty()) line.facts.push_back("class " + row.rounding);
  for (const std::string& name : row.explained_by) line.facts.push_back("explained by: " + name);
  return line;
}

RowLine line_of(const LedgerReal& row, const Ledger&) {
  return {
      "weights of " + row.model,
      {fmt::format("{} of {} captured weights outside the budget of {} ulp; worst {} ulp", grouped(row.outside_budget),
                   grouped(row.weights), ulp_text(row.budget_ulp), ulp_text(row.worst_ulp))},
      ""};
}

}  // namespace attncert::report
