// Families that begin at a later power of two, and families that support: exact values computed by hand
// (docs/specification.md#fixed-n), and what one wrong member, form or bound does to the verdict.
#include <gtest/gtest.h>

#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/verdict.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

// The member of n tokens and its closed form.
void expect_member(const char* id, std::size_t n, const Rational& value) {
  const Family& family = statement(id).families()->families[0];
  const std::optional<ExactInstance> member = member_of(family.forms, n);
  ASSERT_TRUE(member) << id;
  EXPECT_EQ(family.value(*member), value) << id;
}

TEST(FamilyClaims, EqualWeightsAtTenTokens) {  // s = 5/10 and five tokens at 4/10: d-tilde = 2 = 4 (10 - 5)/10
  expect_member("distance-linear-in-length", 10, 5);
}

TEST(FamilyClaims, ASinkAtEightTokens) {  // weights 1/2 and 1/14: s = 11/14, three tokens at 5/7: d-tilde = 15/7
  expect_member("distance-linear-with-sink", 8, ratio(15, 56));
}

TEST(FamilyClaims, AMemberNeedsWholeCounts) {
  FormFamily odd = statement("theorem1-collapse").families()->families[0].forms;
  EXPECT_TRUE(member_of(odd, 3));
  odd.tokens[0].count = {ratio(1, 2), 1};
  EXPECT_FALSE(member_of(odd, 3));
  odd.tokens[0].count = {-4, 1};
  EXPECT_FALSE(member_of(odd, 3));
  EXPECT_FALSE(member_of(statement("theorem1-collapse").families()->families[0].forms, largest_witness_length));
}

TEST(FamilyClaims, AreGoodAtEveryMember) {
  for (const Claim& claim : claims()) {
    if (claim.statement.families() == nullptr) continue;
    const FamilyResult result = check_families(claim.statement);
    EXPECT_EQ(result.why_not, "") << claim.statement.id;
    EXPECT_EQ(result.refutes, claim.expected == Expected::refuted) << claim.statement.id;
    EXPECT_GE(result.tally.counts.admissible, 17u) << claim.statement.id;
    EXPECT_EQ(result.tally.counts.undecided, 0u) << claim.statement.id;
    EXPECT_EQ(check_family_witness(claim.statement, result.evidence), "") << claim.statement.id;
  }
}

TEST(FamilyClaims, AnEditedWitnessRefutesNothing) {
  const Statement& claim = statement("distance-linear-in-length");
  const Witness good = check_families(claim).evidence;
  Witness missing = good;
  missing.families.clear();
  EXPECT_NE(check_family_witness(claim, missing), "");
  Witness renamed = good;
  renamed.families[0].name = "sink";
  EXPECT_EQ(check_family_witness(claim, renamed), "the families are not in order");
  Witness wrong = good;  // twice the closed form
  for (Rational& coefficient : wrong.families[0].value.above) coefficient *= 2;
  EXPECT_NE(check_family_witness(claim, wrong).find("the closed form"), std::string::npos);
  Witness pole = good;
  pole.families[0].value.below = {-10, 1};
  EXPECT_NE(check_family_witness(claim, pole).find("no such member"), std::string::npos);
}

Verdict reached(const Statement& statement) {
  return verdict(statement, check_families(statement).tally.counts, std::nullopt, true);
}

TEST(FamilyClaims, AFamilySupportsWithinItsBoundsOnly) {
  Statement claim = statement("distance-linear-with-sink");
  EXPECT_EQ(reached(claim), Verdict::proved);
  Family& family = std::get<Families>(claim.kind).families[0];
  family.least = ratio(15, 56) + ratio(1, 1000000);  // above the value at L = 8
  EXPECT_EQ(reached(claim), Verdict::undecided);
  family.least = ratio(15, 56);
  family.most = ratio(499, 1000);  // passed at L = 2^10
  EXPECT_EQ(reached(claim), Verdict::undecided);
}

TEST(FamilyClaims, AMemberOffTheClosedFormSupportsNothing) {
  Statement claim = statement("distance-linear-with-sink");
  std::get<Families>(claim.kind).families[0].forms.value.above[0] += 1;  // within the bounds still: 31/112 at L = 8
  const FamilyResult result = check_families(claim);
  EXPECT_NE(result.why_not.find("at n = 8"), std::string::npos) << result.why_not;
  EXPECT_EQ(result.tally.counts.held, 0u);
  EXPECT_EQ(reached(claim), Verdict::undecided);
}

}  // namespace
}  // namespace attncert
