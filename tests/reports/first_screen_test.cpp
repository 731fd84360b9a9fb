// What a reader is told before the tables: of what a page is, what is counted, and what a counterexample does not show.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reports/formats.hpp"
#include "reports/ledger.hpp"
#include "reports/wording.hpp"
#include "tests/reports/markup.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
using namespace report;
namespace {

TEST(FirstScreen, EveryPageSaysThatItIsWholeAndOfWhatMachine) {
  Ledger kernels = sample_ledger();
  kernels.claims.clear();
  for (const Ledger& ledger : {sample_ledger(), kernels})
    for (const char* fact : {"<dt>complete</dt><dd>yes: ", "<dt>commit</dt><dd><code>0123abcd (with changes)</code>",
                             "<dt>logical processors</dt><dd>2</dd>", "<dt>system</dt><dd>A system</dd>"})
      EXPECT_TRUE(contains(html(ledger), fact)) << fact;
}

TEST(FirstScreen, APageSaysWhatLiesElsewhere) {
  Ledger kernels = sample_ledger();
  kernels.claims.clear(), kernels.faults.clear();
  const std::string text = markdown(kernels);
  EXPECT_TRUE(contains(text,
                       "**what other commands show**: printed statements: attncert certify; wrong kernels and what "
                       "catches "
                       "them: attncert faults; heads"))
      << text;
  EXPECT_FALSE(contains(markdown(sample_ledger()), "printed statements: attncert certify"));
}

// A printed statement of a place in the paper, and what was found on the captured rows.
LedgerClaim printed(const std::string& id, const std::string& source, const std::string& reached) {
  LedgerClaim claim;
  claim.id = id, claim.source = "arXiv 2508.17821, " + source, claim.group = "printed";
  claim.statement = "The share N_s/N is at most 1.", claim.expected = claim.reached = reached, claim.agrees = true;
  return claim;
}

LedgerClaim on_rows(LedgerClaim claim, std::uint64_t held, std::uint64_t equality, std::uint64_t violated) {
  claim.has_real = true;
  Counts& counts = claim.by_source["real"];
  counts.held = held, counts.equality = equality, counts.violated = violated;
  counts.admissible = held + equality + violated, counts.tried = 960;
  counts.discarded = {{"N < L", 960 - counts.admissible}};
  return claim;
}

Ledger of_paper() {
  Ledger ledger;
  ledger.claims = {
      on_rows(printed("upper", "Theorem 1, upper bound as printed", "refuted"), 950, 10, 0),
      on_rows(printed("upper-of-sum", "Theorem 1, upper bound, norm of (a, b) summed", "supported"), 960, 0, 0),
      on_rows(printed("floor", "the floor drawn from Theorem 2", "refuted"), 100, 9, 243),
      printed("slide-upper", "Lemma 1 as the slides state it", "refuted"),
      printed("slide-lower", "Lemma 1 as the slides state it, lower half", "refuted"),
      printed("linear", "experiments on the distance", "refuted"),
      printed("sink", "experiments on the distance, with a sink", "proved")};
  return ledger;
}

TEST(FirstScreen, CountsSentencesApartFromTheirReadingsAndSlidesFromTheorems) {
  const std::string text = markdown(of_paper());
  const auto has = [&](const char* part) { EXPECT_TRUE(contains(text, part)) << part << "\n" << text; };
  has("M. Burtsev, T. Petrova, R. State, \"Limitations of Normalization in Attention Mechanism\", arXiv 2508.17821");
  // statements, false, sentences, false however read, false as one reads them
  has("| theorems, lemmas and what is drawn from them | 3 | 2 | 2 | 1 | 1 |");
  has("| slides | 2 | 2 | 1 | 1 | 0 |");
  has("| experiments | 2 | 1 | 2 | 1 | 0 |");
}

TEST(FirstScreen, SaysWhatACounterexampleDoesNotShow) {
  const Ledger ledger = of_paper();
  EXPECT_EQ(real_outcome_text(ledger.claims[0]), "960 of 960 (100%), holds on 960");
  EXPECT_EQ(real_outcome_text(ledger.claims[2]), "352 of 960 (37%), holds on 109, violated on 243");
  EXPECT_EQ(real_outcome_text(ledger.claims[3]), "-");
  EXPECT_TRUE(is_refuted_by_construction(ledger.claims[0]));
  for (const std::size_t other : {1, 2, 3}) EXPECT_FALSE(is_refuted_by_construction(ledger.claims[other])) << other;
  const std::string text = markdown(ledger);
  EXPECT_TRUE(contains(text,
                       "2 of these speak of captured rows. Refuted by construction, and never violated on the real "
                       "rows seen: [upper](#claim-upper). A counterexample shows that a statement is no theorem"))
      << text;
  EXPECT_TRUE(contains(text, "| never violated in 960 instances |")) << text;
  EXPECT_TRUE(contains(text, "| violated in 243 of 352 instances |")) << text;
  EXPECT_TRUE(contains(text, "Refuted by construction; never violated on the real rows seen")) << text;
  EXPECT_EQ(occurrences(text, "never violated on the real rows seen"), 2u) << text;  // above, and in the row's details
}

// In one row: how small an example refutes, what holds in its place, in words and as a formula.
TEST(FirstScreen, BesideWhatIsFalseStandItsCounterexampleAndWhatHolds) {
  Ledger ledger = of_paper();
  LedgerClaim holds = printed("right", "corrected", "proved");
  holds.group = "corrected", holds.statement = "It is at most 1.",
  holds.relation = "above: a_i <= 1; below: 0 <= a_i; sum: A <= 1; all: 0 <= A";
  ledger.claims.push_back(holds);
  LedgerClaim& upper = ledger.claims[0];
  upper.proof = "A square too many; right holds.";
  upper.witness.emplace().instance.emplace().length = 2;
  upper.witness->instance->dimension = 1;
  upper.witness_lhs = "[0.5, 0.5]", upper.witness_rhs = "[0.25, 0.25]";
  const std::string text = markdown(ledger);
  const auto has = [&](const char* part) { EXPECT_TRUE(contains(text, part)) << part << "\n" << text; };
  has("| L=2 d=1: 0.5 against 0.25 | [It is at most 1.](#claim-right) | `above: a_i <= 1; below: 0 <= a_i and 2 more` "
      "| never violated "
      "in 960 instances |");
  has("(#claim-floor) | - | [no statement of this form: its row says why](#claim-floor) |  | violated in 243 of 352 "
      "instances |");
  has("- **size**: L=2 d=1, the smallest that was found, by tokens, then dimensions, then bits; that none is smaller "
      "is "
      "not shown\n");
  EXPECT_TRUE(contains(html(ledger), "L = 2; d = 1: 0.5 on the left, 0.25 on the right; the smallest that was found. "))
      << html(ledger);
}

// One place says what of the paper holds on captured rows, and how many instances a row is.
TEST(FirstScreen, WhatIsPrintedHasATableOfItsOutcomesOnCapturedRows) {
  Ledger ledger = of_paper();
  EXPECT_FALSE(contains(markdown(ledger), "on these rows"));  // of no model
  ledger.real.emplace().rows = 128, ledger.real->model = "small";
  const std::string text = markdown(ledger);
  const auto has = [&](const char* part) { EXPECT_TRUE(contains(text, part)) << part << "\n" << text; };
  has("Captured rows violate 1 of the 3 printed statements that speak of them.");
  has("128 rows are 960 instances at most.");
  has("| Theorem 1, upper bound | [The share N\\_s/N is at most 1.](#claim-upper) | **refuted** | 960 | 0 | 950 | 10 | "
      "0 | 0 |");
  has("(#claim-upper-of-sum) | **supported** | 960 | 0 | 960 | 0 | 0 | 0 |");
  has("(#claim-floor) | **refuted** | 960 | 608 | 100 | 9 | 243 | 0 |");
  has("; the rows are of one model, small: [all counts](#printed-on-captured-rows).\n");
  has("### <a id=\"printed-on-captured-rows\"></a>What the paper prints, on these rows\n");
  ledger.claims.resize(1), ledger.claims[0].group = "corrected";
  EXPECT_FALSE(contains(markdown(ledger), "on these rows"));
}

// The title says whose kernels were judged, where the ledger knows it.
TEST(FirstScreen, ThePageOfOurOwnKernelsSaysSo) {
  Ledger ledger;
  ledger.kernels.resize(2);
  for (KernelResult& kernel : ledger.kernels) kernel.normalizer = "softmax", kernel.dtype = "f32";
  ledger.kernels[0].isa = "AVX3", ledger.kernels[1].isa = "SCALAR";
  EXPECT_TRUE(markdown(ledger).starts_with("# attncert: kernels\n"));
  ledger.plan.facts["command"] = "accuracy";
  EXPECT_TRUE(markdown(ledger).starts_with("# attncert: its own softmax kernels (f32) on AVX3, SCALAR\n"));
  ledger.kernels[1].normalizer = "entmax", ledger.kernels[1].dtype = "f16";
  EXPECT_TRUE(
      markdown(ledger).starts_with("# attncert: its own kernels of 2 normalizers (f16, f32) on AVX3, SCALAR\n"));
  ledger.plan.facts["library"] = "0123";  // one that says nothing of itself
  EXPECT_TRUE(markdown(ledger).starts_with("# attncert: kernels\n"));
}

// Formulas within a sentence are set as such.
TEST(FirstScreen, SentencesHaveTheirFormulas) {
  EXPECT_TRUE(contains(html(of_paper()), "The share <math><mrow><msub><mi>N</mi><mi>s</mi></msub>"));
}

// Beyond 1,000 a quotient says no more, and a refuted equality may have one below 1.
TEST(FirstScreen, QuotientsAreToldApart) {
  const auto text = [](double tightness, const char* reached) {
    LedgerClaim claim = printed("x", "y", reached);
    claim.tightest = {tightness, "", "", ""};
    claim.counts.violated = claim.reached == "refuted";
    return short_tightness_text(claim);
  };
  EXPECT_EQ(text(1.06, "refuted"), "1.06");
  EXPECT_EQ(text(1000, "refuted"), "1000");
  EXPECT_EQ(text(1000.5, "refuted"), "> 1000");
  EXPECT_EQ(text(INFINITY, "refuted"), "> 1000");
  EXPECT_EQ(text(0.75, "refuted"), "unequal, 0.75");
  EXPECT_EQ(text(0.75, "supported"), "0.75");
}

}  // namespace
}  // namespace attncert
