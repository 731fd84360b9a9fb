// The claims that compare two rows against values computed by hand or by an arbitrary-precision program
// (docs/specification.md), their equality cases next to misses.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "properties/claims/catalogue/sides/log_slope.hpp"
#include "properties/claims/catalogue/sides/norms.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/catalogue/sides/perturbation.hpp"
#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

Instance logit_rows(std::vector<Rational> from, std::vector<Rational> to, const Rational& temperature) {
  Instance instance = logits(std::move(from), temperature);
  instance.other_logits = std::move(to);
  return instance;
}

Instance rows_under(std::vector<Rational> from, std::vector<Rational> F, std::vector<Rational> to,
                    std::vector<Rational> other_F) {
  Instance instance = separable(std::move(F), {});
  instance.logits = std::move(from);
  instance.other_logits = std::move(to);
  instance.other_F = std::move(other_F);
  return instance;
}

Instance weight_rows(std::vector<Rational> weights, std::vector<Rational> other) {
  Instance instance;
  instance.length = weights.size();
  instance.weights = std::move(weights);
  instance.other_weights = std::move(other);
  return instance;
}

const char* tanh_bound = "softmax-tanh-lipschitz";
const char* half_text = "softmax-half-lipschitz-lp";

TEST(PairClaims, SaturatingBoundAgainstTheFormulasInSixtyDigits) {
  const auto lhs = [](const Instance& instance) { return largest_quotient(tanh_bound, instance); };
  // (tanh(1)/2)/tanh(1/2); then three rows for which the largest quotient over p and q, or of TV, was computed in
  // mpmath
  expect_decimals(lhs(logit_rows({0, 0}, {1, -1}, 1)), "824027136831942699787488676613");
  expect_decimals(lhs(logit_rows({0, ratio(1, 2), -1}, {1, 0, ratio(1, 3)}, 2)), "813021753379958946993930195327");
  expect_decimals(lhs(logit_rows({0, 0, 0, 1}, {3, -1, -1, 0}, ratio(1, 2))), "934210903550075081469927701866");
  expect_decimals(lhs(logit_rows({0, 0, 0}, {1, -1, -1}, 1)), "981683327920711501795978427724");
}

TEST(PairClaims, HalfLipschitzAgainstTheFormulasInSixtyDigits) {
  const auto lhs = [](const Instance& instance) { return largest_quotient(half_text, instance); };
  expect_decimals(lhs(logit_rows({0, 0}, {1, -1}, 1)), "761594155955764888119458282605");  // tanh 1
  expect_decimals(lhs(logit_rows({0, ratio(1, 2), -1}, {1, 0, ratio(1, 3)}, 2)), "549368825354649981463343532983");
  expect_decimals(lhs(logit_rows({0, 0, 0, 1}, {3, -1, -1, 0}, ratio(1, 2))), "333146233059445108731083741341");
}

TEST(PairClaims, SaturatingBoundIsAttainedByMirroredRowsOnly) {
  EXPECT_EQ(decision(tanh_bound, logit_rows({0, 2}, {2, 0}, 3)), Decision::equality);
  EXPECT_EQ(decision(tanh_bound, logit_rows({0, 2}, {2, 0}, power_of_ten(-30))), Decision::equality);
  EXPECT_EQ(decision(tanh_bound, logit_rows({7, 9}, {4, 2}, 3)), Decision::equality);  // and a shift
  EXPECT_EQ(decision(tanh_bound, logit_rows({0, 1, 2, 3}, {2, 3, 0, 1}, 1)),
            Decision::equality);  // {0, 1} + 4/2 = {2, 3}
  EXPECT_EQ(decision(tanh_bound, logit_rows({0, 1, 2, 4}, {2, 3, 0, 2}, 1)), Decision::held);
  EXPECT_EQ(decision(tanh_bound, logit_rows({0, 2, 0}, {2, 0, 0}, 1)), Decision::held);
  EXPECT_EQ(decision(tanh_bound, logit_rows({0, 2}, {2, power_of_two(-1000)}, 1)), Decision::held);
}

TEST(PairClaims, DegenerateAndSaturatedRowsAreDecided) {
  const Rational huge = power_of_ten(30), tiny = power_of_two(-1100);
  const std::vector<Instance> rows = {logit_rows({3}, {5}, 1),                        // one token
                                      logit_rows({1, 2, 3}, {1, 2, 3}, 1),            // the same row
                                      logit_rows({1, 2, 3}, {6, 7, 8}, 1),            // shifted
                                      logit_rows({0, huge}, {huge, 1}, ratio(1, 7)),  // 1 - tanh below every exponent
                                      logit_rows({0, -huge, 5}, {-huge, 0, 4}, power_of_ten(-30)),
                                      logit_rows({0, 0}, {tiny, -tiny}, 1),  // a difference of weights of 10^-331
                                      logit_rows({0, 1, huge}, {tiny, 1, huge}, power_of_ten(30))};
  for (const char* id : {tanh_bound, half_text})
    for (const Instance& instance : rows)
      EXPECT_EQ(decision(id, instance), Decision::held) << id << instance.size_text();
  EXPECT_EQ(decision(half_text, logit_rows({-tiny, tiny}, {tiny, -tiny}, 1)), Decision::held);  // a supremum only
}

// The first token's weight is below every exponent, the others' move by 10^-30: next to equality to first order.
TEST(PairClaims, WeightsBelowEveryExponentLeaveTheSlackItsSign) {
  const Rational high = power_of_ten(44), T = power_of_ten(22), e = power_of_ten(-8);
  const Instance pair = logit_rows({0, high, high + e}, {0, high + 2 * e, high}, T);
  for (const Part& part : statement(tanh_bound).sided()->parts)
    EXPECT_GE(part.slack(pair, precision).lower(), 0) << part.name;
  EXPECT_EQ(decision(tanh_bound, pair), Decision::held);
  EXPECT_EQ(decision("perturbation-closed-form", logits({0, high, high + e}, T)), Decision::equality);
}

TEST(PairClaims, GeneralFunctionByHand) {
  const char* id = "general-lipschitz";
  // a = (1, 3, 2)/6, a' = (2, 1, 2)/5: TV 3/10. kappa = log 3, p = 1: x = log 3, tanh x = 4/5
  expect_value(quotient(id, "tanh, l_1", rows_under({0, 1, 3}, {1, 3, 2}, {3, 0, 3}, {2, 1, 2})), ratio(3, 8));
  EXPECT_LE(largest_quotient(id, rows_under({0, 1, 3}, {1, 3, 2}, {3, 0, 3}, {2, 1, 2})).upper(), 0.375 + 1e-15);
  // a = (1/2, 1/2), a' = (3/4, 1/4), kappa = log 3, p = 1: (1/4)/tanh(log(3)/4) = (2 + sqrt 3)/4
  const Interval moved = quotient(id, "tanh, l_1", rows_under({0, 0}, {1, 1}, {1, 0}, {3, 1}));
  expect_value(square(moved * Interval(4.0, precision) - Interval(2.0, precision)), 3);
  EXPECT_EQ(decision(id, rows_under({0, 2}, {1, 3}, {2, 0}, {3, 1})), Decision::equality);
  EXPECT_EQ(decision(id, rows_under({0, 2}, {5, 3}, {2, 0}, {3, 5})), Decision::equality);
  // F = 2^l, p = inf: a = (1, 1, 1)/3, a' = (4, 1, 1)/6, tanh(log(2)/2) = 1/3
  EXPECT_EQ(decision(id, rows_under({0, 0, 0}, {1, 1, 1}, {1, -1, -1}, {2, ratio(1, 2), ratio(1, 2)})),
            Decision::equality);
  // a steeper piece elsewhere: 1 to 9 on the way from 0 to 2 rises faster than 1 to 3
  EXPECT_EQ(decision(id, rows_under({0, 2, 1, 1}, {1, 3, 9, 9}, {2, 0, 1, 1}, {3, 1, 9, 9})), Decision::held);
  EXPECT_EQ(decision(id, rows_under({0, 1}, {2, 2}, {1, 0}, {2, 2})), Decision::held);  // constant F
  EXPECT_EQ(judge(statement(id), rows_under({0, 1}, {1, 2}, {1, 0}, {3, 1})).discarded_by,
            "equal logits have equal values of F");
}

// The judge asks for the slack next to equality only; here it stands against the sides everywhere.
TEST(PairClaims, SlackIsWhatTheSidesLeave) {
  std::size_t far = 0, narrow = 0;
  for (const char* id : {tanh_bound, "general-lipschitz", "perturbation-closed-form"}) {
    const Statement& claim = statement(id);
    for (std::uint64_t number = 0; number < 200; ++number) {
      const Instance instance = instance_of(claim, random_tape(23, id, number, 768));
      for (const Part& part : claim.sided()->parts) {
        if (!part.slack) continue;
        const Interval lhs = part.lhs(instance, precision), rhs = part.rhs(instance, precision), left = rhs - lhs;
        if (lhs.contains(0)) continue;  // the weights are the same
        const Interval slack = part.slack(instance, precision);
        EXPECT_EQ(overlaps(slack, left), Truth::yes) << id << number << part.name << slack.text() << left.text();
        EXPECT_TRUE(!slack.is_finite() || slack.lower() >= 0) << id << number << part.name;
        narrow += id == tanh_bound && slack.width() < 1e-25 * rhs.upper() ? 1 : 0;  // not where exponents are huge
        far += (lhs / rhs).upper() < 0.99 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(far, 4000u);
  EXPECT_GT(narrow, 1000u);
}

TEST(PairClaims, SlopesOfALogarithmAreComparedExactly) {
  using sides::Slope;
  EXPECT_EQ(Slope(1, 8, 3), Slope(4, 16, 2));
  EXPECT_EQ(Slope(ratio(9, 4), ratio(1, 4), -2), Slope(1, 3, 1));
  EXPECT_EQ(Slope(ratio(4, 9), 1, ratio(2, 7)), Slope(ratio(27, 8), 1, ratio(3, 7)));
  EXPECT_EQ(Slope(5, 5, 1), Slope(1, 1, 7));
  EXPECT_FALSE(Slope(1, 8, 3) == Slope(1, 5, 2));
  EXPECT_FALSE(Slope(1, 8, 3) == Slope(1, 8, power_of_two(4000)));
  EXPECT_FALSE(Slope(1, 8, 3) == Slope(1, 1, 1));
  expect_value(Slope(3, 4, 2).at(precision) * Interval(4.0, precision) - log(Interval(ratio(16, 9), precision)), 0);
  // Two steps of 2^l at the slope log 2, and of another length on one side: the least logit is farther away, F is not
  // steeper.
  const auto steps = [](const Rational& down) {
    return rows_under({0, 0, 0}, {1, 1, 1}, {1, -down, -down}, {2, ratio(1, 2), ratio(1, 2)});
  };
  const auto attained = [](const char* name, const Instance& instance) {
    return part("general-lipschitz", name).attained(instance);
  };
  EXPECT_TRUE(attained("tanh, l_inf", steps(1)));
  EXPECT_FALSE(attained("tanh, l_1", steps(1)));
  EXPECT_FALSE(attained("tanh, l_inf", steps(2)));
  // The same weights: one token moves (p = 1), or all of them upward, which no norm forgives.
  EXPECT_TRUE(attained("tanh, l_1", rows_under({0, 0, 0}, {1, 1, 1}, {2, 0, 0}, {4, 1, 1})));
  EXPECT_FALSE(attained("tanh, l_2", rows_under({0, 0, 0}, {1, 1, 1}, {2, 0, 0}, {4, 1, 1})));
  EXPECT_FALSE(attained("tanh, l_1", rows_under({0, 0, 0}, {1, 1, 1}, {3, 1, 1}, {8, 2, 2})));
  // Two tokens that exchange their logits: every norm.
  const Instance swap = rows_under({0, 1}, {1, 2}, {1, 0}, {2, 1});
  for (const char* name : {"tanh, l_1", "tanh, l_5/4", "tanh, l_2", "tanh, l_4", "tanh, l_inf"})
    EXPECT_TRUE(attained(name, swap)) << name;
  const Rational down = ratio(1, 2);  // weights (1, 1, 1, 1, 1)/5 and (16, 1, 1, 1, 1)/20: TV is attained, no norm is
  for (const sides::Exponent p : sides::all_exponents)
    EXPECT_FALSE(
        attained(sides::lasting("tanh, l_" + std::string(sides::text(p))).data(),
                 rows_under({0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {3, -1, -1, -1, -1}, {8, down, down, down, down})));
}

TEST(PairClaims, WeightsDifferByRootTwoAtVerticesOnly) {
  const char* id = "weights-diameter";
  EXPECT_EQ(decision(id, weight_rows({1, 0, 0}, {0, 0, 1})), Decision::equality);
  EXPECT_EQ(decision(id, weight_rows({1, 0, 0}, {1, 0, 0})), Decision::held);
  const Rational tiny = power_of_ten(-40);
  EXPECT_EQ(decision(id, weight_rows({1, 0}, {tiny, 1 - tiny})), Decision::held);
  expect_root(part(id).lhs(weight_rows({1, 0, 0}, {0, ratio(1, 2), ratio(1, 2)}), precision), ratio(3, 2));
  EXPECT_EQ(decision(id, weight_rows({1, 1}, {0, 1})), Decision::discarded);
  EXPECT_EQ(decision(id, weight_rows({2, -1}, {0, 1})), Decision::discarded);
}

// docs/specification.md#observation: L = 2, T = 1, e = 1/100
TEST(PairClaims, ObservationsWeightsDoNotDifferByRootTwo) {
  const char* id = "perturbation-output-distance";
  const Instance instance = logits({0, ratio(1, 100)}, 1);
  const auto pair = sides::softmax_pair(instance.logits, sides::perturbed_logits(instance), 1, precision);
  expect_decimals(sqrt(sum_of_squares(pair.difference, precision)), "10606336562477601572963189888");
  expect_root(part(id).lhs(instance, precision), ratio(9, 80000));  // 3 sqrt2/4 times e
  expect_root(part(id).rhs(instance, precision), ratio(1, 5000));
  EXPECT_EQ(decision(id, instance), Decision::violated);
  EXPECT_EQ(decision(id, logits({0, 0, power_of_ten(30)}, 1)), Decision::violated);
  EXPECT_EQ(decision(id, logits({-3, 1, 2}, 1)), Decision::discarded);
  EXPECT_EQ(decision(id, logits({0, 1, 1}, 1)), Decision::discarded);
}

// Three tokens at a = 0: P = 1/3 and the closed form's square is (5 - 2/3 + 2/9 + 1/9)/9 = 14/27 in units of (e/T)^2.
TEST(PairClaims, ClosedFormIsTheLimitOfTheOutputDistance) {
  const Rational e = power_of_two(-200);
  const Instance instance = logits({0, 0, e}, 1);
  const auto pair = sides::softmax_pair(instance.logits, sides::perturbed_logits(instance), 1, precision);
  const Interval squares = sum_of_squares(pair.difference, precision), size(e, precision);
  EXPECT_NEAR((squares / square(size)).midpoint(), 14.0 / 27, 1e-15);
  expect_root(part("perturbation-output-distance").lhs(instance, precision) / size, ratio(14, 27));
  const char* id = "perturbation-closed-form";
  for (const Instance& row : {instance, logits({0, 0, -e}, 3), logits({5, 3}, ratio(1, 9)), logits({0, 0, 0, 7, 9}, 1),
                              logits({0, 0, 0, 100, 101}, 1), logits({0, 0, 0, -7, 900}, power_of_ten(-30))})
    EXPECT_EQ(decision(id, row), Decision::equality) << row.size_text();
  expect_value(quotient(id, "identity", logits({0, 0, 0, 2, 5}, 3)), 1);
  EXPECT_EQ(decision(id, "first order", logits({5, 3}, ratio(1, 9))), Decision::equality);
  EXPECT_EQ(decision(id, "first order", logits({0, 0, 0, 7, 9}, 1)), Decision::held);
  EXPECT_EQ(decision(id, "any e", logits({5, 3}, ratio(1, 9))), Decision::held);
}

TEST(PairClaims, SharpnessNeedsGain) {
  const char* id = "sharpness-needs-gain";
  // fixture 9: sparsemax(1/2, 0, 0) = (2/3, 1/6, 1/6): 1 - (1/3)(3/2) = 1/2 = K g
  expect_value(part(id, "sparsemax").lhs(logits({1, 0, 0}, 2), precision), ratio(1, 2));
  expect_value(part(id, "sparsemax").rhs(logits({1, 0, 0}, 2), precision), ratio(1, 2));
  EXPECT_TRUE(part(id, "sparsemax").attained(logits({1, 0, 0}, 2)));
  EXPECT_TRUE(part(id, "sparsemax").attained(logits({0, 0, 0, 5}, 5)));  // eta = 0
  EXPECT_FALSE(part(id, "sparsemax").attained(logits({0, 0, 0, 6}, 5)));
  EXPECT_EQ(decision(id, logits({0, 5 + power_of_two(-900)}, 5)), Decision::held);
  expect_decimals(quotient(id, "softmax", logits({2, 0}, 1)), "761594155955764888119458282605");  // tanh 1
  // fixture 10: 1.5-entmax(2, 0) = (1, 0), eta = 0 against 2 K_2 = sqrt 2
  expect_value(part(id, "1.5-entmax").lhs(logits({2, 0}, 1), precision), 1);
  expect_root(part(id, "1.5-entmax").rhs(logits({2, 0}, 1), precision), 2);
  // 1.5-entmax(1, 0) = (4 + sqrt 7, 4 - sqrt 7)/8: 1 - 2 eta = sqrt 7/4
  expect_root(part(id, "1.5-entmax").lhs(logits({1, 0}, 1), precision), ratio(7, 16));
  // g = 8 T among 1,000: softmax has (e^8 - 1)/(e^8 + 999)/4 = 0.187..., sparsemax 1/8
  std::vector<Rational> row(1000, Rational(0));
  row[0] = 8;
  const double e8 = std::exp(8.0);
  EXPECT_NEAR(quotient(id, "softmax", logits(row, 1)).midpoint(), (e8 - 1) / (e8 + 999) / 4, 1e-14);
  expect_value(quotient(id, "sparsemax", logits(row, 1)), ratio(1, 8));
  row[0] = 16;  // eta = 1/(1 + e^16/999): 0.1249... against 1/16 of both sparse rules
  EXPECT_EQ(decision(id, logits(row, 1)), Decision::held);
  EXPECT_EQ(decision(id, logits({1, 1, 0}, 1)), Decision::discarded);
  EXPECT_EQ(decision(id, logits({-1, 0, 0}, 1)), Decision::discarded);
}

TEST(PairClaims, SparsemaxIsSharpAndStableAtEveryLength) {
  const Statement& claim = statement("selectivity-stability-tradeoff");
  const FamilyResult result = check_families(claim);
  EXPECT_TRUE(result.refutes);
  EXPECT_EQ(result.why_not, "");
  EXPECT_EQ(check_family_witness(claim, result.evidence), "");
  const Family& family = claim.families()->families.front();
  EXPECT_EQ(family.value(*member_of(family.forms, 8)), 8);
}

TEST(PairGenerators, KeepWhatTheyPromise) {
  std::size_t zero = 0;
  for (std::uint64_t number = 0; number < 300; ++number) {
    const Tape tape = random_tape(19, "pairs", number, 512);
    Choices a(tape), b(tape), c(tape);
    const Instance pair = separable_pair(a), weights = weight_pair(b), raised = raised_row(c);
    for (const auto& [id, instance] : {std::pair{"general-lipschitz", &pair}, std::pair{"weights-diameter", &weights},
                                       std::pair{"perturbation-closed-form", &raised}})
      for (const Hypothesis& hypothesis : statement(id).sided()->hypotheses)
        EXPECT_EQ(hypothesis.holds(*instance), Truth::yes) << id << ": " << hypothesis.text;
    zero += sgn(raised.logits[raised.length - 2]) == 0 ? 1 : 0;
  }
  EXPECT_GT(zero, 100u);
  Choices a({}), b({}), c({});
  EXPECT_EQ(separable_pair(a).other_F, std::vector<Rational>{1});
  EXPECT_EQ(weight_pair(b).other_weights, std::vector<Rational>{1});
  EXPECT_EQ(raised_row(c).logits, (std::vector<Rational>{0, 1}));
}

}  // namespace
}  // namespace attncert
