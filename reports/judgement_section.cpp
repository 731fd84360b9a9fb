// Faults, what was judged, and real attention.
#include <fmt/format.h>

#include <algorithm>

#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

Span number(std::uint64_t count) { return {grouped(count), Style::number}; }

// Those that fail first, each kind in the ledger's order; at most as many as a page shows.
template <class Row>
std::vector<const Row*> shown(const std::vector<Row>& rows) {
  std::vector<const Row*> order;
  for (const bool failing : {true, false})
    for (const Row& row : rows)
      if ((exit_status(row) != 0) == failing && order.size() < most_rows) order.push_back(&row);
  return order;
}

Document inside_of(const LedgerJudgement& row) {
  Document inside;
  Facts facts{{{"read as", {row.read_as}}, {"elements", {grouped(row.elements)}}, {"outside", {grouped(row.outside)}}}};
  if (!row.why.empty()) facts.items.push_back({"why", {row.why}});
  for (const std::string& name : row.explained_by) facts.items.push_back({"explained by", {name}});
  if (row.vacuous > 0) facts.items.push_back({"bounds that say nothing", {grouped(row.vacuous)}});
  if (!row.replay.empty()) facts.items.push_back({"repeat", {row.replay, Style::code}});
  inside.push_back(std::move(facts));
  if (row.worst.empty()) return inside;
  Table worst{{"element", "got", "exact", "bound", "share of bound"}, {}};
  for (const LedgerElement& element : row.worst)
    worst.rows.push_back({{element.place, Style::code},
                          {element.got, Style::number},
                          {element.exact, Style::number},
                          {element.bound, Style::number},
                          {fmt::format("{:.3g}", element.of_bound), Style::number}});
  inside.push_back(std::move(worst));
  return inside;
}

}  // namespace

void add_faults(const Ledger& ledger, Document& document) {
  if (ledger.faults.empty()) return;
  document.push_back(Heading{2, "Faults"});
  std::size_t right = 0, refused = 0, survivors = 0;
  for (const LedgerFault& fault : ledger.faults) {
    right += !fault.wrong;
    refused += !fault.wrong && !fault.caught_by.empty();
    survivors += fault.wrong && fault.caught_by.empty();
  }
  document.push_back(Paragraph{
      {{fmt::format("Kernels that are wrong on purpose, most of them after a public report: {} of them, {} not caught. "
                    "Right kernels of unusual form: {}, {} refused. The command attncert faults shows all checks.",
                    ledger.faults.size() - right, survivors, right, refused)}}});
  Table table{{"kernel", "normalizer", "type", "what is wrong", "imitates", "caught by", "after cases"}, {}};
  for (const LedgerFault* fault : shown(ledger.faults)) {
    if (!fault->wrong && fault->caught_by.empty()) continue;
    table.rows.push_back({{fault->name, Style::code},
                          {fault->normalizer},
                          {fault->dtype},
                          {fault->wrong ? fault->text : "nothing: " + fault->text},
                          {fault->imitates},
                          {fault->caught_by.empty() ? "nothing" : fault->caught_by},
                          number(fault->cases)});
  }
  document.push_back(std::move(table));
  say_how_many_more(ledger.faults.size(), "kernels", document);
}

void add_judgements(const Ledger& ledger, Document& document) {
  if (ledger.judgements.empty()) return;
  document.push_back(Heading{2, "What was judged"});
  Folded folded{{"file", "part", "verdict", "class", "rows judged", "share of bound"}, {}};
  for (const LedgerJudgement* row : shown(ledger.judgements))
    folded.rows.push_back(
        {"",
         {{row->file},
          {row->part},
          {row->verdict, Style::verdict},
          {row->rounding},
          {fmt::format("{} of {}", grouped(row->judged_rows), grouped(row->rows)), Style::number},
          {row->worst.empty() ? std::string(no_value) : fmt::format("{:.3g}", row->worst[0].of_bound), Style::number}},
         inside_of(*row)});
  document.push_back(std::move(folded));
  say_how_many_more(ledger.judgements.size(), "rows", document);
}

void add_real(const Ledger& ledger, Document& document) {
  if (!ledger.real) return;
  const LedgerReal& real = *ledger.real;
  document.push_back(Heading{2, "Real attention"});
  document.push_back(Facts{{{"model", {real.model}},
                            {"text", {real.text}},
                            {"windows of tokens", {grouped(real.windows)}},
                            {"attention rows", {grouped(real.rows)}},
                            {"ties between selected weights", {grouped(real.ties) + " (broken by the lowest index)"}},
                            {"weights within the kernel's budget of the exact softmax of their logits",
                             {fmt::format("{} of {}; worst {} ulp, budget {} ulp",
                                          grouped(real.weights - std::min(real.weights, real.outside_budget)),
                                          grouped(real.weights), ulp_text(real.worst_ulp), ulp_text(real.budget_ulp))}},
                            {"largest distance between a unit token and its rational point",
                             {fmt::format("{:.3g}", real.largest_rounding)}}}});
}

}  // namespace attncert::report
