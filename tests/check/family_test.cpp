// Families that are given by polynomials in n: accepted as they stand and in other forms that were derived by hand;
// rejected when one coefficient, the closed form, or one hypothesis is not what it was.
#include <gtest/gtest.h>

#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/families.hpp"
#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"

namespace attncert::examples {
namespace {

const Form zero{{0}}, one{{1}}, minus_one{{-1}}, half{{ratio(1, 2)}};
const Rational tiny = ratio(1, 1'000'000'000);

void expect_along(const Witness& families, const std::string& edit = "") {
  expect_verdict(families, 0, "for every n; along " + families.families[0].name, edit);
  EXPECT_EQ(why_untrue(families), "") << edit;  // members are what the suite finds too
}
void expect_other_form(Witness families, const std::string& edit = "") {
  expect_along(families, edit);
  FormFamily& family = families.families[0];
  for (Rational& coefficient : family.value.above) {
    coefficient += tiny;
    expect_verdict(families, 1, "the value is not the closed form for all n", edit);
    coefficient -= tiny;
  }
  family.value.above.push_back(tiny);
  expect_verdict(families, 1, "the value is not the closed form for all n", edit);
}

TEST(Families, AreAcceptedAsTheyStand) {
  for (const Witness& witness : {collapse(), linear(), any_normalizer(), tradeoff(), sink()})
    expect_other_form(witness);
  EXPECT_NE(judged(linear()).line.find("accepted: distance-linear-in-length is refuted for every n"),
            std::string::npos);
  EXPECT_NE(judged(sink()).line.find("accepted: distance-linear-with-sink is proved for every n"), std::string::npos);
  EXPECT_NE(judged(any_normalizer()).line.find("; along zero-of-f: "), std::string::npos);
}

TEST(Families, OfTheCatalogueAreAccepted) {
  std::size_t claims_along = 0;
  for (const Claim& claim : claims()) {
    if (claim.statement.families() == nullptr) continue;
    ++claims_along;
    const check::Verdict verdict = judged(check_families(claim.statement).evidence);
    EXPECT_EQ(verdict.status, 0) << verdict.line;
  }
  EXPECT_GE(claims_along, 5u);
}

// The first half weighs 3/2 per L, the rest 1/2 per L, x = 1 then -1, L = 2 n. s = 3/4, and each of the n others is at
// 1/(4 n) + 3/4: d-tilde = 1/4 + 3 n/4.
TEST(Families, CollapseOfTwoKindsOfTokens) {
  Witness witness = collapse();
  witness.families[0].tokens = {{{0, 1}, true, {{"a", {{3}, {0, 4}}}, {"x", one}}},
                                {{0, 1}, false, {{"a", {{1}, {0, 4}}}, {"x", minus_one}}}};
  witness.families[0].value = {{ratio(1, 4), ratio(3, 4)}};
  expect_other_form(witness);
}

// Equal weights: any half is a top half. With x = 1 in it and 0 outside s = 1/2 and d-tilde = n/2; with x = 0 in it and
// 1 outside s = 0 and d-tilde = 1/2, which is bounded.
TEST(Families, AtATieAnySetOfThatSizeWillDo) {
  Witness witness = collapse();
  auto& tokens = witness.families[0].tokens;
  tokens[1].rows[1].second = zero;
  witness.families[0].value = {{0, ratio(1, 2)}};
  expect_other_form(witness);
  std::swap(tokens[0].selected, tokens[1].selected);
  witness.families[0].value = half;
  expect_verdict(witness, 1, "the closed form is bounded in L");
}

// A third is selected, L = 3 n: (L - N)(N - 1)/L = 2 (n - 1)/3. And n of 2 n + n^2 is no third.
TEST(Families, CollapseOfUnequalHalves) {
  Witness witness = collapse();
  FormFamily& family = witness.families[0];
  for (auto& run : family.tokens) run.rows[0].second = {{1}, {0, 3}};
  family.tokens[1].count = {0, 2};
  family.numbers[0].second = {{ratio(1, 3)}};
  family.value = {{ratio(-2, 3), ratio(2, 3)}};
  expect_other_form(witness);
  family.tokens[1].count = {0, 1, 1};
  for (auto& run : family.tokens) run.rows[0].second = {{1}, {0, 2, 1}};
  expect_verdict(witness, 1, "the hypothesis N = c L does not hold");
}

// The five selected weigh 6/5 of the others: s = 6/(L + 1), the others are at 5/(L + 1), d-tilde = 5 (L - 5)/(L + 1).
TEST(Families, LinearWithUnequalWeightsOfBoundedRatio) {
  Witness witness = linear();
  FormFamily& family = witness.families[0];
  family.tokens[0].rows[0].second = {{ratio(6, 5)}, {1, 1}};
  family.tokens[1].rows[0].second = {{1}, {1, 1}};
  family.numbers[0].second = {{ratio(6, 5)}};
  family.value = {{0, 1, 1}, {-25, 5}};
  expect_other_form(witness);
  family.numbers[0].second = {{ratio(6, 5) - tiny}};
  expect_verdict(witness, 1, "the hypothesis max(i: a_i) <= B min(i: a_i) does not hold");
}

// Opposite tokens lie on the sphere too: s = 5/L, the others at 6/L.
TEST(Families, LinearWithOppositeTokens) {
  Witness witness = linear();
  witness.families[0].tokens[1].rows[1].second = minus_one;
  witness.families[0].value = {{0, 0, 1}, {-30, 6}};
  expect_other_form(witness);
}

// sparsemax(1/2, 0, 0, ...): tau = (1/2 - 1)/L = -1/(2L), so a_1 = 1/2 + 1/(2L) and L a_1 = (L + 1)/2
// (docs/specification.md#fixtures at L = 3: 2/3).
TEST(Families, SparsemaxWithFullSupport) {
  Witness witness = any_normalizer();
  FormFamily& family = witness.families[2];
  family.tokens[0].rows = {{"l", half}, {"a", {{1, 1}, {0, 2}}}};
  family.tokens[1].rows = {{"l", zero}, {"a", {{1}, {0, 2}}}};
  family.numbers[0].second = {{-1}, {0, 2}};
  family.value = {{ratio(1, 2), ratio(1, 2)}};
  expect_along(witness);
  family.numbers[0].second.above[0] += tiny;
  expect_verdict(witness, 1, "the hypothesis a_i = max(l_i - tau, 0) does not hold");
}

// The first value of F such that a_1 is this quotient of polynomials in L: F_1 / (F_1 + L - 1) = a_1.
Witness with_first_weight(const Form& f, const Form& length_times_a) {
  Witness witness = any_normalizer();
  witness.families[0].tokens[0].rows[0].second = f;
  witness.families[0].value = length_times_a;
  return witness;
}

// (L - 1)/2 gives L a_1 = L/3; (L - 1)(L + 30)/(31 L - 30) gives 1 + (L - 2)/32, which has to wait but exceeds every C.
// (L - 1) 2^29/(2^29 + L) gives (L/2)/(1 + L/2^30), which stays below 2^29; with L^2 it falls in the end.
TEST(Families, WhatGrowsInTheEndRefutesAndWhatStopsDoesNot) {
  expect_other_form(with_first_weight({{ratio(-1, 2), ratio(1, 2)}}, {{0, ratio(1, 3)}}));
  expect_other_form(with_first_weight({{-30, 29, 1}, {-30, 31}}, {{ratio(15, 16), ratio(1, 32)}}));
  const Rational end(1UL << 29);
  expect_verdict(with_first_weight({{-end, end}, {end, 1}}, {{0, ratio(1, 2)}, {1, ratio(1, 1UL << 30)}}), 1,
                 "bounded in L");
  expect_verdict(with_first_weight({{-end, end}, {end, 0, 1}}, {{0, ratio(1, 2)}, {1, 0, ratio(1, 1UL << 30)}}), 1,
                 "bounded in L");
  expect_verdict(with_first_weight(one, one), 1, "bounded in L");
  expect_verdict(with_first_weight({{-1, 1}, {1, 1}}, {{0, 1}, {2, 1}}), 1, "bounded in L");
}

// What is proved leaves one family: every L from 8 on, with equal tokens. Opposite tokens outside are each at
// 1/2 + 5/(2 (L - 1)), where d-tilde/L = (L - 5)(L + 4)/(2 L (L - 1)) has the same bounds: another statement.
TEST(Families, WhatIsProvedOfASinkIsProvedOfEveryLength) {
  Witness witness = sink();
  witness.families[0].tokens[2].rows[1].second = minus_one;
  witness.families[0].value = {{-20, -1, 1}, {0, -2, 2}};
  expect_verdict(witness, 1, "the hypothesis x_i = 1 does not hold");
  for (const std::size_t first : {7, 9, 1'000}) {
    Witness elsewhere = sink();
    elsewhere.families[0].first = first;
    expect_verdict(elsewhere, 1, "it does not go through every L from 8 on");
  }
  Witness even = sink();  // L = 2 n
  even.families[0].tokens[2].count = {-5, 2};
  expect_verdict(even, 1, "it does not go through every L from 8 on");
}

// A family from first on has no member before: at n = 5 the last run of linear() is empty, at n = 4 there is none. That
// L^2/(4 (L - 5)) falls at first, from L = 6 to 10, does not matter.
TEST(Families, BeginWhereTheyExist) {
  Witness witness = linear();
  for (const std::size_t first : {6, 8, 100, 1 << 20}) {
    witness.families[0].first = first;
    expect_verdict(witness, 0, "is refuted for every n", std::to_string(first));
  }
  for (const std::size_t first : {5, 4}) {
    witness.families[0].first = first;
    expect_verdict(witness, 1, "a run has no token for some n");
  }
}

TEST(Families, SixteenRunsAndCoefficientsAreTheMost) {
  Witness witness = linear();
  FormFamily& family = witness.families[0];
  family.first = 16;
  family.tokens[0].count = {1};
  family.tokens[1].count = {-15, 1};
  family.tokens.insert(family.tokens.begin(), 4, family.tokens[0]);
  const FormFamily::Tokens single{{1}, false, family.tokens.back().rows};
  family.tokens.insert(family.tokens.begin() + 5, 10, single);
  EXPECT_EQ(family.tokens.size(), 16u);
  family.value.above.insert(family.value.above.begin(), 13, Rational(0));  // times n^13 above and below
  family.value.below.insert(family.value.below.begin(), 13, Rational(0));
  expect_along(witness);
  family.tokens.insert(family.tokens.begin() + 5, single);
  family.tokens.back().count = {-16, 1};
  family.first = 17;
  expect_verdict(witness, 2, "from 1 to 16 runs");
  Witness longer = linear();
  longer.families[0].value.above.insert(longer.families[0].value.above.begin(), 14, Rational(0));
  longer.families[0].value.below.insert(longer.families[0].value.below.begin(), 14, Rational(0));
  expect_verdict(longer, 2, "more than 16 coefficients");
}

}  // namespace
}  // namespace attncert::examples
