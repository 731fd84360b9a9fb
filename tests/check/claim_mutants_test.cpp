// A claim file with one mistake is never proved: the checker is asked for the sentence that it proves, not for a name.
#include <gtest/gtest.h>

#include "properties/claims/certify/certify.hpp"
#include "tests/check/claim_mutants.hpp"
#include "tests/check/genuine.hpp"
#include "tests/check/remembered.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

// A search that finds little: what it misses is left to the checker.
constexpr SearchPlan small{.seed = 1, .random_cases = 12, .climb_cases = 0, .shrink_cases = 0, .maximise_cases = 0};

ClaimResult certified(const Statement& statement) {
  CertifyPlan plan;
  plan.statements = {&statement};
  plan.search = small;
  const Checker in_process = [](const Evidence& evidence, const std::string&) -> Result<Checked> {
    const check::Verdict verdict = judged(evidence);
    return Checked{verdict.status == 0, verdict.line};
  };
  Result<Certified> run = certify(plan, in_process);
  EXPECT_TRUE(run);
  return std::move(run->claims.at(0));
}

// Mutants that say the same, and why nobody can tell.
const std::map<std::string, std::string> equivalent_claims{
    {"expected-squared-distance: the left side is 1 from L = 25 on in part 1", "its hypotheses end at L = 8"},
    {"expected-squared-distance: the right side is 1 from L = 25 on in part 1", "its hypotheses end at L = 8"},
    {"expected-squared-distance: the left side is doubled from L = 4096 on in part 1", "its hypotheses end at L = 8"},
    {"expected-squared-distance: the right side is doubled from L = 4096 on in part 1", "its hypotheses end at L = 8"},
    {"expected-squared-distance: both sides are the left one in part 1", "they are equal: that is what is proved"},
    {"expected-squared-distance: both sides are the right one in part 1", "they are equal"},
    {"expected-squared-distance: the sides are exchanged in part 1", "they are equal"},
    {"perturbation-input-distance: both sides are the left one in part 1", "they are equal: that is what is proved"},
    {"perturbation-input-distance: both sides are the right one in part 1", "they are equal"},
    {"perturbation-input-distance: the sides are exchanged in part 1", "they are equal"},
};

class ClaimMutants : public testing::TestWithParam<std::string> {
 protected:
  const Statement& genuine() const { return genuine_; }

  static void expect_not_proved(const std::vector<ClaimMutant>& mutants, std::size_t fewest) {
    EXPECT_GE(mutants.size(), fewest);
    for (std::size_t k = 0; k < mutants.size(); ++k) {
      if (!is_taken(k)) continue;
      const ClaimMutant& mutant = mutants[k];
      const ClaimResult result = certified(mutant.statement);
      EXPECT_NE(result.verdict, Verdict::proved) << mutant.what;
      ASSERT_TRUE(result.evidence.proof) << mutant.what;
      EXPECT_EQ(result.evidence.proof->accepted, equivalent_claims.contains(mutant.what))
          << mutant.what << ": " << result.evidence.proof->answer;
    }
  }

 private:
  const Statement genuine_ = remembered(find_claim(GetParam())->statement);
};

TEST_P(ClaimMutants, TheClaimItselfIsProved) {
  const ClaimResult result = certified(genuine());
  EXPECT_EQ(result.verdict, Verdict::proved) << (result.evidence.proof ? result.evidence.proof->answer : "no proof");
}

TEST_P(ClaimMutants, NotWithOtherSides) { expect_not_proved(mutants_of_sides(genuine()), 44); }
TEST_P(ClaimMutants, NotWithOtherHypotheses) { expect_not_proved(mutants_of_hypotheses(genuine()), 8); }
TEST_P(ClaimMutants, NotInOtherWords) { expect_not_proved(mutants_of_words(genuine()), 10); }

INSTANTIATE_TEST_SUITE_P(OfEachClaim, ClaimMutants, testing::ValuesIn(certified_ids()), [](const auto& id) {
  std::string name = id.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ClaimMutantsTest, AreOfEveryClaimThatIsToBeProvedByACertificate) { EXPECT_EQ(certified_ids().size(), 11u); }

}  // namespace
}  // namespace attncert
