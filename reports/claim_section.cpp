// The claims: how many hold and fail, a row each, and folded below it what the claim says, what is true in its place,
// what was tried, how near it came, the witness, and the commands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "reports/sections.hpp"
#include "src/core/number_text.hpp"
#include "src/core/shell_word.hpp"

namespace attncert::report {
namespace {

struct Group {
  const char *name, *title, *text;
};
constexpr std::array<Group, 3> groups{
    {{"printed", "Printed statements",
      "As they stand in the paper, or as one may read them. Two readings of one sentence are two rows."},
     {"corrected", "What is true in their place", "As sharp as we know it. Tightest \"attained\": equality was met."},
     {"literature", "From the neighbouring literature", "Statements of other works on the same normalizers."}}};

std::vector<Span> counts_row(const std::string& label, const Counts& counts) {
  std::vector<Span> row{{label}};
  for (const std::uint64_t count : {counts.tried, discarded(counts), counts.admissible, counts.held, counts.violated,
                                    counts.equality, counts.undecided})
    row.push_back({grouped(count), Style::number});
  return row;
}

Table counts_table(const LedgerClaim& claim) {
  Table table{{"instances", "tried", "discarded", "admissible", "held", "violated", "equality", "undecided"}, {}};
  table.rows.push_back(counts_row("all", claim.counts));
  for (const auto& [source, counts] : claim.by_source)
    if (source != "real" || claim.has_real) table.rows.push_back(counts_row(source, counts));
  if (!claim.has_real) {
    std::vector<Span> row(table.columns.size(), {std::string(no_value), Style::number});
    row.front() = {"real"};
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What an instance is drawn again by: a file of the run, or a name that replay takes; a family has none.
Span replay_of(const Tightest& tightest) {
  const bool file = tightest.replay.starts_with("tightest/");
  if (!file && tightest.replay.find(':') == std::string::npos) return {tightest.replay, Style::code};
  return {"attncert replay " + shell_word(tightest.replay), Style::code};
}

Table parts_table(const LedgerClaim& claim) {
  Table table{{"part", "held", "violated", "equality", "undecided", "tightest", "found at"}, {}};
  for (const PartTally& part : claim.parts) {
    std::vector<Span> row{{part.part}};
    for (const std::uint64_t count : {part.held, part.violated, part.equality, part.undecided})
      row.push_back({grouped(count), Style::number});
    row.push_back({tightness_text(part), Style::number});
    row.push_back(part.tightest ? replay_of(*part.tightest) : Span{std::string(no_value)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The worst instance of each source.
Table nearest_table(const LedgerClaim& claim) {
  Table table{{"nearest of", "left / right", "left side", "right side", "found at"}, {}};
  for (const auto& [source, nearest] : claim.nearest)
    table.rows.push_back({{source},
                          {short_text(nearest.tightness), Style::number},
                          {side_text(nearest.lhs), Style::code},
                          {side_text(nearest.rhs), Style::code},
                          replay_of(nearest)});
  return table;
}

void add_proof(const LedgerClaim& claim, Facts& facts) {
  if (!claim.proved_domain.empty()) facts.items.push_back({"proved for", {claim.proved_domain}});
  if (claim.reached == "proved") facts.items.push_back({"what the checker proves", {claim.verified, Style::code}});
  if (claim.certificate.empty()) return;
  facts.items.push_back({"certificate", {claim.certificate, Style::code}});
  facts.items.push_back({"check the proof", {"attncert check " + shell_word(claim.certificate), Style::code}});
}

Facts facts_about(const LedgerClaim& claim) {
  Facts facts;
  facts.items.push_back({"source", {claim.source}});
  facts.items.push_back({"definitions", {"docs/specification.md#" + claim.id}});
  for (const std::string& hypothesis : claim.hypotheses) facts.items.push_back({"provided that", {hypothesis}});
  facts.items.push_back({"expected", {claim.expected}});
  facts.items.push_back({"reached", {claim.reached, Style::verdict}});
  facts.items.push_back({"domain", {claim.domain}});
  if (standing(claim) == "measured") {
    facts.items.push_back({"repeat", {claim.replay, Style::code}});
    return facts;
  }
  facts.items.push_back({"standing", {standing(claim)}});
  add_proof(claim, facts);
  add_theorem(claim, facts);
  facts.items.push_back({"precision needed",
                         {claim.max_bits == 0 ? "exact arithmetic" : fmt::format("at most {} bits", claim.max_bits)}});
  facts.items.push_back({"repeat", {claim.replay, Style::code}});
  facts.items.push_back({"real attention", {real_sentence(claim)}});
  for (const auto& [hypothesis, count] : claim.counts.discarded)
    facts.items.push_back({"discarded", {fmt::format("{}: {}", grouped(count), hypothesis)}});
  if (claim.tightest) {
    facts.items.push_back({"tightest", {tightness_text(claim)}});
    facts.items.push_back({"its left side", {claim.tightest->lhs, Style::code}});
    facts.items.push_back({"its right side", {claim.tightest->rhs, Style::code}});
    facts.items.push_back({"found at", replay_of(*claim.tightest)});
  }
  return facts;
}

void add_witness(const LedgerClaim& claim, Document& document) {
  if (!claim.witness) return;
  Facts facts = witness_facts(claim, Style::code);
  if (!claim.witness_file.empty()) {
    const std::string file = shell_word(claim.witness_file);
    facts.items.push_back({"check it", {"attncert check " + file, Style::code}});
    facts.items.push_back({"replay it", {"attncert replay " + file, Style::code}});
  }
  document.push_back(Heading{4, "The witness, in exact numbers"});
  for (Picture& picture : witness_pictures(claim)) document.push_back(std::move(picture));
  document.push_back(std::move(facts));
}

bool is_of_an_id(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

// One inequality a line.
void add_relation(const LedgerClaim& claim, Document& document) {
  for (std::size_t from = 0; from < claim.relation.size();) {
    const std::size_t end = std::min(claim.relation.find("; ", from), claim.relation.size());
    document.push_back(Paragraph{{{claim.relation.substr(from, end - from), Style::math}}});
    from = end + 2;
  }
}

const char* reason(const LedgerClaim& claim) {
  if (claim.reached == "refuted" && claim.witness && claim.witness->instance)
    return "Why it fails, and what holds (an example named here may be another than the witness above; either "
           "refutes): ";
  if (claim.reached == "refuted") return "Why it fails, and what holds: ";
  return claim.reached == "vacuous" || claim.reached == "measured" ? "Remark: " : "Why: ";
}

Document inside_of(const LedgerClaim& claim, const std::set<std::string>& ids) {
  Document inside;
  inside.push_back(Paragraph{{{claim.statement}}});
  add_relation(claim, inside);
  add_witness(claim, inside);
  if (!claim.proof.empty()) inside.push_back(with_links(reason(claim), claim.proof, ids));
  if (std::optional<Picture> cover = cover_picture(claim)) inside.push_back(*std::move(cover));
  for (Picture& picture : count_pictures(claim)) inside.push_back(std::move(picture));
  inside.push_back(facts_about(claim));
  if (standing(claim) == "measured") {
    inside.push_back(Heading{4, "What was measured; it neither passes nor fails"});
    inside.push_back(findings(claim));
    return inside;
  }
  inside.push_back(counts_table(claim));
  if (!claim.parts.empty()) inside.push_back(parts_table(claim));
  if (claim.nearest.size() > 1) inside.push_back(nearest_table(claim));
  return inside;
}

Folded::Row row_of(const LedgerClaim& claim, const std::set<std::string>& ids) {
  Span verdict{claim.reached, Style::verdict};
  return {"claim-" + claim.id,
          {{claim.id},
           says(claim, 1),
           verdict,
           {short_tightness_text(claim), Style::number},
           {real_outcome_text(claim)},
           {witness_size(claim)}},
          inside_of(claim, ids)};
}

// The claims of a group; of an unknown one, those that no other has.
std::vector<const LedgerClaim*> of_group(const Ledger& ledger, const std::string& group) {
  std::vector<const LedgerClaim*> claims;
  for (const LedgerClaim& claim : ledger.claims) {
    const bool known = std::ranges::any_of(groups, [&](const Group& one) { return one.name == claim.group; });
    if (known ? claim.group == group : group.empty()) claims.push_back(&claim);
  }
  return claims;
}

std::size_t count_of(const std::vector<const LedgerClaim*>& claims, std::initializer_list<std::string_view> verdicts) {
  return static_cast<std::size_t>(std::ranges::count_if(
      claims, [&](const LedgerClaim* claim) { return std::ranges::find(verdicts, claim->reached) != verdicts.end(); }));
}

}  // namespace

Span says(const LedgerClaim& claim, std::size_t most) {
  if (claim.relation.empty()) return {claim.statement};
  std::size_t end = claim.relation.find("; ");
  for (; end != std::string::npos && most > 1; --most) end = claim.relation.find("; ", end + 1);
  if (end == std::string::npos) return {claim.relation, Style::math};
  std::size_t more = 0;
  for (std::size_t at = end; at != std::string::npos; at = claim.relation.find("; ", at + 1)) ++more;
  return {claim.relation.substr(0, end) + fmt::format(" and {} more", more), Style::math};
}

Paragraph with_links(std::string_view label, std::string_view text, const std::set<std::string>& ids) {
  Paragraph paragraph{{{std::string(label)}}};
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_an_id(text[end])) ++end;
    const std::string word(text.substr(i, std::max<std::size_t>(1, end - i)));
    i += word.size();
    if (!ids.contains(word)) {
      plain += word;
      continue;
    }
    paragraph.spans.push_back({std::exchange(plain, "")});
    paragraph.spans.push_back({word, Style::plain, "#claim-" + word});
  }
  paragraph.spans.push_back({plain});
  return paragraph;
}

void add_theorem(const LedgerClaim& claim, Facts& facts) {
  if (!claim.theorem) return;
  facts.items.push_back({"theorem in Coq", {claim.theorem->domain}});
  std::string line;  // Coq breaks lines where they get long
  for (const char c : claim.theorem->states)
    if (const bool blank = c == ' ' || c == '\n'; !blank) line += c;
    else if (!line.ends_with(' ')) line += ' ';
  facts.items.push_back({"what it states", {line, Style::code}});
  facts.items.push_back({"what it assumes", {claim.theorem->assumes}});
}

Facts witness_facts(const LedgerClaim& claim, Style of_sides) {
  Facts facts;
  if (claim.witness->instance)
    facts.items.push_back({"size", {fmt::format("{}, {}", witness_size(claim), smallest_found)}});
  for (auto& [label, text] : readable(*claim.witness)) facts.items.push_back({std::move(label), {std::move(text)}});
  if (!claim.witness_lhs.empty()) facts.items.push_back({"left side", {claim.witness_lhs, of_sides}});
  if (!claim.witness_rhs.empty()) facts.items.push_back({"right side", {claim.witness_rhs, of_sides}});
  facts.items.push_back({"the checker says", {claim.checker.empty() ? "not asked" : claim.checker}});
  if (!claim.verified.empty()) facts.items.push_back({"in its own words", {claim.verified, of_sides}});
  return facts;
}

Facts findings(const LedgerClaim& claim) {
  Facts facts;
  for (const Finding& finding : claim.measured) facts.items.push_back({finding.what, {finding.value}});
  return facts;
}

Numbers verdict_numbers(const Ledger& ledger, const Kernels& kernels) {
  Numbers numbers;
  const auto add = [&](std::size_t count, Span word, std::string of) {
    if (count > 0) numbers.items.push_back({grouped(count), std::move(word), std::move(of)});
  };
  if (const auto printed = of_group(ledger, "printed"); !printed.empty()) {
    const std::size_t proved = count_of(printed, {"proved"}), supported = count_of(printed, {"supported"});
    const std::string of = fmt::format("of {} printed statement{}", printed.size(), printed.size() == 1 ? "" : "s");
    add(count_of(printed, {"refuted"}), {"refuted", Style::verdict}, of + ", each by an exact counterexample");
    const auto theorems = std::ranges::count_if(printed, [](const LedgerClaim* claim) {
      return (claim->reached == "proved" || claim->reached == "supported") && claim->theorem;
    });
    const std::string by_coq =
        theorems > 0 ? fmt::format("; {} of the {} are theorems in Coq", theorems, proved + supported) : "";
    add(proved + supported, {"hold"}, fmt::format("{}: {} proved, {} supported{}", of, proved, supported, by_coq));
    add(count_of(printed, {"vacuous"}), {"vacuous", Style::verdict}, "with nothing to test");
    add(count_of(printed, {"undecided"}), {"undecided", Style::verdict}, of);
    add(count_of(printed, {"measured"}), {"measured", Style::verdict}, "on real attention, neither true nor false");
  }
  if (const auto corrected = of_group(ledger, "corrected"); !corrected.empty())
    add(count_of(corrected, {"proved", "supported"}), {"hold"},
        fmt::format("of {} corrected statement{}", corrected.size(), corrected.size() == 1 ? "" : "s"));
  if (const auto others = of_group(ledger, "literature"); !others.empty())
    add(count_of(others, {"proved", "supported"}), {"hold"},
        fmt::format("of {} statement{} of neighbouring works", others.size(), others.size() == 1 ? "" : "s"));
  if (!ledger.kernels.empty()) {
    for (Numbers::Item& item : kernel_numbers(ledger, kernels)) numbers.items.push_back(std::move(item));
  }
  if (!ledger.faults.empty()) {
    const auto wrong = std::ranges::count_if(ledger.faults, [](const LedgerFault& row) { return row.wrong; });
    const auto caught = std::ranges::count_if(
        ledger.faults, [](const LedgerFault& row) { return row.wrong && !row.caught_by.empty(); });
    add(static_cast<std::size_t>(caught), {"caught"}, fmt::format("of {} deliberately wrong kernels", wrong));
  }
  for (const char* verdict : {"holds", "differs", "undecided", "refused", "failed", "cannot be read"})
    add(static_cast<std::size_t>(std::ranges::count_if(
            ledger.judgements, [&](const LedgerJudgement& row) { return row.verdict == verdict; })),
        {verdict, Style::verdict}, fmt::format("of {} judged", grouped(ledger.judgements.size())));
  return numbers;
}

void add_claims(const Ledger& ledger, Document& document) {
  if (ledger.claims.empty()) return;
  std::set<std::string> ids;
  for (const LedgerClaim& claim : ledger.claims) ids.insert(claim.id);
  std::vector<Picture> charts;
  const auto add = [&](const Group& group) {
    const std::vector<const LedgerClaim*> claims = of_group(ledger, group.name);
    if (claims.empty()) return;
    document.push_back(Heading{2, group.title});
    if (*group.text != '\0') document.push_back(Paragraph{{{group.text}}});
    Folded folded{{"claim", "says", "verdict", "tightest", "real instances", "smallest witness found"}, {}};
    for (std::size_t n = 0; n < std::min(claims.size(), most_rows); ++n) folded.rows.push_back(row_of(*claims[n], ids));
    document.push_back(std::move(folded));
    say_how_many_more(claims.size(), "claims", document);
    charts.push_back(tightness_picture(claims, group.title, std::string("tightness-") + group.name));
  };
  for (const Group& group : groups) add(group);
  add({"", "Other claims", ""});
  document.push_back(Heading{2, "How near every claim came"});
  for (Picture& chart : charts) document.push_back(std::move(chart));
}

}  // namespace attncert::report
