// Our verdict on attention kernels beside what the rules in use say of them, as Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "properties/conformance/attention/rules_in_use.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert {
namespace {

bool has_rules(const Fault& fault) { return fault.attention != nullptr; }

bool refused_by(const KillSummary& line, std::string_view rule, std::string_view where) {
  return std::ranges::any_of(
      line.kills, [&](const Kill& kill) { return kill.caught && kill.check == rule && kill.rule_on == where; });
}

std::string row_of(const KillSummary& line) {
  const Kill* const ours = line.first();
  std::string row = fmt::format("| `{}`{} | {} |", line.fault->name, line.fault->wrong ? "" : " (right)",
                                ours == nullptr ? "holds" : "differs");
  for (const RuleInUse& rule : rules_in_use())
    row += fmt::format(" {} / {} |", refused_by(line, rule.name, on_campaign) ? "x" : "-",
                       refused_by(line, rule.name, on_customary) ? "x" : "-");
  return row + "\n";
}

// How many of the wrong kernels a rule does not refuse, and how many of the right ones it does.
struct Misjudged {
  std::size_t accepted = 0, refused = 0;
};

Misjudged misjudged(std::span<const KillSummary> matrix, std::string_view rule, std::string_view where) {
  Misjudged counts;
  for (const KillSummary& line : matrix) {
    if (!has_rules(*line.fault)) continue;
    const bool refuses = refused_by(line, rule, where);
    counts.accepted += line.fault->wrong && !refuses;
    counts.refused += !line.fault->wrong && refuses;
  }
  return counts;
}

std::string count_rows(std::span<const KillSummary> matrix) {
  std::string missed = "| wrong ones accepted |", alarms = "| right ones refused |";
  Misjudged ours;
  for (const KillSummary& line : matrix) {
    if (!has_rules(*line.fault)) continue;
    ours.accepted += line.fault->wrong && line.first() == nullptr;
    ours.refused += !line.fault->wrong && line.first() != nullptr;
  }
  missed += fmt::format(" {} |", ours.accepted);
  alarms += fmt::format(" {} |", ours.refused);
  for (const RuleInUse& rule : rules_in_use()) {
    const Misjudged campaign = misjudged(matrix, rule.name, on_campaign),
                    customary = misjudged(matrix, rule.name, on_customary);
    missed += fmt::format(" {} / {} |", campaign.accepted, customary.accepted);
    alarms += fmt::format(" {} / {} |", campaign.refused, customary.refused);
  }
  return missed + "\n" + alarms + "\n";
}

}  // namespace

std::string rules_table(std::span<const KillSummary> matrix) {
  std::string rows;
  for (const bool wrong : {true, false})  // the right ones come last
    for (const KillSummary& line : matrix)
      if (has_rules(*line.fault) && line.fault->wrong == wrong) rows += row_of(line);
  if (rows.empty()) return "";
  std::string head = "| attention kernel | attncert |", rule_line = "|---|---|", sources;
  for (const RuleInUse& rule : rules_in_use()) {
    head += fmt::format(" {} |", rule.name);
    rule_line += "---|";
    sources += fmt::format("- {}: {}\n  ({})\n", rule.name, rule.formula, rule.source);
  }
  return fmt::format("{}\n{}\n{}{}\n{}", head, rule_line, rows, count_rows(matrix), sources);
}

}  // namespace attncert
