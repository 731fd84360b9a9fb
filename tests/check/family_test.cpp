// Families: accepted as they stand, rejected when one member, the closed form, or one hypothesis is not what it was.
#include <gtest/gtest.h>

#include <functional>

#include "tests/check/examples.hpp"

namespace attncert::examples {
namespace {

struct Edit {
  std::string name;
  std::function<void(Witness&)> edit;
  std::string word;
};

void expect_rejected(const Witness& witness, const std::string& name, const std::string& word) {
  const Outcome outcome = check_one(witness);
  ASSERT_EQ(outcome.lines.size(), 1U) << name;
  EXPECT_EQ(outcome.exit, 1) << name << ": " << outcome.lines[0];
  EXPECT_NE(outcome.lines[0].find(word), std::string::npos) << name << ": " << outcome.lines[0];
}

TEST(Collapse, EqualTokensRefute) {
  const Outcome outcome = check_one(collapse());
  ASSERT_EQ(outcome.lines.size(), 1U);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines[0];
  EXPECT_NE(outcome.lines[0].find("accepted: theorem1-collapse is refuted"), std::string::npos);
}

// Unequal weights and tokens: the first half weighs 3/2 per L, the rest 1/2 per L, x = 1 then -1. With N = L/2 the
// first half is selected, s = 3/4, and each of the L/2 others is at 1/(2L) + 3/4: d-tilde = 1/4 + 3L/8.
TEST(Collapse, TwoKindsOfTokensRefute) {
  Witness witness = collapse();
  auto& family = witness.families[0];
  for (auto& member : family.members) {
    const std::size_t half = member.length / 2;
    member.weights = {{ratio(1, 2 * member.length), half}, {ratio(3, 2 * member.length), half}};
    member.tokens = {{{Rational(-1)}, half}, {{Rational(1)}, half}};
  }
  family.numerator = {ratio(1, 4), ratio(3, 8)};
  const Outcome outcome = check_one(witness);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines.at(0);
  family.numerator[0] += ratio(1, 1000000000);
  expect_rejected(witness, "constant term", "not the closed form at L = 2");
}

// Equal weights, so that ties decide: the lowest indices have x = 1 and the rest 0, s = 1/2 and d-tilde = L/4.
TEST(Collapse, TiesGoToTheLowestIndex) {
  Witness witness = collapse();
  auto& family = witness.families[0];
  for (auto& member : family.members)
    member.tokens = {{{Rational(1)}, member.length / 2}, {{Rational(0)}, member.length / 2}};
  family.numerator = {Rational(0), ratio(1, 4)};
  const Outcome outcome = check_one(witness);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines.at(0);
}

// (L - 2)(L - 4) ... (L - 2^20): 0 at every member, and of degree 20 far out.
std::vector<Rational> zero_at_members() {
  std::vector<Rational> product = {Rational(1)};
  for (unsigned k = 1; k <= 20; ++k) {
    const Rational zero(std::size_t{1} << k);
    product.insert(product.begin(), Rational(0));
    for (std::size_t i = 0; i + 1 < product.size(); ++i) product[i] -= zero * product[i + 1];
  }
  return product;
}

// A family whose members say nothing of the lengths between and beyond them.
void fit_only_the_members(WitnessFamily& family) {
  std::vector<Rational> fake = zero_at_members();
  for (std::size_t i = 0; i < family.numerator.size(); ++i) fake[i] += family.numerator[i];
  family.numerator = fake;
}

TEST(Collapse, AClosedFormThatFitsOnlyTheMembersIsRejected) {
  Witness grows = collapse();
  fit_only_the_members(grows.families[0]);
  expect_rejected(grows, "numerator", "more than 6 coefficients");
  Witness vanishes = collapse();
  vanishes.families[0].denominator = zero_at_members();
  vanishes.families[0].denominator[0] += 1;
  expect_rejected(vanishes, "denominator", "more than 6 coefficients");
}

// Uniform weights, which are O(1/L) if any are: L a_1 = 1.
TEST(AnyNormalizer, AClosedFormThatFitsOnlyTheMembersIsRejected) {
  Witness witness = any_normalizer();
  auto& family = witness.families[0];
  for (auto& member : family.members) member.F = {{Rational(1), member.length}};
  family.numerator = {Rational(1)};
  fit_only_the_members(family);
  expect_rejected(witness, "uniform weights", "more than 6 coefficients");
}

TEST(Collapse, SixCoefficientsAreTheMost) {
  Witness witness = collapse();
  witness.families[0].numerator = {ratio(-1, 2), ratio(-1, 4), ratio(1, 4)};
  witness.families[0].denominator = {Rational(1), Rational(1), Rational(0)};
  const Outcome six = check_one(witness);
  EXPECT_EQ(six.exit, 0) << six.lines.at(0);
  witness.families[0].numerator = {Rational(-1), Rational(-1), ratio(1, 4), ratio(1, 4)};
  witness.families[0].denominator = {Rational(2), Rational(3), Rational(1)};
  expect_rejected(witness, "seven", "more than 6 coefficients");
}

// Few coefficients, but what the members show is not what the claim needs.
TEST(Collapse, MembersThatDoNotGrowAreRejected) {
  Witness constant = collapse();  // half of the tokens 0 and selected, half 4 at weight 1/L: d-tilde = 2
  for (auto& member : constant.families[0].members)
    member.tokens = {{{Rational(0)}, member.length / 2}, {{Rational(4)}, member.length / 2}};
  constant.families[0].numerator = {Rational(2)};
  expect_rejected(constant, "constant", "does not grow up to L = 4");
  fit_only_the_members(constant.families[0]);
  expect_rejected(constant, "constant at the members", "more than 6 coefficients");

  Witness late = collapse();  // x_i = 2^-9: d-tilde = (L - 2)/2^11, below 1 up to L = 2^11
  for (auto& member : late.families[0].members) member.tokens[0].value = {ratio(1, 512)};
  late.families[0].numerator = {ratio(-1, 1024), ratio(1, 2048)};
  expect_rejected(late, "late", "below 10^5 up to L = 1048576");

  Witness turning = collapse();  // x_i = 1/(1 + L^2/2^42): grows up to L = 2^21, then falls to 0
  const Rational bend(1, 1UL << 42);
  for (auto& member : turning.families[0].members)
    member.tokens[0].value = {Rational(1 / (1 + bend * Rational(member.length) * Rational(member.length)))};
  turning.families[0].denominator = {Rational(1), Rational(0), bend};
  expect_rejected(turning, "turning", "does not grow up to L = 4194304");
}

// The family unbounded-logits with F at the first logit such that L a_1 is this form: F_1 / (F_1 + L - 1) = a_1.
Witness with_form(const std::vector<Rational>& numerator, const std::vector<Rational>& denominator) {
  Witness witness = any_normalizer();
  auto& family = witness.families[0];
  family.numerator = numerator;
  family.denominator = denominator;
  for (auto& member : family.members) {
    const Rational L(member.length);
    Rational above = 0, below = 0, power = 1;
    for (std::size_t i = 0; i < 3; ++i, power *= L) {
      if (i < numerator.size()) above += power * numerator[i];
      if (i < denominator.size()) below += power * denominator[i];
    }
    const Rational a = above / below / L;
    member.F[0].value = (L - 1) * a / (1 - a);
  }
  return witness;
}

TEST(AnyNormalizer, MembersThatDoNotGrowAreRejected) {
  const Outcome good = check_one(with_form({Rational(0), ratio(1, 3)}, {Rational(1)}));
  EXPECT_EQ(good.exit, 0) << good.lines.at(0);
  // 1 + (L - 2)(L - 4)/(4 L): 1 at L = 2 and at 4, then it grows
  expect_rejected(with_form({Rational(8), Rational(-2), Rational(1)}, {Rational(0), Rational(4)}), "level", "not grow");
  // 1 + (L - 2)/32: 32768.9 at L = 2^20, and beyond every constant later
  expect_rejected(with_form({ratio(15, 16), ratio(1, 32)}, {Rational(1)}), "low", "below 10^5");
  // (L/2)/(1 + L/2^30): grows, to 2^29
  expect_rejected(with_form({Rational(0), ratio(1, 2)}, {Rational(1), ratio(1, 1UL << 30)}), "capped", "bounded in L");
  // (L/2)/(1 + L^2/2^42): grows up to L = 2^21 only
  expect_rejected(with_form({Rational(0), ratio(1, 2)}, {Rational(1), Rational(0), Rational(1, 1UL << 42)}), "turning",
                  "does not grow up to L = 4194304");
}

TEST(Collapse, EveryEditIsRejected) {
  const std::vector<Edit> edits = {
      {"last member missing", [](Witness& w) { w.families[0].members.pop_back(); },
       "one member for each power of two from L = 2 "},
      {"first member missing", [](Witness& w) { w.families[0].members.erase(w.families[0].members.begin()); },
       "one member for each power of two from L = 2 "},
      {"members out of order", [](Witness& w) { std::swap(w.families[0].members[3], w.families[0].members[4]); },
       "L = 16 should"},
      {"one token moved",
       [](Witness& w) {
         w.families[0].members[11].tokens = {{{ratio(1, 2)}, 1}, {{Rational(1)}, 4095}};
       },
       "not the closed form at L = 4096"},
      {"two selected more", [](Witness& w) { w.families[0].members[6].count += 2; }, "N/L is not the same"},
      // (L - N)(N - 1)/L is the same at N = L/2 and at L/2 + 1
      {"one selected more", [](Witness& w) { ++w.families[0].members[6].count; }, "N/L is not the same"},
      {"closed form", [](Witness& w) { w.families[0].numerator[0] = ratio(-1, 3); }, "not the closed form"},
      {"closed form by one term more", [](Witness& w) { w.families[0].numerator.push_back(ratio(1, 1000000)); },
       "not the closed form"},
      {"pole",
       [](Witness& w) {
         w.families[0].denominator = {Rational(-8), Rational(1)};
       },
       "closed form"},
      {"no denominator", [](Witness& w) { w.families[0].denominator.clear(); }, "pole"},
      {"weights that sum to 2", [](Witness& w) { w.families[0].members[5].weights[0].value *= 2; }, "sum to 1"},
      {"a negative weight",
       [](Witness& w) {
         w.families[0].members[0].weights = {{ratio(3, 2), 1}, {ratio(-1, 2), 1}};
       },
       "negative"},
      {"an index set", [](Witness& w) { w.families[0].members[0].selected = {0}; }, "selected"},
      {"another rule", [](Witness& w) { w.families[0].rule = "separable"; }, "given"},
      {"another relation", [](Witness& w) { w.relation = "lhs >= rhs"; }, "relation"},
      {"another quantity", [](Witness& w) { w.families[0].quantity = "length"; }, "distance"},
      {"tokens in the plane",
       [](Witness& w) {
         w.families[0].members[0].dimension = 2;
         w.families[0].members[0].tokens = {{{1, 0}, 2}};
       },
       "on a line"},
      {"no tokens", [](Witness& w) { w.families[0].members[0].tokens.clear(); }, "on a line"},
      {"a second family that is none",
       [](Witness& w) {
         w.families.push_back(w.families[0]);
         w.families[1].members.pop_back();
       },
       "more families than the claim needs"},
  };
  for (const auto& [name, edit, word] : edits) {
    Witness witness = collapse();
    edit(witness);
    expect_rejected(witness, name, word);
  }
}

// True families that do not refute: N = 1 (constant, so not Theta(L)), and tokens that grow with L.
TEST(Collapse, FamiliesThatMissAHypothesisAreRejected) {
  Witness one = collapse();  // d-tilde = (L - 1)(N - 1)/L = 0
  for (auto& member : one.families[0].members) member.count = 1;
  one.families[0].numerator = {Rational(0)};
  expect_rejected(one, "N = 1", "N/L is not the same");

  Witness growing = collapse();  // x_i = L: d-tilde = L (L - 2)/4
  for (auto& member : growing.families[0].members) member.tokens[0].value = {Rational(member.length)};
  growing.families[0].numerator = {Rational(0), ratio(-1, 2), ratio(1, 4)};
  expect_rejected(growing, "growing tokens", "not bounded");

  Witness shrinking = collapse();  // x_i = 1/L: d-tilde = (L - 2)/(4 L) grows to 1/4
  for (auto& member : shrinking.families[0].members) member.tokens[0].value = {ratio(1, member.length)};
  shrinking.families[0].denominator = {Rational(0), Rational(1)};
  expect_rejected(shrinking, "shrinking tokens", "below 10^5");

  Witness all = collapse();  // N = L: the distance is an empty sum
  for (auto& member : all.families[0].members) member.count = member.length;
  all.families[0].numerator.clear();
  expect_rejected(all, "N = L", "does not grow");
}

TEST(LinearInLength, EqualWeightsRefute) {  // d-tilde = 4 (L - 5)/L
  const Outcome outcome = check_one(linear());
  ASSERT_EQ(outcome.lines.size(), 1U);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines[0];
  EXPECT_NE(outcome.lines[0].find("accepted: distance-linear-in-length is refuted"), std::string::npos);
}

// The last five tokens weigh 6/5 of the others: s = 6/(L + 1), the others are at 5/(L + 1), d-tilde = 5 (L - 5)/(L +
// 1).
TEST(LinearInLength, UnequalWeightsOfBoundedRatioRefute) {
  Witness witness = linear();
  auto& family = witness.families[0];
  for (auto& member : family.members) {
    const std::size_t L = member.length;
    member.weights = {{ratio(1, L + 1), L - 5}, {ratio(6, 5 * (L + 1)), 5}};
  }
  family.numerator = {Rational(0), Rational(1), Rational(1)};
  family.denominator = {Rational(-25), Rational(5)};
  const Outcome outcome = check_one(witness);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines.at(0);
  family.numerator[1] += ratio(1, 1000000000);
  expect_rejected(witness, "linear term", "not the closed form at L = 8");
}

// Opposite tokens lie on the sphere too: s = 5/L, the others at 6/L.
TEST(LinearInLength, OppositeTokensRefute) {
  Witness witness = linear();
  auto& family = witness.families[0];
  for (auto& member : family.members) member.tokens = {{{Rational(1)}, 5}, {{Rational(-1)}, member.length - 5}};
  family.denominator = {Rational(-30), Rational(6)};
  const Outcome outcome = check_one(witness);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines.at(0);
}

// Families with the right closed form that miss a hypothesis.
TEST(LinearInLength, FamiliesThatMissAHypothesisAreRejected) {
  Witness sink = linear();  // d-tilde = (L - 5)(L + 2)/(2 (L - 1)): the distance does grow linearly
  for (auto& member : sink.families[0].members)
    member.weights = {{ratio(1, 2), 1}, {ratio(1, 2 * (member.length - 1)), member.length - 1}};
  sink.families[0].numerator = {Rational(0), Rational(-2), Rational(2)};
  sink.families[0].denominator = {Rational(-10), Rational(-3), Rational(1)};
  expect_rejected(sink, "sink", "ratios of weights are not bounded");

  Witness none = linear();
  for (auto& member : none.families[0].members)
    member.weights = {{ratio(1, 5), 5}, {Rational(0), member.length - 5}};  // s = 1, d-tilde = L - 5
  none.families[0].numerator = {Rational(0), Rational(1)};
  none.families[0].denominator = {Rational(-5), Rational(1)};
  expect_rejected(none, "a weight of 0", "a weight is 0");

  Witness shrinking = linear();  // x_i = 1/L: d-tilde = 4 (L - 5)/L^2
  for (auto& member : shrinking.families[0].members) member.tokens[0].value = {ratio(1, member.length)};
  shrinking.families[0].numerator = {Rational(0), Rational(0), Rational(0), Rational(1)};
  expect_rejected(shrinking, "shrinking tokens", "one sphere");

  Witness zero = linear();
  for (auto& member : zero.families[0].members) member.tokens[0].value = {Rational(0)};
  expect_rejected(zero, "zero tokens", "the distance is 0");

  Witness four = linear();  // N = 4: d-tilde = 3 (L - 4)/L
  for (auto& member : four.families[0].members) member.count = 4;
  four.families[0].denominator = {Rational(-12), Rational(3)};
  expect_rejected(four, "N = 4", "N is not 5");

  Witness late = linear();
  late.families[0].members.erase(late.families[0].members.begin());
  expect_rejected(late, "first member missing", "one member for each power of two from L = 8 ");

  Witness rule = linear();
  rule.families[0].rule = "separable";
  expect_rejected(rule, "rule", "given");
  Witness quantity = linear();
  quantity.families[0].quantity = "distance";
  expect_rejected(quantity, "quantity", "length-over-distance");
}

TEST(AnyNormalizer, ThreeFamiliesRefute) {
  const Outcome outcome = check_one(any_normalizer());
  ASSERT_EQ(outcome.lines.size(), 1U);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines[0];
}

// sparsemax(1/2, 0, 0, ...) = tau from 1/2 and zeros: tau = (1/2 - 1)/L = -1/(2L), so a_1 = 1/2 + 1/(2L) and
// L a_1 = (L + 1)/2 (docs/specification.md#fixtures at L = 3: 2/3).
TEST(AnyNormalizer, SparsemaxWithFullSupport) {
  Witness witness = any_normalizer();
  auto& family = witness.families[2];
  for (auto& member : family.members) member.logits[0].value = ratio(1, 2);
  family.numerator = {ratio(1, 2), ratio(1, 2)};
  const Outcome outcome = check_one(witness);
  EXPECT_EQ(outcome.exit, 0) << outcome.lines.at(0);
}

TEST(AnyNormalizer, EveryEditIsRejected) {
  const std::vector<Edit> edits = {
      {"a family missing", [](Witness& w) { w.families.erase(w.families.begin() + 1); },
       "it stands where zero-of-f should"},
      {"the last family missing", [](Witness& w) { w.families.pop_back(); }, "the family non-separable is missing"},
      {"a family twice", [](Witness& w) { w.families.push_back(w.families[0]); }, "more families"},
      {"an unknown family", [](Witness& w) { w.families[0].name = "two\nlines"; }, "two?lines"},
      {"a member missing", [](Witness& w) { w.families[1].members.pop_back(); },
       "one member for each power of two from L = 2 "},
      {"a value of F", [](Witness& w) { w.families[0].members[7].F[1].value = ratio(2, 1); }, "at L = 256"},
      {"a negative value of F", [](Witness& w) { w.families[0].members[7].F[1].value = ratio(-1, 9); }, "negative"},
      {"no values of F", [](Witness& w) { w.families[0].members[7].F.clear(); }, "missing"},
      {"F has a zero",
       [](Witness& w) {
         w.families[0].numerator = {Rational(0), Rational(1)};
         for (auto& member : w.families[0].members) member.F[1].value = 0;
       },
       "F has a zero"},
      {"F has none",
       [](Witness& w) {
         w.families[1].numerator = {Rational(0), ratio(1, 2)};
         for (auto& member : w.families[1].members) {
           member.F = {{Rational(member.length - 1), 1}, {Rational(1), member.length - 1}};
         }
       },
       "F has no zero"},
      {"F depends on L", [](Witness& w) { w.families[1].members[9].F[0].value = 2; }, "function of the logit"},
      // 1/L -> L is a function, but not one of any normalizer: it is unbounded near 0
      {"F unbounded on bounded logits",
       [](Witness& w) {
         for (auto& member : w.families[1].members) {
           member.logits[0].value = ratio(1, member.length);
           member.F[0].value = Rational(member.length);
         }
       },
       "values of F are not bounded"},
      {"another name", [](Witness& w) { w.families[0].name = "zero-of-f"; }, "it stands where unbounded-logits should"},
      {"no logits", [](Witness& w) { w.families[1].members[9].logits.clear(); }, "has no logits"},
      {"logits that grow",
       [](Witness& w) {
         for (auto& member : w.families[2].members) member.logits[0].value = Rational(member.length);
       },
       "not bounded"},
      {"a logit", [](Witness& w) { w.families[2].members[0].logits[0].value = ratio(1, 2); }, "at L = 2"},
      {"a temperature", [](Witness& w) { w.families[2].members[0].temperature = Rational(2); }, "T is not 1"},
      {"a rule", [](Witness& w) { w.families[2].rule = "separable"; }, "rule"},
      {"a quantity", [](Witness& w) { w.families[2].quantity = "distance"; }, "quantity"},
      {"a closed form", [](Witness& w) { w.families[2].numerator[1] = ratio(99, 100); }, "at L = 2"},
      {"bounded",
       [](Witness& w) {
         for (auto& member : w.families[0].members) member.F[0].value = 1;
         w.families[0].numerator = {Rational(1)};
       },
       "does not grow"},
  };
  for (const auto& [name, edit, word] : edits) {
    Witness witness = any_normalizer();
    edit(witness);
    expect_rejected(witness, name, word);
  }
}

}  // namespace
}  // namespace attncert::examples
