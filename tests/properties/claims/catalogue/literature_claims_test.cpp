// The claims of the neighbouring literature: values that another program computed (mpmath at 60 digits, from the
// formulas as the papers print them), cases of equality, and neighbours of equality.
#include <gtest/gtest.h>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

Instance boxed(std::vector<Rational> z, std::vector<Rational> other, std::vector<Rational> theta,
               const Rational& temperature) {
  Instance instance = logits(std::move(z), temperature);
  instance.other_logits = std::move(other);
  instance.parameters = std::move(theta);
  return instance;
}

const Rational half = ratio(1, 2);

TEST(ConvexBounds, TightestOfTheThreeQuotients) {
  const auto largest = [](const Instance& instance) { return largest_quotient("softmax-convex-bounds", instance); };
  // ER upper / linear upper: [cosh 1/(1 + cosh 1)] (1 + e)/e, the tangent's point at 0
  expect_decimals(largest(boxed({0, -1}, {0, 1}, {0, half}, 1)), "829996598431452080097842253805");
  expect_decimals(largest(boxed({0, 1, -1}, {1, 0, -2}, {ratio(1, 4), half, ratio(3, 4)}, 2)),
                  "968271692583175242212625848105");
  // ER lower / p
  expect_decimals(largest(boxed({0, -3, 2}, {half, -2, 2}, {0, half, 0}, 1)), "997855627599440426261836237613");
  // p / ER upper
  expect_decimals(largest(boxed({0, -6}, {0, -2}, {0, half}, 1)), "998374366297414153624238896400");
}

TEST(ConvexBounds, EqualAtPointsWhoseDifferencesAreAtTheirEnds) {
  const auto decision = [](const Instance& instance) {
    return judge(statement("softmax-convex-bounds"), instance).decision;
  };
  EXPECT_EQ(decision(boxed({3}, {5}, {half}, 1)), Decision::held);  // one token: 1 <= 1 in exact points
  EXPECT_EQ(decision(boxed({1, 2, 3}, {1, 2, 3}, {half, 0, 1}, 1)), Decision::equality);  // no width
  EXPECT_EQ(decision(boxed({0, 1, 2}, {3, -1, 0}, {1, 1, 1}, 1)), Decision::equality);    // all differences lowest
  EXPECT_EQ(decision(boxed({0, 1, 2}, {0, -1, 0}, {0, 1, 0}, 1)), Decision::equality);    // one lowest, one highest
  EXPECT_EQ(decision(boxed({0, 1, 2}, {3, -1, 0}, {1, 0, 1}, 1)), Decision::held);  // a corner that is none of them
  EXPECT_EQ(decision(boxed({0, 1, 2}, {0, -1, 0}, {0, 1, ratio(1, 1UL << 40)}, 1)), Decision::held);
  EXPECT_EQ(decision(boxed({0, -100000, -200000}, {0, -100001, -200000}, {0, half, 0}, ratio(1, 1000))),
            Decision::held);
  EXPECT_EQ(decision(boxed({0, 1}, {0, 2}, {0, ratio(3, 2)}, 1)), Decision::discarded);
}

Instance in_bits(std::vector<Rational> values, long bits) {
  Instance instance = logits(std::move(values), 1);
  instance.parameters = {Rational(bits)};
  return instance;
}

// The algorithm in mpmath with its own rounding to p bits.
TEST(RoundingError, LargestErrorOverItsBound) {
  const auto largest = [](const Instance& instance) { return largest_quotient("softmax-rounding-error", instance); };
  const std::vector<Rational> row = {ratio(1, 3), ratio(-5, 7), 2, ratio(1, 10)};
  expect_decimals(largest(in_bits({0, 1, 2}, 8)), "114571468926232655556287274314");
  expect_decimals(largest(in_bits(row, 8)), "120828859362697926290621600888");
  expect_decimals(largest(in_bits(row, 24)), "256229905416768198204731300051");
  expect_decimals(largest(logits(row, 1)), "256229905416768198204731300051");  // captured logits have 24 bits
  expect_decimals(largest(in_bits({5, -3, 5, 0, 1}, 11)), "141106361742762632412142142338");  // log-sum-exp
  expect_decimals(largest(in_bits({ratio(-1, 3), ratio(-1, 2)}, 4)), "140848507599017175122496762207");
}

TEST(RoundingError, HypothesesDiscard) {
  const Statement& claim = statement("softmax-rounding-error");
  EXPECT_EQ(judge(claim, in_bits({1}, 8)).discarded_by, "L >= 2");
  EXPECT_EQ(judge(claim, in_bits({1, 2}, 65)).discarded_by, "p is a whole number from 2 to 64");
  EXPECT_EQ(judge(claim, in_bits({0, 1025}, 24)).discarded_by, "max x - min x <= 1024");
  EXPECT_EQ(judge(claim, in_bits({0, 1024}, 24)).decision, Decision::held);
}

}  // namespace
}  // namespace attncert
