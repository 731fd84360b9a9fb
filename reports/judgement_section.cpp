// Faults, what was judged, and real attention.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "reports/plot/matrix.hpp"
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

// Of attncert fuzz: a row a subject or a finding.
bool is_hunt(const LedgerJudgement& row) { return row.part == "fuzz"; }

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

// Which check catches which wrong kernel: a row a check, those that catch most first.
Picture kills_picture(const Ledger& ledger) {
  std::map<std::string, Matrix::Row> rows;
  std::map<std::string, std::size_t> first, alone;
  std::size_t column = 0;
  for (const LedgerFault& fault : ledger.faults) {
    if (!fault.wrong) continue;
    ++first[fault.caught_by];
    alone[fault.caught_by] += fault.kills.size() == 1;
    for (const LedgerKill& kill : fault.kills) {
      const int strength = kill.cases <= 3 ? 2 : kill.cases <= 30 ? 1 : 0;
      rows[kill.check].cells.push_back({column, kill.check == fault.caught_by ? 1 : 0, strength,
                                        fmt::format("{}: {} after {} case{}", fault.name, kill.check,
                                                    grouped(kill.cases), kill.cases == 1 ? "" : "s")});
    }
    ++column;
  }
  Matrix matrix{.title = "Which check catches which wrong kernel", .columns = column};
  bool any_too = false;
  for (auto& [check, row] : rows) {
    any_too |= row.cells.size() > first[check];
    row.label = check;
    row.value = fmt::format("{} first", first[check]);
    if (const std::size_t others = first[check] - alone[check]; others > 0 && alone[check] > 0)
      row.value += fmt::format(" ({} alone)", alone[check]);
    else if (alone[check] > 0) row.value += ", alone";
    if (row.cells.size() > first[check]) row.value += fmt::format(", {} too", row.cells.size() - first[check]);
    matrix.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(matrix.rows, std::greater<>{}, [](const Matrix::Row& row) { return row.cells.size(); });
  matrix.legend = {{"caught first, after the fewest cases", 1}};
  if (any_too) matrix.legend.emplace_back("caught too", 0);
  std::string caption =
      "A column a kernel, in the order of the ledger; full colour: after 3 cases or less, pale: after 30 or less, "
      "paler: after more. Behind a row: how many kernels its check catches first, as the only one where it says alone";
  if (any_too) caption += ", and how many it catches too";
  caption += ".";
  if (!ledger.claims.empty())
    caption += " certify asks no further once a kernel is caught; attncert faults asks every check.";
  return {svg(matrix), "kills", {{std::move(caption)}}};
}

// "contract after 1, accuracy after 14": the fewest cases first.
std::string kills_text(std::vector<LedgerKill> kills) {
  std::ranges::stable_sort(kills, {}, &LedgerKill::cases);
  std::string text;
  for (const LedgerKill& kill : kills)
    text += fmt::format("{}{} after {}", text.empty() ? "" : ", ", kill.check, grouped(kill.cases));
  return text;
}

std::string kills_text(const LedgerFault& fault) {
  if (fault.caught_by.empty()) return "nothing";
  return kills_text(fault.kills.empty() ? std::vector<LedgerKill>{{fault.caught_by, fault.cases}} : fault.kills);
}

// What catches it too, after it was caught; a dash where that was not asked, as certify does not.
std::string later_kills_text(const LedgerFault& fault, const Ledger& ledger) {
  std::vector<LedgerKill> later = fault.kills;
  std::erase_if(later, [&](const LedgerKill& kill) { return kill.check == fault.caught_by; });
  if (!later.empty()) return kills_text(std::move(later));
  return std::string(fault.kills.empty() || !ledger.claims.empty() ? no_value : "no other check");
}

// Wrong kernels that were caught after the most cases: a smaller campaign would have missed them. Some of many.
void add_hardest(const Ledger& ledger, Document& document) {
  constexpr std::size_t few = 5, many = 4 * few;
  std::vector<const LedgerFault*> caught;
  for (const LedgerFault& fault : ledger.faults)
    if (fault.wrong && !fault.caught_by.empty()) caught.push_back(&fault);
  if (caught.size() < many) return;
  std::ranges::stable_sort(caught, std::greater<>{}, &LedgerFault::cases);
  Table table{{"hardest to catch", "normalizer", "what is wrong", "caught first by", "after cases", "then by"}, {}};
  for (const LedgerFault* fault : std::span(caught).first(few))
    table.rows.push_back({{fault->name, Style::code},
                          {fault->normalizer},
                          {fault->text},
                          {fault->caught_by},
                          number(fault->cases),
                          {later_kills_text(*fault, ledger)}});
  document.push_back(std::move(table));
}

// A row for each check that catches faults first; what nothing catches, and what is right and refused, goes before.
Folded faults_by_check(const Ledger& ledger) {
  std::vector<std::pair<std::string, Table>> tables;
  for (const LedgerFault* fault : shown(ledger.faults)) {
    if (!fault->wrong && fault->caught_by.empty()) continue;
    const std::string title = fault->caught_by.empty() ? "caught by nothing"
                              : fault->wrong           ? "caught first by " + fault->caught_by
                                                       : "right, and refused by " + fault->caught_by;
    auto table = std::ranges::find(tables, title, &std::pair<std::string, Table>::first);
    if (table == tables.end())
      table = tables.insert(tables.end(),
                            {title, {{"kernel", "normalizer", "type", "what is wrong", "imitates", "caught by"}, {}}});
    table->second.rows.push_back({{fault->name, Style::code},
                                  {fault->normalizer},
                                  {fault->dtype},
                                  {fault->wrong ? fault->text : "nothing: " + fault->text},
                                  {fault->imitates},
                                  {kills_text(*fault)}});
  }
  Folded folded{{"wrong kernels", "", "kernels"}, {}};
  for (auto& [title, table] : tables) {
    const std::string count = grouped(table.rows.size());
    folded.rows.push_back({"", {{title}, {""}, {count, Style::number}}, {std::move(table)}});
  }
  return folded;
}

std::string repeats_faults(const Ledger& ledger) {
  if (!ledger.claims.empty()) return "attncert certify";
  return fmt::format("attncert faults --seed {} --effort {}", ledger.plan.seed, ledger.plan.effort);
}

}  // namespace

void add_faults(const Ledger& ledger, Document& document) {
  if (ledger.faults.empty()) return;
  document.push_back(Heading{2, "Faults"});
  std::size_t right = 0, refused = 0, survivors = 0, reported = 0, alone = 0;
  std::set<std::string_view> checks;
  for (const LedgerFault& fault : ledger.faults) {
    right += !fault.wrong;
    refused += !fault.wrong && !fault.caught_by.empty();
    survivors += fault.wrong && fault.caught_by.empty();
    alone += fault.wrong && fault.kills.size() == 1;
    reported += fault.wrong && !fault.imitates.empty() && !fault.imitates.starts_with("class:");
    checks.insert(fault.caught_by);
    for (const LedgerKill& kill : fault.kills) checks.insert(kill.check);
  }
  document.push_back(Paragraph{
      {{fmt::format(
           "Kernels that are wrong on purpose: {} of them, {} not caught. {} imitate what a public report names, "
           "the others a kind of mistake.{} Right kernels of unusual form: {}, {} refused. Caught by: after how "
           "many cases of the run's order, the fewest first. All of them again: ",
           ledger.faults.size() - right, survivors, reported,
           alone > 0 ? fmt::format(" {} are caught by one check alone.", alone) : "", right, refused)},
       {repeats_faults(ledger), Style::code}}});
  add_hardest(ledger, document);
  if (std::ranges::any_of(ledger.faults, [](const LedgerFault& fault) { return !fault.kills.empty(); }))
    document.push_back(kills_picture(ledger));
  document.push_back(faults_by_check(ledger));
  say_how_many_more(ledger.faults.size(), "kernels", document);
  if (const std::vector<Meaning> met = meanings_in(check_meanings, checks); !met.empty()) {
    document.push_back(Heading{3, "What the checks ask"});
    document.push_back(meanings(met));
  }
}

void add_hunts(const Ledger& ledger, Document& document) {
  Table table{{"hunted", "verdict", "executions", "nearest to a finding", "found", "repeat"}, {}};
  for (const LedgerJudgement* row : shown(ledger.judgements))
    if (is_hunt(*row))
      table.rows.push_back({{row->file, Style::code},
                            {row->verdict, Style::verdict},
                            number(row->elements),
                            {row->read_as},
                            {row->why},
                            {row->replay, Style::code}});
  if (table.rows.empty()) return;
  document.push_back(Heading{2, "Fuzzing"});
  document.push_back(std::move(table));
}

void add_judgements(const Ledger& ledger, Document& document) {
  add_hunts(ledger, document);
  if (std::ranges::all_of(ledger.judgements, is_hunt)) return;
  document.push_back(Heading{2, "What was judged"});
  Folded folded{{"file", "part", "verdict", "class", "rows judged", "share of bound"}, {}};
  for (const LedgerJudgement* row : shown(ledger.judgements))
    if (!is_hunt(*row))
      folded.rows.push_back(
          {"",
           {{row->file},
            {row->part},
            {row->verdict, Style::verdict},
            {row->rounding},
            {fmt::format("{} of {}", grouped(row->judged_rows), grouped(row->rows)), Style::number},
            {row->worst.empty() ? std::string(no_value) : fmt::format("{:.3g}", row->worst[0].of_bound),
             Style::number}},
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
                            {"windows", {grouped(real.windows)}},
                            {"attention rows", {grouped(real.rows)}},
                            {"ties between selected weights", {grouped(real.ties) + " (broken by the lowest index)"}},
                            {"weights within the kernel's budget of the exact softmax of their logits",
                             {fmt::format("{} of {}; worst {} ulp, budget {} ulp",
                                          grouped(real.weights - std::min(real.weights, real.outside_budget)),
                                          grouped(real.weights), ulp_text(real.worst_ulp), ulp_text(real.budget_ulp))}},
                            {"largest distance between a unit token and its rational point",
                             {fmt::format("{:.3g}", real.largest_rounding)}}}});
  add_printed_on_real(ledger, document);
}

}  // namespace attncert::report
