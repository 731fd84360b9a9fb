// What is a regression, an improvement and a change: each rule of reports/comparison/rules.cpp.
#include "reports/comparison/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "reports/comparison/rules.hpp"
#include "tests/reports/compared.hpp"

namespace attncert {
using namespace report;
namespace {

// An edit is a regression by that rule, and what it does the other way round an improvement.
void expect_regression(const Edit& edit, const std::string& why, const std::string& why_not) {
  Ledger worse = sample_ledger();
  edit(worse);
  const Found there = found(compared(sample_ledger(), worse)), back = found(compared(worse, sample_ledger()));
  EXPECT_EQ(there.outcome, regression) << why;
  EXPECT_EQ(there.why, why);
  EXPECT_EQ(back.outcome, improvement) << why;
  EXPECT_EQ(back.why, why_not);
}

TEST(Comparison, OfALedgerWithItselfHasNoDifference) {
  const Comparison same = compared(sample_ledger(), sample_ledger());
  EXPECT_EQ(summary(same), "no difference: 16 rows the same");  // 8 claims, 2 kernels, 2 faults, 3 judgements, 1 real
  for (const KindChanges& kind : same.kinds) EXPECT_TRUE(kind.rows.empty()) << kind.kind;
}

TEST(Comparison, AClaimThatIsAsExpectedNoLonger) {
  expect_regression(
      [](Ledger& ledger) {
        ledger.claims[0].reached = "refuted";
        ledger.claims[0].agrees = false;
      },
      "differs, was as expected", "as expected, was differs");
  expect_regression(
      [](Ledger& ledger) {
        ledger.claims[0].reached = "undecided";
        ledger.claims[0].agrees = false;
      },
      "undecided, was as expected", "as expected, was undecided");
  expect_regression([](Ledger& ledger) { ledger.claims[1].checker = "rejected: no"; }, "differs, was as expected",
                    "as expected, was differs");
}

TEST(Comparison, AKernelThatDoesWorse) {
  expect_regression([](Ledger& ledger) { ledger.kernels[0].worst_fraction = 1.25; }, "differs, was as expected",
                    "as expected, was differs");
  expect_regression([](Ledger& ledger) { ledger.kernels[0].undecided = 1; }, "undecided, was as expected",
                    "as expected, was undecided");
  expect_regression([](Ledger& ledger) { ledger.kernels[0].laws_undecided = 1; }, "undecided, was as expected",
                    "as expected, was undecided");
  expect_regression([](Ledger& ledger) { ledger.kernels[1].outside = 3; }, "more outside", "fewer outside");
  expect_regression([](Ledger& ledger) { ledger.kernels[1].undecided = 2; }, "more undecided", "fewer undecided");
  expect_regression([](Ledger& ledger) { ledger.kernels[1].laws_broken = 1; }, "more laws broken", "fewer laws broken");
  expect_regression([](Ledger& ledger) { ledger.kernels[1].laws_undecided = 1; }, "more laws undecided",
                    "fewer laws undecided");
}

TEST(Comparison, WorseInOneGoesBeforeBetterInAnother) {
  const Found both = edited([](Ledger& ledger) {
    ledger.kernels[1].outside = 0;
    ledger.kernels[1].undecided = 5;
  });
  EXPECT_EQ(both.outcome, regression);
  EXPECT_EQ(both.why, "more undecided");
}

TEST(Comparison, AFaultThatSurvivesAndARightKernelThatIsRefused) {
  expect_regression([](Ledger& ledger) { ledger.faults[0].caught_by = ""; }, "differs, was as expected",
                    "as expected, was differs");
  expect_regression([](Ledger& ledger) { ledger.faults[1].caught_by = "accuracy"; }, "differs, was as expected",
                    "as expected, was differs");
}

TEST(Comparison, AJudgementAndRealRowsThatDoWorse) {
  expect_regression([](Ledger& ledger) { ledger.judgements[0].verdict = "refused"; }, "refused, was as expected",
                    "as expected, was refused");
  expect_regression([](Ledger& ledger) { ledger.judgements[2].verdict = "undecided"; }, "undecided, was refused",
                    "refused, was undecided");
  expect_regression([](Ledger& ledger) { ++ledger.judgements[1].outside; }, "more outside", "fewer outside");
  expect_regression([](Ledger& ledger) { ledger.real->outside_budget = 1; }, "differs, was as expected",
                    "as expected, was differs");
}

TEST(Comparison, RealRowsOfWhichMoreAreOutside) {
  Ledger before = sample_ledger(), after = before;
  before.real->outside_budget = 1, after.real->outside_budget = 2;
  EXPECT_EQ(found(compared(before, after)).why, "more outside the budget");
  EXPECT_EQ(found(compared(after, before)).why, "fewer outside the budget");
}

TEST(Comparison, WhatElseDiffersIsAChange) {
  const Found ulp = edited([](Ledger& ledger) { ledger.kernels[0].worst_ulp = 0.3; });
  EXPECT_EQ(ulp.outcome, plain_change);
  ASSERT_EQ(ulp.changes.size(), 1u);
  EXPECT_EQ(ulp.changes[0].field, "worst_ulp");
  EXPECT_EQ(ulp.changes[0].before, "0.30000000000000004");  // all digits where six would be the same
  EXPECT_EQ(ulp.changes[0].after, "0.3");
  EXPECT_EQ(edited([](Ledger& ledger) { ledger.faults[0].cases = 9; }).outcome, plain_change);
  EXPECT_EQ(edited([](Ledger& ledger) { ledger.claims[0].tightest->tightness = 0.5; }).outcome, plain_change);
}

TEST(Comparison, OfAListTheFirstDifferenceAndHowManyMoreThereAre) {
  const Found counts = edited([](Ledger& ledger) {
    ledger.claims[0].counts.admissible = 12;
    ledger.claims[0].by_source["random"].held = 1;
    ledger.claims[0].by_source["random"].violated = 2;
    ledger.claims[0].parts[1].held = 3;
  });
  ASSERT_EQ(counts.changes.size(), 3u);
  EXPECT_EQ(counts.changes[0].field, "counts.admissible");
  EXPECT_EQ(counts.changes[1].field, "by_source.random.held (and 1 more)");
  EXPECT_EQ(counts.changes[1].before, "9,000");
  EXPECT_EQ(counts.changes[1].after, "1");
  EXPECT_EQ(counts.changes[2].field, "parts[1].held");
  const Found less = edited([](Ledger& ledger) { ledger.claims[1].witness.reset(); });
  ASSERT_EQ(less.changes.size(), 1u);
  EXPECT_EQ(less.changes[0].before, "L=3 d=2");
  EXPECT_EQ(less.changes[0].after, "-");
}

TEST(Comparison, LongTextsAreCutWhereTheyDiffer) {
  Ledger before = sample_ledger(), after = before;
  before.claims[0].proof = std::string(200, 'x') + "one";
  after.claims[0].proof = std::string(200, 'x') + "two";
  const Found cut = found(compared(before, after));
  ASSERT_EQ(cut.changes.size(), 1u);
  EXPECT_EQ(cut.changes[0].before, "..." + std::string(20, 'x') + "one");
  EXPECT_EQ(cut.changes[0].after, "..." + std::string(20, 'x') + "two");
}

TEST(Comparison, RowsThatAreGoneOrNew) {
  const Edit edits[] = {[](Ledger& ledger) { ledger.claims.erase(ledger.claims.begin()); },
                        [](Ledger& ledger) { ledger.kernels.erase(ledger.kernels.begin()); },
                        [](Ledger& ledger) { ledger.faults.pop_back(); },
                        [](Ledger& ledger) { ledger.judgements.erase(ledger.judgements.begin()); },
                        [](Ledger& ledger) { ledger.real.reset(); }};
  for (const Edit& edit : edits) {
    Ledger less = sample_ledger();
    edit(less);
    const Found gone = found(compared(sample_ledger(), less)), more = found(compared(less, sample_ledger()));
    EXPECT_EQ(gone.outcome + ": " + gone.why, "regression: gone");
    EXPECT_EQ(more.outcome + ": " + more.why, "change: new");
  }
  const Found bad = edited([](Ledger& ledger) {
    LedgerFault fault = ledger.faults[0];
    fault.name = "fault.new";
    fault.caught_by = "";
    ledger.faults.push_back(fault);
  });
  EXPECT_EQ(bad.outcome + ": " + bad.why, "regression: new, and differs");
}

LedgerJudgement hunted(const std::string& verdict, const std::string& why) {
  LedgerJudgement row;
  row.file = "softmax";
  row.part = "fuzz";
  row.verdict = verdict;
  row.why = why;
  return row;
}

TEST(Comparison, FindingsOfAHunt) {
  const auto hunts = [](const std::vector<LedgerJudgement>& before, const std::vector<LedgerJudgement>& after) {
    Ledger a = sample_ledger(), b = a;
    a.judgements = before;
    b.judgements = after;
    return compared(a, b);
  };
  const LedgerJudgement calm = hunted("holds", "nothing found"), one = hunted("differs", "3 ulp"),
                        other = hunted("differs", "a NaN");
  EXPECT_EQ(summary(hunts({calm}, {one, other})), "2 regressions, 13 rows the same");
  EXPECT_EQ(summary(hunts({one, other}, {other})), "1 improvement, 14 rows the same");
  EXPECT_EQ(found(hunts({one, other}, {other})).why, "a finding that is gone");
  EXPECT_EQ(found(hunts({one}, {other})).why, "another finding");
  EXPECT_EQ(found(hunts({one}, {calm})).outcome, improvement);
}

Comparison of_judgements(const std::vector<LedgerJudgement>& before, const std::vector<LedgerJudgement>& after) {
  Ledger a, b;
  a.judgements = before;
  b.judgements = after;
  return compared(a, b);
}
LedgerJudgement judged(const std::string& file, const std::string& part, const std::string& verdict) {
  LedgerJudgement row;
  row.file = file, row.part = part, row.verdict = verdict;
  if (!part.empty()) row.rows = row.judged_rows = 8, row.elements = 64;
  return row;
}

TEST(Comparison, ACaseIsFoundInAnotherFolderAndWhereItIsRefused) {
  const LedgerJudgement held = judged("/tmp/a1/one.out.safetensors", "forward", "holds");
  EXPECT_EQ(summary(of_judgements({held}, {judged("/tmp/b2/one.out.safetensors", "forward", "holds")})),
            "no difference: 1 row the same");
  const auto become = [&](const std::string& verdict) {
    return found(of_judgements({held}, {judged("/tmp/b2/one.safetensors", "", verdict)}));
  };
  EXPECT_EQ(become("refused").outcome, regression);
  EXPECT_EQ(become("refused").why, "refused, was as expected");
  EXPECT_EQ(become("failed").why, "failed, was as expected");
  EXPECT_EQ(found(of_judgements({judged("/tmp/b2/one.safetensors", "", "failed")}, {held})).why,
            "as expected, was failed");
  const LedgerJudgement gradients = judged("/tmp/a1/one.out.safetensors", "gradients", "holds");
  EXPECT_EQ(of_judgements({held, gradients}, {judged("/tmp/b2/one.safetensors", "", "failed")}).regressions, 2u);
}

TEST(Comparison, FilesOfOneNameAreToldApartByTheirFolders) {
  const auto pair = [](const std::string& folder, const std::string& second) {
    return std::vector{judged(folder + "/softmax/one.out.safetensors", "forward", "holds"),
                       judged(folder + "/other/one.out.safetensors", "forward", second)};
  };
  const Comparison worse = of_judgements(pair("/tmp/a", "holds"), pair("/tmp/b", "differs"));
  EXPECT_EQ(summary(worse), "1 regression, 1 row the same");
  EXPECT_EQ(worse.kinds[0].rows[0].row, "other/one, forward");
}

TEST(Comparison, AFailureThatIsGoneIsNoRegression) {
  const LedgerJudgement held = judged("one.out.safetensors", "forward", "holds");
  for (const char* part : {"conduct", ""}) {
    const Found gone = found(of_judgements({held, judged("lib.so", part, "differs")}, {held}));
    EXPECT_EQ(gone.outcome + ": " + gone.why, "improvement: a failure that is gone");
  }
}

TEST(Comparison, ARunThatPassedAndFailsIsARegression) {
  const LedgerJudgement held = judged("one.out.safetensors", "forward", "holds");
  const Found open = found(of_judgements({held}, {held, judged("two.out.safetensors", "forward", "undecided")}));
  EXPECT_EQ(open.outcome + ": " + open.why, "regression: new, and undecided");
  Ledger before = sample_ledger();
  before.claims.clear(), before.kernels.pop_back(), before.judgements.clear();
  Ledger after = before;
  after.judgements = {judged("one.safetensors", "", "refused")};  // a row that is no fault, but nothing holds
  EXPECT_EQ(compared(before, after).regressions, 1u);
}

TEST(Comparison, ACrashIsNoImprovementOverADifference) {
  LedgerJudgement wrong = judged("one.out.safetensors", "forward", "differs");
  wrong.outside = 5;
  for (const char* verdict : {"failed", "cannot be read"})
    EXPECT_EQ(found(of_judgements({wrong}, {judged("one.safetensors", "", verdict)})).why, "failed, was differs");
  LedgerJudgement fewer = wrong;
  fewer.outside = 2, fewer.judged_rows = 6, fewer.elements = 48;
  const Found less = found(of_judgements({wrong}, {fewer}));
  EXPECT_EQ(less.outcome + ": " + less.why, "change: fewer outside, but fewer are judged");
}

TEST(Comparison, ANumberThatIsNoneAnyMoreIsARegression) {
  Ledger before = sample_ledger(), after = before;
  before.kernels[1].worst_fraction = 1.5;
  after.kernels[1].worst_fraction = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(found(compared(before, after)).outcome, regression);
}

TEST(Comparison, ALargerBudgetAndFewerElementsAreNoMerit) {
  const Found loose = edited([](Ledger& ledger) {
    ledger.kernels[1].outside = 0, ledger.kernels[1].worst_fraction = 0.5;
    ledger.kernels[1].budget_ulp *= 4;
  });
  EXPECT_EQ(loose.outcome + ": " + loose.why, "change: undecided, was differs, but the budget grew");
  const Found none = edited([](Ledger& ledger) { ledger.kernels[0].elements = 0; });
  EXPECT_EQ(none.outcome + ": " + none.why, "regression: nothing is judged any more");
  const Found half = edited([](Ledger& ledger) { ledger.kernels[0].elements /= 3; });
  EXPECT_EQ(half.outcome + ": " + half.why, "change: less than half is judged");
}

TEST(Comparison, AVerdictACheckOrACertificateThatIsLost) {
  Ledger before = sample_ledger();
  LedgerClaim& claim = before.claims[0];
  claim.expected = claim.reached = "proved", claim.agrees = true;
  claim.checker = "accepted", claim.certificate = "certificates/a.json", claim.theorem = LedgerTheorem{};
  const std::pair<const char*, std::function<void(LedgerClaim&)>> edits[] = {
      {"supported, was proved", [](LedgerClaim& lost) { lost.expected = lost.reached = "supported"; }},
      {"checked no longer", [](LedgerClaim& lost) { lost.checker = ""; }},
      {"its certificate is lost", [](LedgerClaim& lost) { lost.certificate = ""; }},
      {"its theorem is lost", [](LedgerClaim& lost) { lost.theorem.reset(); }}};
  for (const auto& [why, edit] : edits) {
    Ledger after = before;
    edit(after.claims[0]);
    const Found lost = found(compared(before, after));
    EXPECT_EQ(lost.outcome + ": " + lost.why, std::string("regression: ") + why);
  }
}

TEST(Comparison, LedgersWithoutAnyRowAreRefused) { EXPECT_FALSE(compare({"before", {}}, {"after", {}}, {})); }

}  // namespace
}  // namespace attncert
