// One claim's part of the report: what it says, what was tried, how near it came, and the witness with its commands.
#include <fmt/format.h>

#include "reports/document.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

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

Table parts_table(const LedgerClaim& claim) {
  Table table{{"part", "held", "violated", "equality", "undecided", "tightest", "found at"}, {}};
  for (const PartTally& part : claim.parts) {
    std::vector<Span> row{{part.part}};
    for (const std::uint64_t count : {part.held, part.violated, part.equality, part.undecided})
      row.push_back({grouped(count), Style::number});
    row.push_back({tightness_text(part), Style::number});
    row.push_back({part.tightest ? part.tightest->replay : std::string(no_value), Style::code});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A path of the ledger is relative to the run's folder.
std::string in_folder(const std::string& folder, const std::string& file) {
  return folder.empty() ? file : folder + "/" + file;
}

void add_proof(const LedgerClaim& claim, const std::string& folder, Facts& facts) {
  if (!claim.proved_domain.empty()) facts.items.push_back({"proved for", {claim.proved_domain}});
  if (claim.reached == "proved") facts.items.push_back({"what the checker proves", {claim.verified, Style::code}});
  if (claim.certificate.empty()) return;
  facts.items.push_back({"certificate", {claim.certificate, Style::code}});
  facts.items.push_back({"check the proof", {"attncert check " + in_folder(folder, claim.certificate), Style::code}});
}

Facts facts_about(const LedgerClaim& claim, const std::string& folder) {
  Facts facts;
  facts.items.push_back({"source", {claim.source}});
  facts.items.push_back({"definitions", {"docs/specification.md#" + claim.id}});
  if (!claim.relation.empty()) facts.items.push_back({"relation", {claim.relation, Style::code}});
  facts.items.push_back({"expected", {claim.expected}});
  facts.items.push_back({"reached", {claim.reached, Style::verdict}});
  if (standing(claim) == "measured") {
    facts.items.push_back({"domain", {claim.domain}});
    facts.items.push_back({"repeat", {claim.replay, Style::code}});
    return facts;
  }
  facts.items.push_back({"standing", {standing(claim)}});
  facts.items.push_back({"domain", {claim.domain}});
  add_proof(claim, folder, facts);
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
    const bool file = claim.tightest->replay.starts_with("tightest/");
    const std::string replay = file ? in_folder(folder, claim.tightest->replay) : claim.tightest->replay;
    facts.items.push_back({"found at", {replay, Style::code}});
  }
  return facts;
}

void add_witness(const LedgerClaim& claim, const std::string& folder, Document& document) {
  if (!claim.witness) return;
  Facts facts = witness_facts(claim, Style::code);
  if (!claim.witness_file.empty()) {
    const std::string file = in_folder(folder, claim.witness_file);
    facts.items.push_back({"check it", {"attncert check " + file, Style::code}});
    facts.items.push_back({"replay it", {"attncert replay " + file, Style::code}});
  }
  document.push_back(Paragraph{{{"The witness, in exact numbers:"}}});
  document.push_back(std::move(facts));
}

}  // namespace

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

void add_claim_section(const LedgerClaim& claim, const std::string& folder, Document& document) {
  document.push_back(Heading{3, claim.id, "claim-" + claim.id});
  document.push_back(Paragraph{{{claim.statement}}});
  document.push_back(facts_about(claim, folder));
  if (standing(claim) == "measured") {
    document.push_back(Paragraph{{{"What was measured; it neither passes nor fails:"}}});
    document.push_back(findings(claim));
    return;
  }
  document.push_back(counts_table(claim));
  if (!claim.parts.empty()) document.push_back(parts_table(claim));
  add_witness(claim, folder, document);
}

}  // namespace attncert::report
