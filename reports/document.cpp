// The order of a report: the verdicts, then pictures of them, then every claim, the kernels, real attention, where the
// numbers come from, and how to read them. The first screen has the answers; the rest lets a reader check them.
#include "reports/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/svg.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

Span number(std::uint64_t count) { return {grouped(count), Style::number}; }

std::string remark(const LedgerClaim& claim) {
  const std::string word = standing(claim);
  if (word == "measured") return "neither passes nor fails";
  return claim.proved_domain.empty() ? word : word + "; for " + claim.proved_domain;
}

Table verdicts(const Ledger& ledger) {
  Table table{{"claim", "expected", "reached", "", "tried", "admissible", "held", "violated", "equality", "undecided",
               "real", "tightest", "witness"},
              {}};
  for (const LedgerClaim& claim : ledger.claims) {
    std::vector<Span> row{{claim.id, Style::code, "#claim-" + claim.id},
                          {claim.expected},
                          {claim.reached, Style::verdict},
                          {remark(claim)}};
    for (const std::uint64_t count : shown_counts(claim.counts))
      row.push_back({count_text(claim, count), Style::number});
    row.insert(row.end(),
               {{real_text(claim), Style::number}, {tightness_text(claim), Style::number}, {witness_size(claim)}});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_kernels(const Ledger& ledger, Document& document) {
  if (ledger.kernels.empty()) return;
  document.push_back(Heading{2, "Kernels"});
  document.push_back(
      Paragraph{{{"The error of every result, in units in the last place, against a rigorous enclosure of the exact "
                  "value; the budget stands beside the kernel's code and is proved in docs/budgets.md. Bounds "
                  "state an error with every number, which is their budget (docs/bounds.md). Unnoticed: the relative "
                  "change that would have been caught at 99 of 100 entries; above 10% a check is weak."}}});
  Table table{{"normalizer", "kernel", "instruction set", "type", "elements", "worst ulp", "budget", "share of budget",
               "outside", "undecided", "unnoticed", "laws", "contract", "repeat"},
              {}};
  for (const KernelResult& kernel : ledger.kernels)
    table.rows.push_back({{kernel.normalizer},
                          {kernel.kernel, Style::code},
                          {kernel.isa},
                          {kernel.dtype},
                          number(kernel.elements),
                          {ulp_text(kernel.worst_ulp), Style::number},
                          {ulp_text(kernel.budget_ulp), Style::number},
                          {fmt::format("{:.0f}%", 100 * kernel.worst_fraction), Style::number},
                          number(kernel.outside),
                          number(kernel.undecided),
                          {fmt::format("{:.1e}", kernel.vacuity), Style::number},
                          {kernel.laws},
                          {kernel.contract},
                          {kernel.replay, Style::code}});
  document.push_back(std::move(table));
}

void add_faults(const Ledger& ledger, Document& document) {
  if (ledger.faults.empty()) return;
  document.push_back(Heading{2, "Faults"});
  std::size_t right = 0, refused = 0, survivors = 0;
  Table table{{"kernel", "normalizer", "type", "what is wrong", "imitates", "caught by", "after cases"}, {}};
  for (const LedgerFault& fault : ledger.faults) {
    right += !fault.wrong;
    refused += !fault.wrong && !fault.caught_by.empty();
    survivors += fault.wrong && fault.caught_by.empty();
    if (!fault.wrong && fault.caught_by.empty()) continue;
    table.rows.push_back({{fault.name, Style::code},
                          {fault.normalizer},
                          {fault.dtype},
                          {fault.wrong ? fault.text : "nothing: " + fault.text},
                          {fault.imitates},
                          {fault.caught_by.empty() ? "nothing" : fault.caught_by},
                          number(fault.cases)});
  }
  document.push_back(Paragraph{
      {{fmt::format("Kernels that are wrong on purpose, most of them after a public report: {} of them, {} not caught. "
                    "Right kernels of unusual form: {}, {} refused. The command attncert faults shows all checks.",
                    ledger.faults.size() - right, survivors, right, refused)}}});
  document.push_back(std::move(table));
}

// Rows that hold are counted above and listed by name; of the others a reader wants the elements.
void add_judgements(const Ledger& ledger, Document& document) {
  if (ledger.judgements.empty()) return;
  document.push_back(Heading{2, "What was judged"});
  Table table{{"file", "part", "verdict", "class", "rows judged", "elements", "outside", "worst share of bound", "why"},
              {}};
  for (const LedgerJudgement& row : ledger.judgements) {
    std::string why = row.why;
    for (const std::string& name : row.explained_by) why += (why.empty() ? "" : "; or ") + name;
    table.rows.push_back(
        {{row.file, Style::code},
         {row.part},
         {row.verdict, Style::verdict},
         {row.rounding, Style::code},
         {fmt::format("{} of {}", grouped(row.judged_rows), grouped(row.rows)), Style::number},
         number(row.elements),
         number(row.outside),
         {row.worst.empty() ? std::string(no_value) : fmt::format("{:.3g}", row.worst[0].of_bound), Style::number},
         {why}});
  }
  document.push_back(std::move(table));
  for (const LedgerJudgement& row : ledger.judgements) {
    if (row.verdict != "differs" || row.worst.empty()) continue;
    document.push_back(Heading{3, fmt::format("{}, {}", row.file, row.part)});
    document.push_back(Facts{{{"read as", {row.read_as}}, {"repeat", {row.replay, Style::code}}}});
    Table worst{{"element", "got", "exact", "bound", "share of bound"}, {}};
    for (const LedgerElement& element : row.worst)
      worst.rows.push_back({{element.place, Style::code},
                            {element.got, Style::number},
                            {element.exact, Style::number},
                            {element.bound, Style::number},
                            {fmt::format("{:.3g}", element.of_bound), Style::number}});
    document.push_back(std::move(worst));
  }
}

void add_claims(const Ledger& ledger, Document& document) {
  if (ledger.claims.empty()) return;
  document.push_back(Heading{2, "Verdicts"});
  document.push_back(verdicts(ledger));
  if (std::string chart = tightness_chart(ledger); !chart.empty()) {
    document.push_back(Heading{2, "Tightness"});
    document.push_back(Picture{std::move(chart)});
  }
  if (std::string chart = outcome_chart(ledger); !chart.empty()) {
    document.push_back(Heading{2, "What became of the instances"});
    document.push_back(Picture{std::move(chart)});
  }
  document.push_back(Heading{2, "Claims"});
  for (const LedgerClaim& claim : ledger.claims) add_claim_section(claim, ledger.timing.folder, document);
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

void add_environment(const Ledger& ledger, Document& document) {
  const Environment& environment = ledger.environment;
  std::string libraries;
  for (const auto& [name, version] : environment.libraries)
    libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version);
  document.push_back(Heading{2, "Where these numbers come from"});
  document.push_back(
      Facts{{{"seed", {std::to_string(ledger.plan.seed)}},
             {"effort", {ledger.plan.effort}},
             {"commit", {environment.commit + (environment.dirty ? " (with changes)" : ""), Style::code}},
             {"compiler", {environment.compiler}},
             {"flags", {environment.flags, Style::code}},
             {"processor", {environment.cpu}},
             {"instruction set used", {environment.isa}},
             {"rounding", {environment.rounding}},
             {"flush to zero", {environment.flush_to_zero}},
             {"libraries", {libraries}},
             {"started", {ledger.timing.started}},
             {"took", {fmt::format("{:.1f} s", ledger.timing.seconds)}},
             {"rigorous instances per second and core", {throughput_text(ledger)}}}});
}

void add_reading(Document& document) {
  document.push_back(Heading{2, "How to read a verdict"});
  document.push_back(
      Paragraph{{{"A verdict is computed from the statement alone; what the catalogue expects is compared with it "
                  "afterwards, and a difference in either direction fails the run. Both sides of a statement are "
                  "intervals that contain the exact value; precision doubles until they are apart."}}});
  document.push_back(meanings(verdict_meanings));
  document.push_back(Heading{3, "The counts"});
  document.push_back(meanings(count_meanings));
}

}  // namespace

Facts meanings(const std::vector<Meaning>& words) {
  Facts facts;
  for (const auto& [word, sentence] : words) facts.items.push_back({std::string(word), {std::string(sentence)}});
  return facts;
}

Document document(const Ledger& ledger) {
  Document document{Heading{1, "attncert: certification report"}, Paragraph{{{summary(ledger) + "."}}}};
  add_claims(ledger, document);
  add_judgements(ledger, document);
  add_kernels(ledger, document);
  add_faults(ledger, document);
  add_real(ledger, document);
  add_environment(ledger, document);
  if (!ledger.claims.empty()) add_reading(document);
  return document;
}

}  // namespace attncert::report
