// The order of the page: the outcome, which runs it is of, a table for each kind of row, speeds, and what the words
// mean.
#include <fmt/format.h>

#include <array>

#include "reports/comparison/comparison.hpp"
#include "reports/comparison/rules.hpp"
#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

std::string plural(std::uint64_t count, const char* one, const char* several) {
  return grouped(count) + " " + (count == 1 ? one : several);
}

void add_runs(const Comparison& comparison, Document& document) {
  Table table{{"", "ledger", "commit", "started"}, {}};
  for (const auto& [label, run] : {std::pair{"before", &comparison.before}, std::pair{"after", &comparison.after}})
    table.rows.push_back({{label}, {run->file, Style::code}, {run->commit, Style::code}, {run->started}});
  document.push_back(std::move(table));
  if (comparison.allowed.empty()) return;
  document.push_back(Paragraph{{{"Not the same of plan, build and machine, as was allowed:"}}});
  Table allowed{{"fact", "before", "after"}, {}};
  for (const FieldChange& fact : comparison.allowed)
    allowed.rows.push_back({{fact.field, Style::code}, {fact.before}, {fact.after}});
  document.push_back(std::move(allowed));
}

void add_kind(const KindChanges& kind, Document& document) {
  document.push_back(Heading{2, kind.kind});
  document.push_back(Paragraph{{{plural(kind.same, "row", "rows") + " the same."}}});
  if (kind.rows.empty()) return;
  Table table{{"row", "outcome", "why", "field", "before", "after", "repeat"}, {}};
  for (const RowChange& row : kind.rows) {
    const std::vector<Span> head{{row.row, Style::code}, {row.outcome, Style::verdict}, {row.why}};
    const auto line = [&](bool first, const FieldChange& field) {
      std::vector<Span> cells = first ? head : std::vector<Span>(head.size());
      cells.insert(cells.end(), {{field.field, Style::code}, {field.before}, {field.after}});
      cells.push_back({first ? row.repeat : "", Style::code});
      table.rows.push_back(std::move(cells));
    };
    if (row.changes.empty()) line(true, {});
    for (const FieldChange& field : row.changes) line(&field == &row.changes.front(), field);
  }
  document.push_back(std::move(table));
}

void add_speed(const Comparison& comparison, Document& document) {
  if (comparison.speed.empty()) return;
  document.push_back(Heading{2, "speed"});
  document.push_back(Paragraph{
      {{"Time after / time before: above 1 is slower. Of several measurements the median, and the middle half of them "
        "as its noise; tasks of 0.01 s and more."}}});
  Table table{{"what", "before", "after", "ratio", "middle half", "measurements", "outcome"}, {}};
  for (const SpeedRatio& ratio : comparison.speed)
    table.rows.push_back(
        {{ratio.what},
         {ratio.before, Style::number},
         {ratio.after, Style::number},
         {fmt::format("{:.2f}", ratio.ratio), Style::number},
         {ratio.measurements < 2 ? std::string(no_value) : fmt::format("{:.2f} to {:.2f}", ratio.low, ratio.high),
          Style::number},
         {grouped(ratio.measurements), Style::number},
         {ratio.regresses ? regression : "", Style::plain}});
  document.push_back(std::move(table));
}

}  // namespace

std::string summary(const Comparison& comparison) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* one, const char* several) {
    if (count > 0) text += (text.empty() ? "" : ", ") + plural(count, one, several);
  };
  add(comparison.regressions, "regression", "regressions");
  add(comparison.improvements, "improvement", "improvements");
  add(comparison.changes, "other change", "other changes");
  const std::string same = plural(comparison.same, "row", "rows") + " the same";
  return text.empty() ? "no difference: " + same : text + ", " + same;
}

Document document(const Comparison& comparison) {
  Document document{Heading{1, "attncert: what changed"}, Paragraph{{{summary(comparison) + "."}}}};
  add_runs(comparison, document);
  for (const KindChanges& kind : comparison.kinds) add_kind(kind, document);
  add_speed(comparison, document);
  document.push_back(Heading{2, "What the outcomes mean"});
  document.push_back(meanings(outcome_meanings));
  return document;
}

}  // namespace attncert::report
