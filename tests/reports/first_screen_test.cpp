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
                       "rows seen: upper. A counterexample shows that a statement is no theorem"))
      << text;
  EXPECT_TRUE(contains(text,
                       "| never violated: of real instances it speaks of 960 of 960 (100%), "
                       "holds on 960 |"))
      << text;
  EXPECT_TRUE(contains(text, "Refuted by construction; never violated on the real rows seen")) << text;
  EXPECT_EQ(occurrences(text, "never violated on the real rows seen"), 2u) << text;  // above, and in the row's details
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
