// What the paper prints: which paper it is, what of it is counted, what is false and what holds in its place, and what
// was measured. Where a statement comes from its source says (reports/ledger.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

std::vector<const LedgerClaim*> printed(const Ledger& ledger) {
  std::vector<const LedgerClaim*> claims;
  for (const LedgerClaim& claim : ledger.claims)
    if (claim.group == "printed") claims.push_back(&claim);
  return claims;
}

// The part from a place up to the next comma that stands in no brackets.
std::string part_of(const std::string& source, std::size_t from) {
  std::size_t end = from;
  for (int depth = 0; end < source.size() && (source[end] != ',' || depth > 0); ++end)
    depth += source[end] == '(' ? 1 : source[end] == ')' ? -1 : 0;
  return source.substr(from, end - from);
}

// "Theorem 1" of "arXiv 2508.17821, Theorem 1, upper bound as printed"; all of it where it is not of that form.
std::string place_in_paper(const std::string& source) {
  const std::size_t from = source.find(", ");
  return from == std::string::npos ? source : part_of(source, from + 2);
}

// What readings of one sentence have in common: "Theorem 1, upper bound". Outside theorems and lemmas a statement is a
// sentence of its own.
std::string sentence_of(const LedgerClaim& claim) {
  const std::string place = place_in_paper(claim.source);
  if (!place.starts_with("Theorem ") && !place.starts_with("Lemma ")) return claim.id;
  const std::size_t rest = claim.source.find(", ") + 2 + place.size() + 2;
  if (rest >= claim.source.size() || place.size() > std::string_view("Theorem 1").size()) return place;
  const std::string part = part_of(claim.source, rest);
  return place + ", " + part.substr(0, std::min(part.find(" as printed"), part.find(" with ")));
}

// Where the paper has it: of theorems and lemmas with the part.
std::string where(const LedgerClaim& claim) {
  const std::string sentence = sentence_of(claim);
  return sentence == claim.id ? place_in_paper(claim.source) : sentence;
}

constexpr std::string_view on_rows = "printed-on-captured-rows";  // where the table of these stands

constexpr std::array<const char*, 3> kinds{"theorems, lemmas and what is drawn from them", "slides", "experiments"};

std::size_t kind_of(const LedgerClaim& claim) {
  return claim.source.find("slides") != std::string::npos        ? 1
         : claim.source.find("experiments") != std::string::npos ? 2
                                                                 : 0;
}

// What was found, where a line holds it: the conclusion goes first.
std::string first_finding(const LedgerClaim& claim) {
  constexpr std::size_t some_lines = 300;
  const Finding& first = claim.measured[0];
  return first.value.size() > some_lines ? "" : fmt::format(" Measured: {}: {}.", first.what, first.value);
}

// The true statements that the claim's own explanation names first, two at most, with a link to the first; then the
// formula of the first, where it is more than words: at most two inequalities, as a bound has two sides.
std::array<Span, 2> instead_of(const LedgerClaim& claim, const std::map<std::string, const LedgerClaim*>& true_ones,
                               const std::set<std::string>& ids) {
  Span instead{"", Style::sentence, "#claim-" + claim.id}, formula{"", Style::math};
  std::size_t named = 0;
  for (const Span& span : with_links("", claim.proof, ids).spans) {
    if (span.link.empty() || named == 2) continue;
    const LedgerClaim& holds = *true_ones.at(span.text);
    instead.text += (named == 0 ? "" : " ") + holds.statement + (holds.theorem ? " (Theorem in Coq.)" : "");
    if (named++ > 0) continue;
    instead.link = span.link;
    if (!holds.relation.empty()) formula = says(holds, 2);
  }
  if (named == 0) instead.text = "no statement of this form: its row says why";
  return {std::move(instead), std::move(formula)};
}

// What became of the captured rows; nothing where the claim was tried on none.
const Counts* on_real_rows(const LedgerClaim& claim) {
  const auto real = claim.by_source.find("real");
  return claim.has_real && real != claim.by_source.end() && real->second.tried > 0 ? &real->second : nullptr;
}

// "violated in 243 of 352" instances that it speaks of; the table of real attention has all counts.
std::string on_real_attention(const LedgerClaim& claim) {
  const Counts* const real = on_real_rows(claim);
  if (real == nullptr) return real_text(claim);
  if (real->admissible == 0) return fmt::format("speaks of none of {}", grouped(real->tried));
  std::string text = real->violated == 0 ? fmt::format("never violated in {} instances", grouped(real->admissible))
                                         : fmt::format("violated in {} of {} instances", grouped(real->violated),
                                                       grouped(real->admissible));
  if (real->undecided > 0) text += fmt::format(", {} undecided", grouped(real->undecided));
  return text;
}

Table refuted_table(const Ledger& ledger) {
  std::map<std::string, const LedgerClaim*> true_ones;
  std::set<std::string> ids;
  for (const LedgerClaim& claim : ledger.claims)
    if (claim.group != "literature" && (claim.reached == "proved" || claim.reached == "supported"))
      true_ones.emplace(claim.id, &claim), ids.insert(claim.id);
  Table table{{"where", "printed, and false", "smallest counterexample found", "what holds", "its formula",
               "on real attention"},
              {}};
  for (const LedgerClaim* claim : printed(ledger)) {
    if (claim->reached != "refuted") continue;
    auto [instead, formula] = instead_of(*claim, true_ones, ids);
    table.rows.push_back({{where(*claim)},
                          {claim->statement, Style::sentence, "#claim-" + claim->id},
                          {claim->witness && claim->witness->instance ? witness_text(*claim) : witness_size(*claim)},
                          std::move(instead),
                          std::move(formula),
                          {on_real_attention(*claim)}});
  }
  return table;
}

// "Theorem 1, upper bound (2)" and so on, each with a link to the first.
Paragraph refuted_in_short(const Ledger& ledger) {
  std::vector<std::pair<std::string, std::vector<const LedgerClaim*>>> places;
  std::size_t count = 0;
  for (const LedgerClaim* claim : printed(ledger)) {
    if (claim->reached != "refuted") continue;
    ++count;
    const std::string place = where(*claim);
    auto known = std::ranges::find(places, place, [](const auto& one) { return one.first; });
    if (known == places.end()) known = places.insert(known, {place, {}});
    known->second.push_back(claim);
  }
  Paragraph text{{{fmt::format("The {} in short: ", count)}}};
  for (const auto& [place, claims] : places) {
    const std::string end = &claims == &places.back().second ? "." : "; ";
    if (claims.size() == 1) {
      text.spans.push_back({place, Style::plain, "#claim-" + claims[0]->id});
      text.spans.push_back({end});
      continue;
    }
    text.spans.push_back({place + ", as "});
    for (const LedgerClaim* claim : claims) {
      text.spans.push_back({claim->id, Style::plain, "#claim-" + claim->id});
      text.spans.push_back({claim == claims.back() ? end : claims.size() == 2 ? " and " : ", "});
    }
  }
  return text;
}

// What a counterexample does not show.
void add_caveat(const Ledger& ledger, Document& document) {
  std::size_t judged = 0;
  std::vector<Span> never;
  for (const LedgerClaim* claim : printed(ledger)) {
    const Counts* const real = on_real_rows(*claim);
    if (claim->reached != "refuted" || real == nullptr || real->admissible == 0) continue;
    ++judged;
    if (!is_refuted_by_construction(*claim)) continue;
    if (!never.empty()) never.push_back({", "});
    never.push_back({claim->id, Style::plain, "#claim-" + claim->id});
  }
  if (judged == 0) return;
  Paragraph caveat{{{fmt::format("{} of these speak{} of captured rows. ", judged, judged == 1 ? "s" : "")}}};
  if (!never.empty()) {
    caveat.spans.push_back({"Refuted by construction, and never violated on the real rows seen: "});
    caveat.spans.insert(caveat.spans.end(), never.begin(), never.end());
    caveat.spans.push_back({". "});
  }
  caveat.spans.push_back(
      {"A counterexample shows that a statement is no theorem, not that attention of a trained model violates it" +
       (ledger.real ? fmt::format("; the rows are of one model, {}: ", ledger.real->model) : ".")});
  if (ledger.real) caveat.spans.push_back({"all counts", Style::plain, "#" + std::string(on_rows)});
  if (ledger.real) caveat.spans.push_back({"."});
  document.push_back(std::move(caveat));
}

}  // namespace

void add_paper(const Ledger& ledger, Document& document) {
  if (printed(ledger).empty()) return;
  document.push_back(Paragraph{{{fmt::format("The paper: {}, \"{}\", {}, and its {}.", paper_authors, paper_title,
                                             paper_number, paper_slides)}}});
}

void add_counted(const Ledger& ledger, Document& document) {
  struct Sentence {
    std::size_t readings = 0, refuted = 0;
  };
  std::array<std::map<std::string, Sentence>, kinds.size()> sentences;
  for (const LedgerClaim* claim : printed(ledger)) {
    Sentence& sentence = sentences.at(kind_of(*claim))[sentence_of(*claim)];
    ++sentence.readings;
    sentence.refuted += claim->reached == "refuted";
  }
  Table table{{"of the paper's", "statements", "false", "sentences", "false however read", "false as one reads them"},
              {}};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::array<std::uint64_t, 5> counts{};
    for (const auto& [name, sentence] : sentences.at(kind)) {
      counts[0] += sentence.readings, counts[1] += sentence.refuted, ++counts[2];
      counts[3] += sentence.refuted == sentence.readings;
      counts[4] += sentence.refuted > 0 && sentence.refuted < sentence.readings;
    }
    if (counts[0] == 0) continue;
    table.rows.push_back({{kinds.at(kind)}});
    for (const std::uint64_t count : counts) table.rows.back().push_back({grouped(count), Style::number});
  }
  if (table.rows.empty()) return;
  document.push_back(Paragraph{
      {{"Counted are statements that can be judged: where a sentence of a theorem or lemma has several readings or "
        "halves, each is one. False however read: all of them are refuted; as one reads them: some are, others "
        "not."}}});
  document.push_back(std::move(table));
}

void add_refuted(const Ledger& ledger, Document& document) {
  if (Table table = refuted_table(ledger); !table.rows.empty()) {
    document.push_back(Heading{2, "What the paper prints that is false"});
    document.push_back(refuted_in_short(ledger));
    add_caveat(ledger, document);
    document.push_back(std::move(table));
  }
  Facts measured;
  for (const LedgerClaim* claim : printed(ledger))
    if (claim->reached == "measured" && !claim->measured.empty())
      measured.items.push_back({place_in_paper(claim->source),
                                {claim->statement + first_finding(*claim), Style::sentence, "#claim-" + claim->id}});
  if (measured.items.empty()) return;
  document.push_back(Heading{3, "Printed, and measured: neither true nor false"});
  document.push_back(std::move(measured));
}

void add_printed_on_real(const Ledger& ledger, Document& document) {
  Table table{
      {"where", "printed", "verdict", "instances", "not admissible", "held", "equality", "violated", "undecided"}, {}};
  std::uint64_t most = 0;
  std::size_t violated = 0;
  for (const LedgerClaim* claim : printed(ledger)) {
    const Counts* const real = on_real_rows(*claim);
    if (real == nullptr) continue;
    most = std::max(most, real->tried);
    violated += real->violated > 0;
    table.rows.push_back({{where(*claim)},
                          {claim->statement, Style::sentence, "#claim-" + claim->id},
                          {claim->reached, Style::verdict}});
    for (const std::uint64_t count :
         {real->tried, discarded(*real), real->held, real->equality, real->violated, real->undecided})
      table.rows.back().push_back({grouped(count), Style::number});
  }
  if (table.rows.empty()) return;
  document.push_back(Heading{3, "What the paper prints, on these rows", std::string(on_rows)});
  std::string text = fmt::format(
      "Captured rows violate {} of the {} printed statements that speak of them. A statement on logits has a row as "
      "one instance; one on selected tokens has it once for each number N of them that is tried at its length, for "
      "raw tokens and for unit ones: {} rows are {} instances at most. Not admissible: a hypothesis does not hold. "
      "Heads of the model, and the paper's figures drawn of it: ",
      violated, table.rows.size(), grouped(ledger.real->rows), grouped(most));
  document.push_back(Paragraph{{{std::move(text)}, {"attncert gpt2", Style::code}, {"."}}});
  document.push_back(std::move(table));
}

}  // namespace attncert::report
