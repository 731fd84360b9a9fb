// docs/claims.md: one table of all claims that can be cited, then every claim in full with its proof. What the claim
// files say (text, hypotheses, domain, proof) and what one run found stand side by side; tests/reports compares the
// first.
#include <fmt/format.h>

#include <array>

#include "reports/sections.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert {
using namespace report;
namespace {

struct PageGroup {
  const char *name, *title;
  std::string text;
};
const std::array<PageGroup, 3> page_groups{
    {{"printed", "Printed in the paper",
      fmt::format("Statements of \"{}\" ({}; the formulas of its {}), audited as they are printed. Two readings of one "
                  "sentence are two claims.",
                  paper_title, paper_number, paper_slides)},
     {"corrected", "Corrected",
      "What is true in place of a printed statement, as sharp as we know it. Tightest \"attained\": equality was met."},
     {"literature", "From the neighbouring literature", "Statements of other works on the same normalizers."}}};

std::string store_of(const LedgerClaim& claim) { return "properties/claims/witnesses/" + claim.id + "/"; }

Span witness_cell(const LedgerClaim& claim, const std::set<std::string>& stored) {
  Span cell{witness_text(claim)};
  if (claim.witness && stored.contains(claim.id)) cell.link = "../" + store_of(claim);
  return cell;
}

// A proof says for what.
std::string verdict_text(const LedgerClaim& claim) {
  return claim.proved_domain.empty() ? claim.reached : claim.reached + ": " + claim.proved_domain;
}

Table table_of(const Ledger& ledger, const PageGroup& group, const std::set<std::string>& stored) {
  Table table{{"claim", "says", "source", "verdict", "tightest", "real rows", "witness"}, {}};
  for (const LedgerClaim& claim : ledger.claims)
    if (claim.group == group.name)
      table.rows.push_back({{claim.id, Style::code, "#" + claim.id},
                            {claim.statement},
                            {claim.source},
                            {verdict_text(claim), Style::verdict},
                            {short_tightness_text(claim), Style::number},
                            {real_outcome_text(claim)},
                            witness_cell(claim, stored)});
  return table;
}

// Every claim: how far the run's certificate goes, and how far a theorem does.
Table domains(const Ledger& ledger) {
  Table table{{"claim", "verdict", "certificate", "theorem"}, {}};
  for (const LedgerClaim& claim : ledger.claims)
    table.rows.push_back({{claim.id, Style::code, "#" + claim.id},
                          {claim.reached, Style::verdict},
                          {claim.proved_domain.empty() ? std::string(no_value) : claim.proved_domain},
                          {claim.theorem ? claim.theorem->domain : std::string(no_value)}});
  return table;
}

std::string hypotheses_text(const LedgerClaim& claim) {
  std::string text;
  for (const std::string& hypothesis : claim.hypotheses) text += (text.empty() ? "" : "; ") + hypothesis;
  return text.empty() ? "none" : text;
}

std::string counts_text(const Counts& counts) {
  return fmt::format("{} tried, {} discarded, {} admissible: {} held, {} violated, {} with equality, {} undecided",
                     grouped(counts.tried), grouped(discarded(counts)), grouped(counts.admissible),
                     grouped(counts.held), grouped(counts.violated), grouped(counts.equality),
                     grouped(counts.undecided));
}

void add_run(const LedgerClaim& claim, Facts& facts) {
  facts.items.push_back({"verdict", {claim.reached, Style::verdict}});
  if (standing(claim) == "measured") {
    for (auto& finding : findings(claim).items) facts.items.push_back(std::move(finding));
    facts.items.push_back({"repeat", {claim.replay, Style::code}});
    return;
  }
  facts.items.push_back({"instances", {counts_text(claim.counts)}});
  facts.items.push_back({"real attention", {real_sentence(claim)}});
  if (!claim.proved_domain.empty()) facts.items.push_back({"proved for", {claim.proved_domain}});
  if (!claim.certificate.empty()) facts.items.push_back({"certificate of the run", {claim.certificate, Style::code}});
  if (claim.reached == "proved") facts.items.push_back({"what the checker proves", {claim.verified, Style::code}});
  add_theorem(claim, facts);
  for (const PartTally& part : claim.parts) facts.items.push_back({"tightest: " + part.part, {tightness_text(part)}});
  if (const auto& tightest = claim.tightest)
    facts.items.push_back({"tightest",
                           {fmt::format("{}: {} against {} at {}", tightness_text(claim), side_text(tightest->lhs),
                                        side_text(tightest->rhs), tightest->replay)}});
  facts.items.push_back({"repeat", {claim.replay, Style::code}});
}

void add_witness(const LedgerClaim& claim, const std::set<std::string>& stored, Document& document) {
  if (!claim.witness) return;
  Facts facts = witness_facts(claim, Style::plain);
  if (stored.contains(claim.id))
    facts.items.push_back({"check it", {"attncert check " + store_of(claim) + "*.json", Style::code}});
  document.push_back(Paragraph{{{"The witness, in exact numbers:"}}});
  document.push_back(std::move(facts));
}

const char* reason(const LedgerClaim& claim) {
  if (claim.reached == "refuted") return "Why it fails: ";
  return claim.reached == "vacuous" || claim.reached == "measured" ? "Remark: " : "Why: ";
}

void add_claim(const LedgerClaim& claim, const std::set<std::string>& stored, Document& document) {
  document.push_back(Heading{3, claim.id, claim.id});
  document.push_back(Paragraph{{{claim.statement}}});
  Facts facts;
  if (!claim.relation.empty()) facts.items.push_back({"claimed", {claim.relation, Style::code}});
  facts.items.push_back({"hypotheses", {hypotheses_text(claim)}});
  const std::string definitions = "specification.md#" + claim.id;
  facts.items.push_back({"source", {claim.source}});
  facts.items.push_back({"definitions", {definitions, Style::code, definitions}});
  facts.items.push_back({"domain", {claim.domain}});
  facts.items.push_back({"expected", {claim.expected}});
  add_run(claim, facts);
  document.push_back(std::move(facts));
  if (!claim.proof.empty()) document.push_back(Paragraph{{{reason(claim)}, {claim.proof}}});
  add_witness(claim, stored, document);
}

void add_head(const Ledger& ledger, Document& document) {
  document.push_back(Heading{1, "Claims"});
  document.push_back(Paragraph{
      {{"Made by "},
       {"scripts/claims-page", Style::code},
       {" from the claim files and one run; not edited by hand. The run: seed " + std::to_string(ledger.plan.seed) +
        ", effort " + ledger.plan.effort + ", " + std::to_string(ledger.claims.size()) + " claims, real rows of " +
        (ledger.plan.model.empty() ? "no model" : ledger.plan.model + " on " + ledger.plan.text) +
        ". A verdict is computed from the statement alone and compared with the expected one afterwards."}}});
  document.push_back(Paragraph{{{summary(ledger) + "."}}});
}

}  // namespace

std::string claims_page(const Ledger& ledger, const std::set<std::string>& stored) {
  Document document;
  add_head(ledger, document);
  for (const PageGroup& group : page_groups) {
    document.push_back(Heading{2, group.title});
    document.push_back(Paragraph{{{group.text}}});
    if (Table table = table_of(ledger, group, stored); !table.rows.empty()) document.push_back(std::move(table));
  }
  document.push_back(Heading{2, "Certificates and theorems"});
  document.push_back(Paragraph{{{"For what a claim is proved by the checker's "},
                                {"certificate", Style::plain, "certificate.md"},
                                {" of the run, and for what by a "},
                                {"theorem in Coq", Style::plain, "proofs.md"},
                                {". A theorem makes no verdict."}}});
  document.push_back(domains(ledger));
  document.push_back(Heading{2, "Notation"});
  document.push_back(meanings(notation));
  document.push_back(Heading{2, "Verdicts and counts"});
  document.push_back(meanings(verdict_meanings));
  document.push_back(meanings(count_meanings));
  document.push_back(Heading{2, "Every claim"});
  for (const PageGroup& group : page_groups)
    for (const LedgerClaim& claim : ledger.claims)
      if (claim.group == group.name) add_claim(claim, stored, document);
  return markdown(document);
}

}  // namespace attncert
