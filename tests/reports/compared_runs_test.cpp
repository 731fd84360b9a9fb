// What changed between two ledgers: which rows are matched, what is refused, speed, pages; and the numbers of many.
#include "reports/comparison/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "reports/comparison/history.hpp"
#include "reports/comparison/rules.hpp"
#include "tests/reports/compared.hpp"
#include "tests/reports/markup.hpp"

namespace attncert {
using namespace report;
namespace {

TEST(Comparison, RowsOfOneNameAreMatchedInTheirOrder) {
  Ledger before = sample_ledger(), after = before;
  before.judgements = {before.judgements[0], before.judgements[0]};
  after.judgements = before.judgements;
  after.judgements[1].elements = 28;
  const Comparison comparison = compared(before, after);
  EXPECT_EQ(summary(comparison), "1 other change, 14 rows the same");
}

TEST(Comparison, OtherPlansBuildsAndMachinesAreRefusedUnlessAllowed) {
  struct Case {
    Edit edit;
    std::string fact, option;
    ComparisonOptions allow;
  };
  const Case cases[] = {
      {[](Ledger& ledger) { ledger.plan.seed = 2; }, "seed", "--any-plan", {.any_plan = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.plan.effort = "full"; },
       "effort",
       "--any-plan",
       {.any_plan = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.plan.text = "b"; }, "text", "--any-plan", {.any_plan = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.plan.model = "b"; }, "model", "--any-plan", {.any_plan = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.compiler = "b"; },
       "compiler",
       "--any-build",
       {.any_build = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.flags = "b"; },
       "flags",
       "--any-build",
       {.any_build = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.libraries["GMP"] = "b"; },
       "libraries.GMP",
       "--any-build",
       {.any_build = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.cpu = "b"; },
       "cpu",
       "--any-machine",
       {.any_machine = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.isa = "b"; },
       "isa",
       "--any-machine",
       {.any_machine = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.rounding = "b"; },
       "rounding",
       "--any-machine",
       {.any_machine = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.flush_to_zero = "b"; },
       "ftz",
       "--any-machine",
       {.any_machine = true, .max_slowdown = {}}},
      {[](Ledger& ledger) { ledger.environment.libraries["device:"] = "b"; },
       "libraries.device:",
       "--any-machine",
       {.any_machine = true, .max_slowdown = {}}}};
  for (const Case& one : cases) {
    Ledger other = sample_ledger();
    one.edit(other);
    const Result<Comparison> refused = compare({"before", sample_ledger()}, {"after", other}, {});
    ASSERT_FALSE(refused) << one.fact;
    EXPECT_THAT(refused.error().message, testing::StartsWith("after: "));
    EXPECT_THAT(refused.error().message, testing::HasSubstr(": " + one.fact + " is "));
    EXPECT_THAT(refused.error().message, testing::EndsWith("or give " + one.option));
    const Comparison allowed = compared(sample_ledger(), other, one.allow);
    ASSERT_EQ(allowed.allowed.size(), 1u) << one.fact;
    EXPECT_EQ(allowed.allowed[0].field, one.fact);
  }
}

// What else decided the runs: of the plan, and of the machine what journals call so; an older ledger has none of it.
TEST(Comparison, OtherFactsOfThePlanAreRefusedUnlessAllowed) {
  const auto with = [](const std::string& fact, const std::string& value) {
    Ledger ledger = sample_ledger();
    ledger.plan.facts = {{"normalizers", "softmax"}, {"device", "none"}};
    ledger.plan.facts[fact] = value;
    return ledger;
  };
  const Ledger plain = with("device", "none"), other = with("normalizers", "sparsemax"), device = with("device", "one");
  for (const auto& [ledger, option] : {std::pair{&other, "--any-plan"}, std::pair{&device, "--any-machine"}}) {
    const Result<Comparison> refused = compare({"before", plain}, {"after", *ledger}, {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::EndsWith(std::string("or give ") + option));
  }
  EXPECT_EQ(compared(sample_ledger(), other).same, 16u);
}

TEST(Comparison, TheCommitAndTheClaimsOfThePlanMayDiffer) {
  Ledger after = sample_ledger();
  after.environment.commit = "b";
  after.environment.dirty = false;
  after.environment.cores = 3;  // which changes no number, as the system does not
  after.environment.system = "b";
  after.claims[1].witness->found.commit = "b";
  after.plan.claims.emplace_back("more");
  EXPECT_EQ(compared(sample_ledger(), after).same, 16u);
}

TEST(Comparison, RunsOfOtherCommandsAreRefused) {
  Ledger kernels = sample_ledger(), faults = kernels;
  kernels.claims.clear(), kernels.faults.clear(), kernels.judgements.clear(), kernels.real.reset();
  faults.claims.clear(), faults.kernels.clear(), faults.judgements.clear(), faults.real.reset();
  const Result<Comparison> refused = compare({"before", kernels}, {"after", faults}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("has no row of a kind that before has"));
}

TEST(Comparison, OfAnotherMachineInstructionSetsMayBeMissing) {
  Ledger after = sample_ledger();
  after.kernels.erase(after.kernels.begin());
  const ComparisonOptions any{.any_machine = true, .max_slowdown = {}};
  EXPECT_EQ(found(compared(sample_ledger(), after, any)).why, "gone");  // of the same machine
  after.environment.cpu = "another";
  EXPECT_EQ(found(compared(sample_ledger(), after, any)).why, "not of this machine");
  after.kernels.push_back(sample_ledger().kernels[0]);
  after.kernels.back().kernel = "softmax.other";  // AVX3 does run there
  EXPECT_EQ(compared(sample_ledger(), after, any).regressions, 1u);
}

TEST(Comparison, SpeedIsARatioWithItsNoiseAndARegressionOnlyWhereAsked) {
  Ledger before = sample_ledger(), after = before;
  before.timing.seconds = 10, after.timing.seconds = 25;
  before.timing.per_claim = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"short", 0.001}, {"gone", 5}};
  after.timing.per_claim = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}, {"short", 0.002}, {"new", 5}};
  after.timing.throughput[0].per_second = before.timing.throughput[0].per_second / 2;
  const Comparison free = compared(before, after);
  EXPECT_EQ(free.regressions, 0u);
  ASSERT_EQ(free.speed.size(), 4u);
  EXPECT_EQ(free.speed[0].ratio, 2.5);
  const SpeedRatio& tasks = free.speed[1];
  EXPECT_EQ(tasks.measurements, 5u);
  EXPECT_EQ(tasks.ratio, 3);
  EXPECT_EQ(tasks.low, 2);
  EXPECT_EQ(tasks.high, 4);
  EXPECT_EQ(free.speed[2].ratio, 2);  // half of the instances a second
  EXPECT_EQ(free.speed[3].ratio, 1);
  EXPECT_EQ(compared(before, after, {.max_slowdown = 2.5}).regressions, 1u);  // the tasks alone
  EXPECT_EQ(compared(before, after, {.max_slowdown = 3}).regressions, 0u);
  EXPECT_EQ(compared(before, after, {.max_slowdown = 2.4}).regressions, 1u);  // not the run, which is 2.5
  after.timing.per_claim["short"] = 9;  // it was too short to measure and is not any more
  EXPECT_EQ(compared(before, after).speed[1].measurements, 6u);
}

TEST(Comparison, PagesAreWellFormedAndShowHostileNamesAsText) {
  Ledger before = sample_ledger(), after = before;
  before.claims[0].id = after.claims[0].id = "<script>alert(1)</script> | *x*";
  after.claims[0].max_bits = 64;
  after.claims[0].by_source["\x1b[31m<b>"] = {};
  const Document page = document(compared(before, after));
  const std::string text = html(page);
  EXPECT_EQ(fault_in_markup(text), "");
  EXPECT_FALSE(contains(text, "<script>alert"));
  EXPECT_TRUE(contains(text, "&lt;script&gt;"));
  for (const std::string& shown : {text, markdown(page), plain_text(page)}) EXPECT_FALSE(contains(shown, "\x1b"));
}

TEST(History, ANumberThatIsNoneStaysTheWorstAndACutCommitIsText) {
  Ledger ledger = sample_ledger();
  ledger.kernels[0].worst_fraction = std::numeric_limits<double>::quiet_NaN();
  ledger.kernels.push_back(sample_ledger().kernels[0]);
  ledger.environment.commit = "aaaaaaaaaaa\u00e9";  // the cut at 12 bytes is within the last letter
  const std::string text = markdown(history_document({{"a", ledger}}));
  EXPECT_TRUE(contains(text, "| softmax | nan |")) << text;
  EXPECT_FALSE(contains(text, "aaaaaaaaaaa\xc3")) << text;
}

TEST(History, IsInTheOrderOfTimeAndDrawsWhatItTabulates) {
  Ledger first = sample_ledger(), second = first;
  first.timing.started = "2025-01-01T00:00:00Z", second.timing.started = "2025-02-01T00:00:00Z";
  first.environment.commit = "aaaaaaaa", second.environment.commit = "bbbbbbbb";
  first.kernels[0].worst_fraction = 0.25;
  second.kernels[1].worst_fraction = std::numeric_limits<double>::quiet_NaN();
  const std::vector<NamedLedger> runs = in_order_of_time({{"b", second}, {"a", first}});
  EXPECT_EQ(runs[0].file, "a");
  const Document page = history_document(runs);
  const std::string text = markdown(page), pictures = html(page);
  EXPECT_LT(text.find("aaaaaaaa"), text.find("bbbbbbbb"));
  EXPECT_TRUE(contains(text, "| softmax | 0.25 | 0.075 |")) << text;
  EXPECT_TRUE(contains(text, "| sparsemax | inf | nan |")) << text;
  EXPECT_TRUE(contains(text, "7 of 8")) << text;  // claims as expected
  EXPECT_EQ(fault_in_markup(pictures), "");
  for (const char* title : {"seconds of a run", "largest error / budget of a normalizer", "claims by how they stand"})
    EXPECT_TRUE(contains(pictures, title)) << title;
}

TEST(History, TightnessThatChangedStandsInATableAndAllNumbersInJson) {
  Ledger first = sample_ledger(), second = first;
  second.claims[0].tightest->tightness = 0.5;
  const std::vector<NamedLedger> runs{{"a", first}, {"b", second}};
  const std::string text = markdown(history_document(runs)), data = history_json(runs);
  EXPECT_TRUE(contains(text, "| distance-upper | 1 - 9.1e-13 | 0.5 |")) << text;
  EXPECT_FALSE(contains(text, "| theorem1-upper |")) << text;
  EXPECT_TRUE(contains(markdown(history_document({{"a", first}, {"b", first}})), "The same for every claim"));
  Ledger without = first;
  without.faults.clear();
  EXPECT_TRUE(contains(markdown(history_document({{"a", without}, {"b", first}})), "| faults |"));
  EXPECT_FALSE(contains(markdown(history_document({{"a", without}, {"b", without}})), "| faults |"));
  EXPECT_TRUE(contains(data, "\"tightness\": 0.5\n"));
  EXPECT_EQ(occurrences(data, "\"exit_status\": 1"), 2u);
}

TEST(Comparison, ARowHasItsCommandAndOneThatIsNewOrGoneSaysWhy) {
  Ledger before = sample_ledger(), after = before;
  after.judgements.pop_back();  // "no sinks"
  const Comparison gone = compared(before, after), fresh = compared(after, before);
  const auto row_of = [](const Comparison& comparison) {
    for (const KindChanges& kind : comparison.kinds)
      for (const RowChange& row : kind.rows) return row;
    return RowChange{};
  };
  ASSERT_EQ(row_of(gone).changes.size(), 1u);
  EXPECT_EQ(row_of(gone).changes[0].before, "no sinks");
  EXPECT_EQ(row_of(fresh).changes[0].after, "no sinks");
  after = before;
  after.kernels[0].worst_ulp = 0.5;
  EXPECT_EQ(row_of(compared(before, after)).repeat, "attncert accuracy softmax.f32 --seed 1");
}

}  // namespace
}  // namespace attncert
