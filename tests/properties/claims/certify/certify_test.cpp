// From plan to verdict: certifying finds what is false from any seed, keeps what is true, and says the same for any
// number of threads.
#include <gtest/gtest.h>

#include <ctime>
#include <type_traits>

#include "properties/claims/certify/certify.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/certify/statistics.hpp"
#include "properties/claims/certify/verdict.hpp"
#include "reports/records.hpp"
#include "tests/properties/claims/certify/shaved.hpp"

namespace attncert {
namespace {

const std::atomic<bool> never{false};
const Statement& statement(const char* id) { return find_claim(id)->statement; }

// What computes a verdict takes the Statement: a Claim, which knows what is expected, is no argument of it.
static_assert(std::is_invocable_v<decltype(&judge), const Statement&, const Instance&, Precision>);
static_assert(!std::is_invocable_v<decltype(&judge), const Claim&, const Instance&, Precision>);
static_assert(!std::is_invocable_v<decltype(&search), const Claim&, const SearchPlan&, const std::atomic<bool>&>);
static_assert(
    !std::is_invocable_v<decltype(&verdict), const Claim&, const Counts&, std::optional<bool>, std::optional<bool>>);
static_assert(!std::is_invocable_v<decltype(&check_families), const Claim&>);
static_assert(std::is_same_v<decltype(CertifyPlan::statements), std::vector<const Statement*>>);

// Sanitizers slow everything down several times: times are measured without them.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

class ColdStart : public testing::TestWithParam<const char*> {};

// Required: from any of 10 seeds, without a stored witness, in under 5 s, to a witness of L <= 3. Seconds of this
// program's processors: what else the machine does is not the search's.
TEST_P(ColdStart, RefutesFromAnyOfTenSeeds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::clock_t start = std::clock();
    SearchPlan plan;
    plan.seed = seed;
    const SearchResult result = search(statement(GetParam()), plan, never);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ASSERT_EQ(result.counterexamples.size(), 1u) << "seed " << seed;
    const std::size_t length = result.counterexamples[0].witness.instance->length;
    EXPECT_LE(length, GetParam() == std::string_view("theorem2-lower-literal") ? 4u : 3u) << "seed " << seed;
    EXPECT_LT(seconds, sanitized ? 60.0 : 5.0) << "seed " << seed;
  }
}
INSTANTIATE_TEST_SUITE_P(Printed, ColdStart,
                         testing::Values("theorem1-upper", "softmax-quarter-over-temperature", "theorem2-upper",
                                         "theorem2-eighty-percent", "lemma2-sqrt2-cap",
                                         "theorem1-upper-norm-of-weighted-sum", "theorem1-expectation-main-term",
                                         "theorem2-lower-literal", "separability-floor", "softmax-quarter-frobenius"));

SearchPlan small_plan(std::uint64_t seed) { return {seed, 600, 400, 1500, 750}; }

// The ctests certify/<id> hold each claim's verdict; here, that a search is not spent on what says nothing.
TEST(Search, MostOfWhatIsDrawnIsAdmissible) {
  for (const Claim& claim : claims()) {
    if (claim.statement.measured()) continue;  // TheMeasuredRows
    Counts counts;
    if (std::holds_alternative<RandomLaws>(claim.statement.kind)) {
      counts = check_laws(claim.statement, {3, 500}, never).counts;
    } else if (claim.statement.sided() != nullptr) {
      Tally drawn;
      for (std::uint64_t number = 0; number < 200; ++number) {
        const Instance instance = instance_of(claim.statement, random_case(claim.statement, 3, number));
        record(drawn, claim.statement, judge(claim.statement, instance), "");
      }
      counts = drawn.counts;
    } else {
      const FamilyResult result = check_families(claim.statement);
      counts = result.tally.counts;
      EXPECT_EQ(result.why_not, "") << claim.statement.id;
    }
    if (claim.expected == Expected::vacuous) {
      EXPECT_EQ(counts.admissible, 0u) << claim.statement.id;
    } else {
      EXPECT_GT(counts.admissible, counts.tried / 2) << claim.statement.id;
    }
  }
}

// The empirical rows of the paper: no task, and a verdict that agrees with nothing else.
TEST(Search, TheMeasuredRowsAreNotDecided) {
  CertifyPlan plan;
  for (const Claim& claim : claims()) {
    if (!claim.statement.measured()) continue;
    EXPECT_EQ(claim.expected, Expected::measured);
    EXPECT_EQ(claim.statement.domain, "captured rows");
    EXPECT_EQ(verdict(claim.statement, {}, std::nullopt, std::nullopt), Verdict::measured);
    plan.statements.push_back(&claim.statement);
  }
  EXPECT_EQ(plan.statements.size(), 4u);
  EXPECT_TRUE(run_tasks(plan, never).empty());
  EXPECT_FALSE(agrees(Expected::supported, Verdict::measured));
  EXPECT_FALSE(agrees(Expected::measured, Verdict::supported));
}

TEST(Judge, ASlackThatContradictsTheSidesAborts) {
  Statement wrong = statement("softmax-half-over-temperature");
  wrong.sided()->parts[0].slack = [](const Instance&, Precision precision) { return Interval(1.0, precision); };
  wrong.sided()->parts[0].attained = nullptr;
  Instance instance;
  instance.length = 2;
  instance.logits = {0, 0};
  instance.temperature = ratio(1, 3);  // 3/2 <= 3/2: the sides alone do not decide
  EXPECT_DEATH(judge(wrong, instance), "overlaps");
}

TEST(Judge, WhatNothingDecidesIsUndecided) {
  Statement blind = statement("softmax-half-over-temperature");
  blind.sided()->parts[0].slack = nullptr;
  blind.sided()->parts[0].attained = nullptr;
  Instance instance;
  instance.length = 2;
  instance.logits = {0, 0};
  instance.temperature = ratio(1, 3);
  const Ruling ruling = judge(blind, instance, Precision{256});
  EXPECT_EQ(ruling.decision, Decision::undecided);  // one part is, and the other one holds
  EXPECT_EQ(ruling.parts[0].decision, Decision::undecided);
  EXPECT_EQ(ruling.parts[0].bits, 256);
  EXPECT_EQ(ruling.parts[1].decision, Decision::equality);
}

TEST(Verdict, FollowsTheEvidence) {
  const Statement& s = statement("distance-upper");
  Counts counts;
  EXPECT_EQ(verdict(s, counts, {}), Verdict::vacuous);
  counts.admissible = counts.held = 5;
  EXPECT_EQ(verdict(s, counts, {}), Verdict::supported);
  counts.undecided = 1;
  EXPECT_EQ(verdict(s, counts, {}), Verdict::undecided);
  EXPECT_EQ(verdict(s, counts, true), Verdict::refuted);
  EXPECT_EQ(verdict(s, counts, false), Verdict::undecided);  // a violation without an accepted witness
  counts.undecided = 0;
  EXPECT_EQ(verdict(s, counts, {}, true), Verdict::proved);
  EXPECT_EQ(verdict(s, counts, {}, false), Verdict::undecided);   // what it says is not what is proved
  EXPECT_EQ(verdict(s, counts, true, true), Verdict::undecided);  // both cannot be
  EXPECT_TRUE(agrees(Expected::proved, Verdict::proved));
  EXPECT_FALSE(agrees(Expected::proved, Verdict::supported));
  EXPECT_FALSE(agrees(Expected::supported, Verdict::proved));
  EXPECT_FALSE(agrees(Expected::refuted, Verdict::supported));
  EXPECT_FALSE(agrees(Expected::supported, Verdict::refuted));
  EXPECT_FALSE(agrees(Expected::supported, Verdict::vacuous));
}

TEST(Families, AMemberOffTheClosedFormRefutesNothing) {
  Statement wrong = statement("theorem1-collapse");
  std::get<Families>(wrong.kind).families[0].forms.value.above[0] += 1;  // it grows and exceeds as well
  const FamilyResult result = check_families(wrong);
  EXPECT_NE(result.why_not.find("equal-tokens at n = 1"), std::string::npos) << result.why_not;
  EXPECT_EQ(result.tally.counts.violated, 0u);
}

TEST(Shrink, NeverGrowsAndStillRefutes) {
  const Statement& s = statement("theorem1-upper");
  for (std::uint64_t number = 0, seen = 0; seen < 5; ++number) {
    const Tape tape = random_case(s, 77, number);
    const Instance before = instance_of(s, tape);
    if (judge(s, before).decision != Decision::violated) continue;
    ++seen;
    const Shrunk shrunk = shrink(s, 0, tape, 3000);
    EXPECT_LE(size_of(shrunk.instance), size_of(before));
    EXPECT_LE(shrunk.instance.length, 2u);
    EXPECT_EQ(judge(s, instance_of(s, shrunk.tape)).decision, Decision::violated);
  }
}

std::string texts(const std::vector<TaskRecord>& records) {
  std::string all;
  for (const TaskRecord& record : records) all += record_text(record) + "\n";
  return all;
}

CertifyPlan three_claims(std::size_t jobs) {
  CertifyPlan plan;
  for (const char* id : {"theorem1-upper", "softmax-half-over-temperature", "theorem1-collapse"})
    plan.statements.push_back(&statement(id));
  plan.search = small_plan(9);
  plan.jobs = jobs;
  return plan;
}

TEST(Certify, RecordsDoNotDependOnThreads) {
  const std::vector<TaskRecord> one = run_tasks(three_claims(1), never);
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(texts(run_tasks(three_claims(3), never)), texts(one));
}

TEST(Certify, StopsWhenAsked) {
  const std::atomic<bool> at_once{true};
  EXPECT_TRUE(run_tasks(three_claims(2), at_once).empty());
}

// A verdict without the program: a library user brings any checker.
struct AskedChecker {
  bool accepts = true;
  std::vector<std::string> asked = {};
  Checker checker() {
    return [this](const Evidence& evidence, const std::string&) -> Result<Checked> {
      asked.push_back(std::visit([](const auto& what) { return what.claim; }, evidence));
      EXPECT_EQ(why_untrue(evidence), "");
      return Checked{accepts, accepts ? "accepted" : "rejected: as told"};
    };
  }
};

std::vector<Verdict> verdicts(const Result<Certified>& certified) {
  std::vector<Verdict> all;
  for (const ClaimResult& result : certified->claims) all.push_back(result.verdict);
  return all;
}

TEST(Certify, GivesAVerdictWithoutTheProgram) {
  CertifyPlan plan = three_claims(2);
  plan.commit = "abc";
  for (const char* id : {"distance-upper", "weights-diameter", "ks-six-percent", "theorem1-expectation"})
    plan.statements.push_back(&statement(id));
  AskedChecker honest;
  const Result<Certified> certified = certify(plan, honest.checker());
  ASSERT_TRUE(certified) << certified.error().message;
  EXPECT_EQ(verdicts(certified),
            (std::vector<Verdict>{Verdict::refuted, Verdict::proved, Verdict::refuted, Verdict::supported,
                                  Verdict::proved, Verdict::measured, Verdict::vacuous}));
  EXPECT_EQ(honest.asked, (std::vector<std::string>{"theorem1-upper", "softmax-half-over-temperature",
                                                    "theorem1-collapse", "weights-diameter"}));
  const ClaimResult& refuted = certified->claims[0];
  EXPECT_EQ(refuted.statement, plan.statements[0]);
  EXPECT_GT(refuted.tallies.total.counts.violated, 0u);
  EXPECT_EQ(refuted.tallies.by_source.size(), 3u);  // known, random, search: what is refuted needs no longer rows
  EXPECT_EQ(certified->claims[3].tallies.by_source.size(), 4u);  // and long ones
  ASSERT_TRUE(refuted.evidence.counterexamples.size() == 1 && refuted.evidence.answers.size() == 1);
  EXPECT_EQ(refuted.evidence.counterexamples[0].witness.found.commit, "abc");
  EXPECT_EQ(certified->records.size(), 6u);  // a measured claim has no task
}

TEST(Certify, BelievesNothingThatTheCheckerRejects) {
  AskedChecker strict{false};
  const Result<Certified> certified = certify(three_claims(1), strict.checker());
  ASSERT_TRUE(certified);
  EXPECT_EQ(verdicts(certified), (std::vector<Verdict>{Verdict::undecided, Verdict::undecided, Verdict::undecided}));
}

TEST(Certify, ACheckerThatCannotAnswerEndsTheRun) {
  const Checker broken = [](const Evidence&, const std::string&) -> Result<Checked> { return Error{"no checker"}; };
  const Result<Certified> certified = certify(three_claims(1), broken);
  ASSERT_FALSE(certified);
  EXPECT_EQ(certified.error().message, "no checker");
}

TEST(Certify, AStoppedRunHasNoVerdicts) {
  const std::atomic<bool> at_once{true};
  AskedChecker checker;
  const Result<Certified> certified = certify(three_claims(2), checker.checker(), &at_once);
  ASSERT_TRUE(certified);
  EXPECT_TRUE(certified->claims.empty() && certified->records.empty() && checker.asked.empty());
}

// Ctrl-C reaches the checker as well: its Error is none of a run that was stopped.
TEST(Certify, StoppedWhileTheCheckerRunsIsNoError) {
  std::atomic<bool> stop{false};
  const Checker interrupted = [&](const Evidence&, const std::string&) -> Result<Checked> {
    stop = true;
    return Error{"ended by signal 2"};
  };
  const Result<Certified> certified = certify(three_claims(1), interrupted, &stop);
  ASSERT_TRUE(certified) << certified.error().message;
  EXPECT_TRUE(certified->claims.empty());
  EXPECT_FALSE(certified->records.empty());
}

TEST(Certify, StoredWitnessesAreReplayed) {
  const std::vector<TaskRecord> first = run_tasks(three_claims(1), never);
  CertifyPlan plan = three_claims(1);
  plan.search = {9, 0, 0, 0, 0};
  plan.stored = {first[0].counterexamples.at("theorem1-upper")[0].witness};
  const std::vector<TaskRecord> again = run_tasks(plan, never);
  EXPECT_EQ(again[0].tallies.at("theorem1-upper").at("witness").counts.violated, 1u);
  EXPECT_TRUE(again[0].counterexamples.contains("theorem1-upper"));
}

TEST(Records, ReadBackToTheSame) {
  for (const TaskRecord& record : run_tasks(three_claims(1), never)) {
    const Result<TaskRecord> back = read_record<TaskRecord>(record_text(record), "record");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(record_text(*back), record_text(record));
  }
  EXPECT_FALSE(read_record<TaskRecord>("{\"ties\":1", "record"));
  EXPECT_FALSE(read_record<TaskRecord>("{}", "record"));
}

}  // namespace
}  // namespace attncert
