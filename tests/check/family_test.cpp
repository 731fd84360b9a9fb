// Families that are given by polynomials in n: accepted as they stand and in other forms that were derived by hand;
// rejected when one coefficient, the closed form, or one hypothesis is not what it was.
#include <gtest/gtest.h>

#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/families.hpp"
#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"
#include "tests/check/sentence_edits.hpp"

namespace attncert::examples {
namespace {

const Form zero{{0}}, one{{1}}, minus_one{{-1}}, half{{ratio(1, 2)}};
const Rational tiny = ratio(1, 1'000'000'000);

void expect_along(const Witness& families, const std::string& edit = "") {
  expect_verdict(families, 0, "for every n; along " + families.families[0].name, edit);
  EXPECT_EQ(why_untrue(families), "") << edit;  // members are what the suite finds too
}
void expect_other_form(Witness families, const std::string& edit = "", std::size_t k = 0) {
  expect_along(families, edit);
  FormFamily& family = families.families[k];
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

// Sparsemax of logits that sum to 1 and are its weights: these of the first token and of each other one.
Witness with_weights(const Form& first, const Form& others, const Form& length_times_first) {
  Witness witness = any_normalizer();
  FormFamily& family = witness.families[2];
  for (std::size_t run = 0; run < 2; ++run)
    for (auto& [row, form] : family.tokens[run].rows) form = run == 0 ? first : others;
  family.value = length_times_first;
  return witness;
}

// L a_1 is L/3; 1 + (L - 2)/32, which has to wait but exceeds every C; (L/2)/(1 + L/2^30), which stays below 2^29, and
// with L^2 falls in the end; 1; 1 - 2/(L + 2). Every other weight is (1 - a_1)/(L - 1).
TEST(Families, WhatGrowsInTheEndRefutesAndWhatStopsDoesNot) {
  expect_other_form(with_weights({{ratio(1, 3)}}, {{2}, {-3, 3}}, {{0, ratio(1, 3)}}), "", 2);
  expect_other_form(with_weights({{30, 1}, {0, 32}}, {{-30, 31}, {0, -32, 32}}, {{ratio(15, 16), ratio(1, 32)}}), "",
                    2);
  const Rational end(1UL << 29), twice(1UL << 30);
  const auto expect_bounded = [](const Witness& witness) { expect_verdict(witness, 1, "bounded in L"); };
  expect_bounded(with_weights({{end}, {twice, 1}}, {{end, 1}, {-twice, twice - 1, 1}}, {{0, end}, {twice, 1}}));
  expect_bounded(
      with_weights({{end}, {twice, 0, 1}}, {{end, 0, 1}, {-twice, twice, -1, 1}}, {{0, end}, {twice, 0, 1}}));
  expect_bounded(with_weights({{1}, {0, 1}}, {{1}, {0, 1}}, one));
  expect_bounded(with_weights({{1}, {2, 1}}, {{1, 1}, {-2, 1, 1}}, {{0, 1}, {2, 1}}));
}

// A family says what the statement says of it, to the letter.
TEST(Families, SayWhatIsShownToTheLetter) {
  for (const Witness& genuine : {collapse(), linear(), any_normalizer(), tradeoff(), sink()}) {
    Witness other = genuine;
    other.text += " ";
    expect_verdict(other, 1, "text is not: " + genuine.text);
    EXPECT_NE(why_untrue(other), "");
    for (std::size_t k = 0; k < genuine.families.size(); ++k)
      for (const auto& [lines, word] : {std::pair(&FormFamily::given, "given is not: "),
                                        {&FormFamily::constant, "constant is not: "},
                                        {&FormFamily::says, "says is not: "}}) {
        const auto expect_noticed = [&, lines = lines, word = word](const auto& edit) {
          Witness edited = genuine;
          edit(edited.families[k].*lines);
          expect_verdict(edited, 1, word);
          EXPECT_NE(why_untrue(edited), "") << word;
        };
        expect_noticed([](std::vector<std::string>& all) { all.emplace_back("L >= 1"); });
        for (std::size_t line = 0; line < (genuine.families[k].*lines).size(); ++line) {
          expect_noticed([&](auto& all) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(line)); });
          expect_noticed([&](auto& all) { all[line] += " "; });
          for (const SentenceEdit& edit : sentence_edits((genuine.families[k].*lines)[line], false))
            expect_noticed([&](auto& all) { all[line] = edit.text; });
        }
      }
  }
}

// The same logit has another value of F at another n: F is the statement's, and a file that brings its own is refused.
// Names that sentences use for something else are no numbers of a file, nor what none of them reads.
TEST(Families, GiveNothingThatNoSentenceReads) {
  for (const char* const name : {"L", "N", "C", "I", "d", "B", "c", "extra"}) {
    Witness witness = collapse();
    for (FormFamily::Tokens& run : witness.families[0].tokens) run.rows.push_back({name, {{7}}});
    EXPECT_EQ(judged(witness).status, 2) << name << ": " << judged(witness).line;
    EXPECT_NE(why_untrue(witness), "") << name;
  }
  for (const char* const name : {"L", "N", "C", "I", "d", "x", "a", "extra"}) {
    Witness witness = collapse();
    witness.families[0].numbers.push_back({name, {{7}}});
    EXPECT_EQ(judged(witness).status, 2) << name << ": " << judged(witness).line;
    EXPECT_NE(why_untrue(witness), "") << name;
  }
}

TEST(Families, BringNoFOfTheirOwn) {
  Witness witness = any_normalizer();
  for (auto& run : witness.families[0].tokens) run.rows.emplace_back("F", one);
  expect_verdict(witness, 2, "it gives F_i, which no sentence reads");
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
