// The sides of the claims against exact fixtures computed by hand (sections: docs/specification.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/claim.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

// The list is made from the files: each is in it.
std::size_t claim_files() {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ATTNCERT_SOURCE_DIR) + "/properties/claims/catalogue"))
    count += entry.path().extension() == ".cpp";
  return count;
}

TEST(Claims, EveryIdIsListedOnceWithAText) {
  ASSERT_EQ(claims().size(), claim_files());
  for (const Claim& claim : claims()) {
    EXPECT_EQ(find_claim(claim.statement.id), &claim);
    EXPECT_FALSE(claim.statement.text.empty());
    const Sided* const sided = claim.statement.sided();
    if (sided == nullptr) continue;
    EXPECT_TRUE(sided->generate != nullptr && !sided->parts.empty()) << claim.statement.id;
    std::set<std::string_view> names;
    for (const Part& part : sided->parts) {
      EXPECT_TRUE(part.lhs && part.rhs && !part.left.empty() && !part.right.empty()) << claim.statement.id << part.name;
      EXPECT_EQ(part.name.empty(), sided->parts.size() == 1) << claim.statement.id;
      EXPECT_TRUE(names.insert(part.name).second) << claim.statement.id << part.name;
      EXPECT_TRUE(part.relation != Relation::equal || part.attained) << claim.statement.id << part.name;
    }
  }
}

TEST(Claims, DistanceOfEqualTokens) {  // fixture 1
  const Instance instance = selection({ratio(3, 4), ratio(1, 4)}, 1, {ratio(1, 2), ratio(1, 2)}, 1);
  expect_value(part("theorem1-upper").lhs(instance, precision), ratio(1, 4));
  expect_value(part("theorem1-upper").rhs(instance, precision), ratio(1, 8));
  expect_value(part("distance-upper").rhs(instance, precision), ratio(1, 4));
  EXPECT_EQ(judge(statement("theorem1-upper"), instance).decision, Decision::violated);
}

TEST(Claims, DistanceOfOppositeTokensAttainsBothBounds) {  // fixture 2
  const Instance instance = selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1);
  expect_value(part("distance-upper").lhs(instance, precision), 1);
  expect_value(part("distance-upper").rhs(instance, precision), 1);
  expect_value(part("distance-two-sided", "above").lhs(instance, precision), ratio(1, 4));  // 1 - 3/4
  expect_value(part("distance-two-sided", "above").rhs(instance, precision), ratio(1, 4));
  EXPECT_TRUE(part("distance-upper").attained(instance));
  EXPECT_TRUE(part("distance-two-sided", "above").attained(instance));
  EXPECT_TRUE(instance.separable(precision).is(1));
}

TEST(Claims, EqualityBeyondOneDimensionIsDecidedExactly) {
  // x_1 = (1, 1)/3 selected, x_2 = -(2/7) x_1: on the ray from s/A through 0, so (ii) is attained; norms are
  // irrational.
  const Rational t = ratio(-2, 21);
  const Instance equal_sides = selection({ratio(5, 7), ratio(2, 7)}, 2, {ratio(1, 3), ratio(1, 3), t, t}, 1);
  EXPECT_EQ(judge(statement("distance-upper"), equal_sides).decision, Decision::equality);
  const Instance nearly =
      selection({ratio(5, 7), ratio(2, 7)}, 2, {ratio(1, 3), ratio(1, 3), t, t + ratio(1, 1000000)}, 1);
  EXPECT_FALSE(part("distance-upper").attained(nearly));
  EXPECT_EQ(judge(statement("distance-upper"), nearly).decision, Decision::held);
}

TEST(Claims, TetrahedronOfSection6) {  // fixture 5, reading k != i
  const Instance instance = selection({ratio(8, 25), ratio(8, 25), ratio(8, 25), ratio(1, 25)}, 3,
                                      {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}, 3);
  const auto& geometry = instance.selection(precision);
  expect_value(geometry.f[0], ratio(16, 25));
  expect_root(*geometry.r, ratio(243, 625));  // r = 9 sqrt 3 / 25
  EXPECT_TRUE(instance.separable(precision).is(0));
  // xi_A = 16/25 for every selected token, so the right side is (16/25)/r.
  expect_root(part("theorem2-lower").rhs(instance, precision), ratio(256, 243));
  expect_value(part("theorem2-lower").lhs(instance, precision), 1);
}

TEST(Claims, KiteOfSection7HasNoSeparableToken) {  // fixture 6
  const Instance instance = selection({ratio(7, 20), ratio(7, 20), ratio(6, 20)}, 2,
                                      {ratio(3, 5), ratio(4, 5), ratio(3, 5), ratio(-4, 5), 1, 0}, 2);
  const auto& geometry = instance.selection(precision);
  expect_value(*geometry.r, ratio(3, 25));
  expect_value(geometry.f[0], ratio(7, 20));
  EXPECT_TRUE(instance.separable(precision).is(0));
}

TEST(Claims, AntipodalPairExceedsTheoremTwosUpperBound) {  // right side e^(-1/16)
  const Instance instance = selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1);
  // e^(-1/16), docs/specification.md#separable-share
  expect_decimals(part("theorem2-upper").rhs(instance, precision), "939413062813475786119710824622");
  expect_value(part("theorem2-upper").lhs(instance, precision), 1);
}

TEST(Claims, OrthonormalTokensAreAllSeparable) {
  const Instance instance = selection({ratio(1, 2), ratio(1, 4), ratio(1, 4)}, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 2);
  expect_value(part("theorem2-eighty-percent").lhs(instance, precision), 1);
  EXPECT_EQ(judge(statement("theorem2-eighty-percent"), instance).decision, Decision::violated);
}

// N_s by its definition, in plain double; only rows without near ties are compared.
bool separable_in_double(const Instance& instance, std::size_t& separable) {
  const std::size_t d = instance.dimension();
  std::vector<double> s(d, 0.0), f(instance.length);
  for (const std::size_t i : instance.selected)
    for (std::size_t k = 0; k < d; ++k)
      s[k] += approximate(instance.weights[i]) * approximate(instance.tokens->token(i)[k]);
  double r = INFINITY, scale = 0;
  for (std::size_t i = 0; i < instance.length; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const double difference = approximate(instance.weights[i]) * approximate(instance.tokens->token(i)[k]) - s[k];
      square += difference * difference;
    }
    f[i] = std::sqrt(square);
    scale = std::max(scale, f[i]);
  }
  for (const std::size_t j : instance.unselected()) r = std::min(r, f[j]);
  separable = 0;
  for (const std::size_t i : instance.selected) {
    if (std::abs(f[i] - r) < 1e-9 * scale) return false;
    separable += f[i] <= r ? 1 : 0;
  }
  return true;
}

TEST(Claims, SeparableTokensAreCountedAsDefined) {
  const Statement& eighty = statement("theorem2-eighty-percent");
  std::size_t compared = 0, equal_sides = 0;
  for (std::uint64_t number = 0; number < 1500; ++number) {
    const Instance instance = instance_of(eighty, random_case(eighty, 4, number));
    if (instance.count + 1 > instance.length) continue;
    std::size_t expected = 0;
    if (!separable_in_double(instance, expected)) continue;
    ++compared;
    EXPECT_TRUE(instance.separable(precision).is(expected)) << number;
    if (instance.count >= 2 && 5 * expected == 4 * instance.count) {
      ++equal_sides;
      EXPECT_EQ(judge(eighty, instance).decision, Decision::equality) << number;
    }
  }
  EXPECT_GT(compared, 500u);
  EXPECT_GT(equal_sides, 0u);
}

TEST(Claims, SoftmaxOfTwoEqualLogits) {  // fixture 7
  const Instance instance = logits({0, 0}, 1);
  expect_value(part("softmax-quarter-over-temperature").lhs(instance, precision), ratio(1, 2));
  expect_value(part("softmax-quarter-over-temperature").rhs(instance, precision), ratio(1, 4));
  expect_value(part("softmax-half-over-temperature", "l_2").rhs(instance, precision), ratio(1, 2));
  expect_value(part("softmax-largest-entry").lhs(instance, precision), ratio(1, 4));
}

TEST(Claims, TheQuarterIsCappedBySqrtTwo) {
  const Instance cold = logits({0, 0}, ratio(1, 100));
  expect_root(part("softmax-quarter-over-temperature").rhs(cold, precision), 2);
  expect_value(part("softmax-quarter-over-temperature").lhs(cold, precision), 50);
}

TEST(Claims, UniformWeightsHaveEigenvalueOneOverL) {  // fixture 12
  for (const std::size_t length : {2u, 3u, 7u, 24u}) {
    const Instance instance = logits(std::vector<Rational>(length, ratio(5, 3)), ratio(2, 3));
    // lambda_1 = 1/L and ||J||_1 = 2 (1/L)(1 - 1/L), both over T = 2/3
    expect_value(part("softmax-quarter-over-temperature").lhs(instance, precision), ratio(3, 2 * length));
    expect_value(part("softmax-half-over-temperature", "l_1 and l_inf").lhs(instance, precision),
                 ratio(static_cast<long>(3 * (length - 1)), length * length));
  }
  EXPECT_EQ(judge(statement("softmax-quarter-over-temperature"), logits({1, 1, 1, 1}, ratio(1, 3))).decision,
            Decision::equality);
}

TEST(Claims, SharpOnesAttainOrHoldNextToEquality) {
  for (const char* id : {"softmax-half-over-temperature", "softmax-largest-entry"})
    EXPECT_EQ(judge(statement(id), logits({0, 0}, ratio(1, 3))).decision, Decision::equality) << id;
  const Instance close =
      logits({0, 0, -100000}, ratio(1, 3));  // the rest weighs e^-300000: no difference of sides sees it
  EXPECT_EQ(judge(statement("softmax-half-over-temperature"), close).decision, Decision::held);
  EXPECT_EQ(judge(statement("softmax-largest-entry"), close).decision, Decision::held);
}

TEST(Claims, RectifiedLinearJacobian) {  // fixture 8: ||J||_2 = sqrt 3 sqrt 14 / 36
  const Instance instance = separable({1, 2, 3}, {1, 1, 1});
  expect_root(part("lemma2-first-term").lhs(instance, precision), ratio(42, 1296));
  // ||F'|| / (L min F) + ||F|| ||F'|| / (L^2 min F^2) = sqrt 3 / 3 + sqrt 42 / 9
  const Interval rest = part("lemma2-first-term").rhs(instance, precision) - sqrt(Interval(ratio(42, 81), precision));
  expect_root(rest, ratio(1, 3));
}

TEST(Claims, JacobianOfNormExactlySqrtTwoAttainsTheCap) {
  EXPECT_EQ(judge(statement("lemma2-sqrt2-cap"), separable({1, 1}, {4, 0})).decision, Decision::equality);
  EXPECT_EQ(judge(statement("lemma2-sqrt2-cap"), separable({1, 1}, {ratio(41, 10), 0})).decision, Decision::violated);
  EXPECT_EQ(judge(statement("lemma2-sqrt2-cap"), separable({1, 1}, {ratio(39, 10), 0})).decision, Decision::held);
}

TEST(Claims, WeightOrderIsAttainedByOneExtremeAgainstTheRest) {
  const char* id = "weights-order-sharp";
  EXPECT_TRUE(part(id, "above").attained(separable({7, 2, 2, 2}, {0, 0, 0, 0})));
  EXPECT_TRUE(part(id, "below").attained(separable({7, 7, 7, 2}, {0, 0, 0, 0})));
  EXPECT_FALSE(part(id, "below").attained(separable({7, 2, 2, 2}, {0, 0, 0, 0})));
  for (const char* name : {"above", "below"}) {
    EXPECT_FALSE(part(id, name).attained(separable({7, 3, 2, 2}, {0, 0, 0, 0})));
    expect_value(quotient(id, name, separable({1, 2}, {0, 0})), 1);
  }
}

TEST(Claims, HypothesesDiscardWhatTheyMust) {
  const auto discarded_by = [](const char* id, const Instance& instance) {
    return judge(statement(id), instance).discarded_by;
  };
  Instance not_top = selection({ratio(3, 4), ratio(1, 4)}, 1, {1, 1}, 1);
  not_top.selected = {1};
  EXPECT_EQ(discarded_by("distance-upper", not_top), "I is a set of N largest weights");
  EXPECT_EQ(discarded_by("distance-upper", selection({ratio(3, 4), ratio(1, 2)}, 1, {1, 1}, 1)),
            "a_i >= 0 and sum(i: a_i) = 1");
  EXPECT_EQ(discarded_by("theorem2-upper", selection({ratio(3, 4), ratio(1, 4)}, 1, {1, 2}, 1)),
            "tokens on a sphere around 0");
  EXPECT_EQ(discarded_by("theorem2-upper", selection({ratio(3, 4), ratio(1, 4)}, 1, {1, 1}, 1)),
            "separation delta > 0");
  EXPECT_EQ(discarded_by("theorem2-upper", selection({ratio(1, 2), ratio(1, 2)}, 1, {1, -1}, 2)), "N <= L - 1");
  EXPECT_EQ(discarded_by("theorem2-eighty-percent", selection({ratio(1, 2), ratio(1, 2)}, 1, {1, -1}, 1)), "N >= 2");
  EXPECT_EQ(discarded_by("softmax-half-over-temperature", logits({0, 1}, 0)), "T > 0");
  EXPECT_EQ(discarded_by("lemma2-first-term", separable({1, 0}, {1, 1})), "F_i > 0");
}

}  // namespace
}  // namespace attncert
