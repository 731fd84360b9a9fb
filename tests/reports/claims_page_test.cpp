// docs/claims.md: what the page holds of a ledger, and that the committed page says what the claim files say. Counts,
// verdicts reached and tightness are those of the run that made the page, and are not compared.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "properties/claims/claim.hpp"
#include "properties/claims/theorem.hpp"
#include "reports/sections.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"
#include "tests/pattern.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
using namespace report;
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// One paragraph as the page writes it, without the empty line behind it.
std::string as_written(std::string_view text) {
  std::string written = markdown(Document{Paragraph{{{std::string(text)}}}});
  while (written.ends_with('\n')) written.pop_back();
  return written;
}

std::string fact(const std::string& label, const Span& span) {
  std::string written = markdown(Document{Facts{{{label, span}}}});
  while (written.ends_with('\n')) written.pop_back();
  return "\n" + written + "\n";
}

// The section of every claim, by id.
std::map<std::string, std::string> sections(const std::string& page) {
  const Pattern heading(R"re(### <a id="([^"]*)"></a>)re");
  std::map<std::string, std::string> parts;
  std::string id;
  for (std::size_t start = 0; start < page.size();) {
    const std::size_t end = std::min(page.find('\n', start), page.size());
    const std::string line = page.substr(start, end - start);
    if (const auto match = heading.first_in(line)) id = (*match)[1];
    if (!id.empty()) parts[id] += line + "\n";
    start = end + 1;
  }
  return parts;
}

// "" when the section says what the statement says, otherwise what is missing.
std::string missing(const std::string& section, const Claim& claim) {
  const Statement& statement = claim.statement;
  if (!contains(section, "\n" + as_written(statement.text) + "\n")) return "the statement";
  if (!statement.measured() && !contains(section, fact("claimed", {relation_text(statement), Style::code})))
    return "both sides";
  std::string hypotheses;
  for (const Hypothesis& hypothesis : statement.sided() ? statement.sided()->hypotheses : std::vector<Hypothesis>{})
    hypotheses += (hypotheses.empty() ? "" : "; ") + std::string(hypothesis.text);
  if (!contains(section, fact("hypotheses", {hypotheses.empty() ? "none" : hypotheses}))) return "the hypotheses";
  if (!contains(section, as_written(statement.source))) return "the source";
  if (!contains(section, fact("domain", {tried(statement)}))) return "the domain";
  if (!contains(section, fact("expected", {std::string(name(claim.expected))}))) return "the expected verdict";
  if (const Theorem* const theorem = find_theorem(statement.id)) {
    Facts facts;
    LedgerClaim shown;
    shown.theorem = {theorem->domain, theorem->assumes, theorem->states};
    add_theorem(shown, facts);
    for (const auto& [label, span] : facts.items)
      if (!contains(section, fact(label, span))) return "the theorem";
  }
  if (!contains(section, ": " + as_written(statement.proof) + "\n")) return "the proof";
  return "";
}

std::string committed_page() {
  std::ifstream file(std::string(ATTNCERT_SOURCE_DIR) + "/docs/claims.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ClaimsPage, IsNotOlderThanTheClaimFiles) {
  const std::map<std::string, std::string> page = sections(committed_page());
  for (const Claim& claim : claims()) {
    const auto section = page.find(std::string(claim.statement.id));
    const std::string what = section == page.end() ? "the claim" : missing(section->second, claim);
    EXPECT_EQ(what, "") << claim.statement.id << ": docs/claims.md does not have it as the claim file says; run "
                        << "scripts/claims-page";
  }
  EXPECT_EQ(page.size(), claims().size()) << "docs/claims.md holds a claim that is no more; run scripts/claims-page";
}

TEST(ClaimsPage, TheJudgeOfItsAgeFindsEveryDifference) {
  const Claim& claim = *find_claim("theorem1-upper");
  const std::string good = sections(committed_page())["theorem1-upper"];
  ASSERT_EQ(missing(good, claim), "");
  const auto edited = [&](auto edit) {
    Claim other = claim;
    edit(other);
    return missing(good, other);
  };
  EXPECT_EQ(edited([](Claim& c) { c.statement.text = "Something else."; }), "the statement");
  EXPECT_EQ(edited([](Claim& c) { c.statement.sided()->parts[0].right = "1"; }), "both sides");
  EXPECT_EQ(edited([](Claim& c) { c.statement.sided()->parts[0].relation = Relation::equal; }), "both sides");
  EXPECT_EQ(edited([](Claim& c) { c.statement.sided()->hypotheses.pop_back(); }), "the hypotheses");
  EXPECT_EQ(edited([](Claim& c) { c.statement.source = "somewhere"; }), "the source");
  EXPECT_EQ(edited([](Claim& c) { c.statement.domain = "everything"; }), "the domain");
  EXPECT_EQ(edited([](Claim& c) { c.expected = Expected::supported; }), "the expected verdict");
  EXPECT_EQ(edited([](Claim& c) { c.statement.proof = c.statement.proof.substr(1); }), "the proof");
  EXPECT_EQ(edited([](Claim& c) { c.statement.proof.remove_suffix(1); }), "the proof");
}

// The ids of the catalogue's first and third table; everything else stands in its second.
const std::set<std::string_view> printed_ids{"lemma1-any-normalizer",
                                             "lemma1-any-normalizer-lower",
                                             "weights-tend-to-uniform",
                                             "expected-distance-linear-in-length",
                                             "distance-plateau",
                                             "lemma2-first-term-frobenius",
                                             "lemma2-recovers-quarter",
                                             "lemma1-bounded-logits",
                                             "theorem1-upper",
                                             "theorem1-upper-norm-of-sum",
                                             "theorem1-upper-norm-of-weighted-sum",
                                             "theorem1-expectation",
                                             "theorem1-expectation-main-term",
                                             "theorem1-collapse",
                                             "distance-linear-in-length",
                                             "distance-linear-with-sink",
                                             "theorem2-lower",
                                             "theorem2-lower-literal",
                                             "theorem2-lower-literal-close",
                                             "theorem2-upper",
                                             "theorem2-eighty-percent",
                                             "separability-floor",
                                             "lemma2-first-term",
                                             "lemma2-sqrt2-cap",
                                             "softmax-quarter-over-temperature",
                                             "softmax-quarter-frobenius",
                                             "perturbation-input-distance",
                                             "perturbation-output-distance",
                                             "selectivity-stability-tradeoff",
                                             "ks-six-percent",
                                             "separability-saturation",
                                             "jacobian-temperature-scaling"};
const std::set<std::string_view> literature_ids{"softmax-half-lipschitz-lp", "softmax-convex-bounds",
                                                "softmax-rounding-error"};

TEST(ClaimsPage, EveryClaimStandsInItsTableOfTheCatalogueAndHasAProof) {
  for (const Claim& claim : claims()) {
    const std::string_view id = claim.statement.id;
    EXPECT_EQ(group(claim.statement), printed_ids.contains(id)      ? "printed"
                                      : literature_ids.contains(id) ? "literature"
                                                                    : "corrected")
        << id << ": its source begins with \"arXiv 2508.17821\", or with \"corrected\", or is another work";
    EXPECT_GE(claim.statement.proof.size(), 60u) << id << ": say why it is true, or what is true instead";
  }
}

TEST(ClaimsPage, HasEveryClaimInItsGroupAndEveryLinkLeadsSomewhere) {
  Ledger ledger = sample_ledger();
  ledger.claims.back().group = "literature";
  const std::string page = claims_page(ledger, {"theorem1-upper"});
  const std::size_t printed = page.find("\n## Printed"), corrected = page.find("\n## Corrected"),
                    literature = page.find("\n## From the"), notation = page.find("\n## Notation");
  const auto row = [&](const std::string& id) { return page.find("\n| [`" + id + "`](#" + id + ") |"); };
  EXPECT_TRUE(printed < row("theorem1-upper") && row("theorem1-upper") < corrected);
  EXPECT_TRUE(corrected < row("distance-upper") && row("distance-upper") < literature);
  EXPECT_TRUE(literature < row("open") && row("open") < notation);
  const std::map<std::string, std::string> parts = sections(page);
  EXPECT_EQ(parts.size(), ledger.claims.size());
  for (const LedgerClaim& claim : ledger.claims) EXPECT_TRUE(parts.contains(claim.id)) << claim.id;
}

TEST(ClaimsPage, SaysWhatTheRunFound) {
  const std::string page = claims_page(sample_ledger(), {"theorem1-upper"});
  std::map<std::string, std::string> parts = sections(page);
  EXPECT_TRUE(contains(page, "| [L=3 d=2: 1.5 against 0.75](../properties/claims/witnesses/theorem1-upper/) |"));
  EXPECT_TRUE(contains(page, "| 1 family |"));  // not stored, so not linked
  EXPECT_TRUE(contains(parts["theorem1-upper"], "\nWhy it fails: Because 1 \\<= 2, \\*clearly\\*.\n"));
  EXPECT_TRUE(contains(parts["distance-upper"], "\nWhy: Because 1 \\<= 2, \\*clearly\\*.\n"));
  EXPECT_TRUE(contains(parts["distance-upper"], "- **hypotheses**: a\\_i \\>= 0; L \\< 5 \\| N \\> 1\n"));
  EXPECT_TRUE(contains(parts["subnormal"], "- **proved for**: all simplex points, L \\<= 4\n"));
  EXPECT_TRUE(contains(parts["subnormal"], "`certificates/subnormal.json`"));
  EXPECT_TRUE(contains(parts["subnormal"], "- **what the checker proves**: `for all L <= 4: <1> | 2`\n"));
  EXPECT_TRUE(contains(parts["distance-upper"], "- **tightest: above**: attained\n"));
  EXPECT_TRUE(contains(parts["distance-upper"], "- **tightest: below \\| \"\\<x\\>\"**: 0.25\n"));
  EXPECT_TRUE(contains(parts["distance-upper"], "- **tightest: never met**: -\n"));
  EXPECT_TRUE(contains(parts["theorem1-upper"], "- **shrunk from**: L=12 d=3 bits=411\n"));
  EXPECT_TRUE(contains(parts["distance-upper"], "`attncert certify distance-upper --seed 1`"));
}

// Its tables say of a claim what those of the report say, and its legend is that of the words in them.
TEST(ClaimsPage, SpeaksAsTheReportDoes) {
  Ledger ledger = sample_ledger();
  LedgerClaim& claim = ledger.claims[0];
  claim.group = "corrected", claim.tightest->tightness = 7e19;
  const std::string page = claims_page(ledger, {}), committed = committed_page();
  EXPECT_TRUE(contains(page, "| **supported** | \\> 1000 | " + report::real_outcome_text(claim) + " |")) << page;
  for (const report::Meaning& meaning : report::count_meanings)
    EXPECT_TRUE(contains(committed, markdown(Document{report::meanings({meaning})})))
        << meaning.word << "; run scripts/claims-page";
  for (const char* cell : {", holds on 960 |", "| \\> 1000 |", "| unequal, 0.75 |"})
    EXPECT_TRUE(contains(committed, cell)) << cell << "; run scripts/claims-page";
  EXPECT_FALSE(Pattern("\\| [0-9.]+e\\+[0-9]+ \\|").is_in(committed)) << "run scripts/claims-page";
}

// In a table's cell a pipe needs a backslash even in code; anywhere else the reader would see it.
TEST(ClaimsPage, PipesInCodeAreEscapedInTablesOnly) {
  EXPECT_EQ(markdown(Document{Paragraph{{{"||x||", Style::code}}}}), "`||x||`\n");
  EXPECT_EQ(fact("claimed", {"||x||", Style::code}), "\n- **claimed**: `||x||`\n");
  EXPECT_EQ(markdown(Document{Table{{"a"}, {{{"||x||", Style::code}}}}}), "| a |\n|---|\n| `\\|\\|x\\|\\|` |\n");
}

TEST(ClaimsPage, WhatIsMeasuredIsListedAndNeitherPassesNorFails) {
  const std::string page = claims_page(sample_ledger(), {});
  const std::string section = sections(page)["numbers"];
  EXPECT_TRUE(contains(section, "- **verdict**: **measured**\n- **mean share at N = L/8**: 0.98 (1,600 rows)\n"));
  EXPECT_FALSE(contains(section, "instances") || contains(section, "claimed") || contains(section, "tightest"));
  const std::string text = markdown(sample_ledger());
  EXPECT_TRUE(contains(text,
                       "| [numbers]("
                       "#claim-numbers) | heads saturate | **measured** | - | - | - |\n"));
  EXPECT_TRUE(contains(text, "- **mean share at N = L/8**: 0.98 (1,600 rows)\n"));
  EXPECT_TRUE(contains(html(sample_ledger()), "<dt>mean share at N = L/8</dt><dd>0.98 (1,600 rows)</dd>"));
  EXPECT_TRUE(contains(verdict_table(sample_ledger(), true), "measured   "));  // and no colour
  EXPECT_EQ(summary(sample_ledger()).find(", 1 undecided, 1 measured;"), std::string("8 claims: 6 as expected").size());
}

TEST(ClaimsPage, AProofSaysForWhat) {
  EXPECT_TRUE(contains(claims_page(sample_ledger(), {}), "| **proved: all simplex points, L \\<= 4** |"));
  EXPECT_TRUE(contains(verdict_table(sample_ledger(), false), "for all simplex points, L <= 4\n"));
  EXPECT_TRUE(contains(markdown(sample_ledger()), "- **proved for**: all simplex points, L \\<= 4\n"));
}

TEST(ClaimsPage, HoldsNoTimeAndNoPath) {
  Ledger other = sample_ledger();
  other.timing = {"2031-02-03T04:05:06Z", 1, "/elsewhere", {}};
  other.environment = {};
  EXPECT_EQ(claims_page(other, {}), claims_page(sample_ledger(), {}));
}

TEST(RealRows, TheShareIsShownWithWhatIsNotMet) {
  LedgerClaim claim;
  EXPECT_EQ(real_text(claim), "-");
  EXPECT_EQ(real_sentence(claim), "-");
  claim.has_real = true;
  EXPECT_EQ(real_sentence(claim), "none tried");
  Counts& real = claim.by_source["real"];
  real.discarded = {{"N >= 2", 33}, {"tokens on a sphere", 300}};
  real.held = 120;
  real.equality = 3;
  real.admissible = 123;
  real.tried = 456;
  EXPECT_EQ(real_text(claim), "123 of 456 (27%)");
  EXPECT_EQ(real_sentence(claim),
            "123 of 456 instances admissible (27%): 120 held, 3 with equality; not met: tokens on a sphere (300), N >= "
            "2 (33)");
}

TEST(RealRows, OnlyNoneIsZeroPercentAndOnlyAllAHundred) {
  EXPECT_EQ(share_text(0, 960), "0 of 960 (0%)");
  EXPECT_EQ(share_text(1, 960), "1 of 960 (<1%)");
  EXPECT_EQ(share_text(959, 960), "959 of 960 (>99%)");
  EXPECT_EQ(share_text(1960, 1960), "1,960 of 1,960 (100%)");
}

TEST(Numbers, OnlyAllOfABudgetIsAHundredPercent) {
  EXPECT_EQ(share_text(0.51419), "51%");
  EXPECT_EQ(share_text(0.9998), "99.98%");
  EXPECT_EQ(share_text(0.9999776), "99.998%");
  EXPECT_EQ(share_text(1.0), "100%");
  EXPECT_EQ(share_text(1.0002), "100.02%");
  EXPECT_EQ(share_text(1 - 0x1p-49), "1 - 2e-15");
  EXPECT_EQ(share_text(1 + 0x1p-49), "1 + 2e-15");
  EXPECT_EQ(share_text(2.9e6), "2.9e+06 times");
  EXPECT_EQ(share_text(154.3), "154 times");
  for (double gap = 1e-7; gap < 0.02; gap *= 1.01) EXPECT_NE(share_text(1 - gap), "100%") << gap;
}

TEST(Numbers, AnUlpHasThreeDigits) {
  EXPECT_EQ(ulp_text(0.50001), "0.5");
  EXPECT_EQ(ulp_text(27.345), "27.3");
  EXPECT_EQ(ulp_text(1027.4), "1,027");
  EXPECT_EQ(ulp_text(1.0208471e46), "1.02e+46");
}

TEST(Numbers, AQuotientBeyondEveryDoubleIsNotTheLargestDouble) {
  LedgerClaim claim;
  claim.tightest = {std::numeric_limits<double>::max(), "[4e+325, 5e+325]", "[0.4, 0.5]", "x:1:0"};
  EXPECT_EQ(tightness_text(claim), "> 1e308");
}

TEST(Numbers, SidesForReaders) {
  EXPECT_EQ(side_text("[0.5, 0.5]"), "0.5");
  EXPECT_EQ(side_text("[0.333333333333333333, 0.333333333333333334]"), "0.333333");
  EXPECT_EQ(side_text("[0.25, 0.75]"), "[0.25, 0.75]");
  EXPECT_EQ(side_text("[1, inf]"), "[1, inf]");
  EXPECT_EQ(side_text("any constant C"), "any constant C");
}

// Two of the true statements that the explanation of a false one names, in its order; none that is false itself.
TEST(Refuted, HasWhatHoldsBesideIt) {
  const auto claim = [](const char* id, const char* group, const char* reached) {
    LedgerClaim made;
    made.id = id, made.source = "a paper, Lemma 2", made.group = group, made.reached = reached;
    made.statement = std::string("Statement of ") + id + ".";
    return made;
  };
  Ledger ledger;
  ledger.claims = {claim("false-one", "printed", "refuted"), claim("other-false", "printed", "refuted"),
                   claim("true-as-printed", "printed", "supported"), claim("true-first", "corrected", "proved"),
                   claim("true-last", "corrected", "proved")};
  ledger.claims[0].proof = "Not other-false, but true-first; so is true-as-printed, and true-last.";
  const std::string page = markdown(ledger);
  EXPECT_NE(page.find("Statement of true-first. Statement of true-as-printed.](#claim-true-first)"), std::string::npos)
      << page.substr(0, 1500);
  EXPECT_NE(page.find("[no statement of this form: its row says why](#claim-other-false)"), std::string::npos);
}

}  // namespace
}  // namespace attncert
