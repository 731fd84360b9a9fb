// Families that begin at a later power of two, and families that support: exact values computed by hand
// (docs/specification.md#fixed-n), and what one wrong member, form or bound does to the verdict.
#include <gtest/gtest.h>

#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/verdict.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

TEST(FamilyClaims, EqualWeightsAtEightTokens) {  // s = 5/8 and three tokens at 1/2: d-tilde = 3/2 = 4 (8 - 5)/8
  const Family& family = statement("distance-linear-in-length").families()->families[0];
  EXPECT_EQ(family.value(family.member(8)), ratio(16, 3));
  EXPECT_EQ(family.closed_form.at(8), ratio(16, 3));
}

TEST(FamilyClaims, ASinkAtEightTokens) {  // weights 1/2 and 1/14: s = 11/14, three tokens at 5/7: d-tilde = 15/7
  const Family& family = statement("distance-linear-with-sink").families()->families[0];
  EXPECT_EQ(family.value(family.member(8)), ratio(15, 56));
  EXPECT_EQ(family.closed_form.at(8), ratio(15, 56));
}

TEST(FamilyClaims, LateStartsHaveOneMemberForEachPowerOfTwo) {
  for (const char* id : {"distance-linear-in-length", "distance-linear-with-sink"}) {
    const FamilyResult result = check_families(statement(id));
    EXPECT_EQ(result.why_not, "") << id;
    EXPECT_EQ(result.tally.counts.admissible, 18u) << id;
  }
  const FamilyResult refuted = check_families(statement("distance-linear-in-length"));
  ASSERT_TRUE(refuted.counterexample);
  EXPECT_EQ(refuted.counterexample->witness.families[0].members.front().length, 8u);
  EXPECT_EQ(check_family_witness(statement("distance-linear-in-length"), refuted.counterexample->witness), "");
  const FamilyResult supported = check_families(statement("distance-linear-with-sink"));
  EXPECT_FALSE(supported.counterexample);
  EXPECT_EQ(supported.tally.counts.held, 18u);
}

TEST(FamilyClaims, AnEditedWitnessRefutesNothing) {
  const Statement& claim = statement("distance-linear-in-length");
  const Witness good = check_families(claim).counterexample->witness;
  Witness short_one = good;
  short_one.families[0].members.erase(short_one.families[0].members.begin());
  EXPECT_NE(check_family_witness(claim, short_one), "");
  Witness zero = good;  // the distance is 0, and its reciprocal no number
  zero.families[0].members[4].tokens = {{{Rational(0)}, 128}};
  EXPECT_NE(check_family_witness(claim, zero), "");
  Witness pole = good;
  pole.families[0].denominator = {Rational(-64), Rational(1)};
  EXPECT_NE(check_family_witness(claim, pole).find("divides by 0"), std::string::npos);
}

Verdict reached(const Statement& statement) {
  return verdict(statement, check_families(statement).tally.counts, std::nullopt);
}

TEST(FamilyClaims, AFamilySupportsWithinItsBoundsOnly) {
  Statement claim = statement("distance-linear-with-sink");
  EXPECT_EQ(reached(claim), Verdict::supported);
  std::get<Families>(claim.kind).families[0].within = {ratio(15, 56) + ratio(1, 1000000),
                                                       ratio(1, 2)};  // above the value at L = 8
  EXPECT_EQ(reached(claim), Verdict::undecided);
  // 1/2 - 10^-7: above the value at L = 2^20, where 1/2 - d-tilde/L is about 1/L, and passed at 2^24
  std::get<Families>(claim.kind).families[0].within = {ratio(15, 56), ratio(1, 2) - ratio(1, 10000000)};
  EXPECT_EQ(reached(claim), Verdict::undecided);
}

TEST(FamilyClaims, AMemberOffTheClosedFormSupportsNothing) {
  Statement claim = statement("distance-linear-with-sink");
  std::get<Families>(claim.kind).families[0].closed_form.numerator[0] += 1;  // within the bounds still: 31/112 at L = 8
  const FamilyResult result = check_families(claim);
  EXPECT_NE(result.why_not.find("at L = 2^3"), std::string::npos) << result.why_not;
  EXPECT_EQ(result.tally.counts.held, 0u);
  EXPECT_EQ(reached(claim), Verdict::undecided);
}

}  // namespace
}  // namespace attncert
