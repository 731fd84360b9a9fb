// The claims of the neighbouring literature: values that another program computed (mpmath at 60 digits, from the formulas as
// the papers print them), cases of equality, and neighbours of equality.
#include <gtest/gtest.h>

#include "properties/certify/judge.hpp"
#include "properties/certify/search.hpp"
#include "tests/properties/claim_fixtures.hpp"

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
  const auto lhs = [](const Instance& instance) { return statement("softmax-convex-bounds").lhs(instance, precision); };
  // ER upper / linear upper: [cosh 1/(1 + cosh 1)] (1 + e)/e, the tangent's point at 0
  expect_decimals(lhs(boxed({0, -1}, {0, 1}, {0, half}, 1)), "829996598431452080097842253805");
  expect_decimals(lhs(boxed({0, 1, -1}, {1, 0, -2}, {ratio(1, 4), half, ratio(3, 4)}, 2)),
                  "968271692583175242212625848105");
  // ER lower / p
  expect_decimals(lhs(boxed({0, -3, 2}, {half, -2, 2}, {0, half, 0}, 1)), "997855627599440426261836237613");
  // p / ER upper
  expect_decimals(lhs(boxed({0, -6}, {0, -2}, {0, half}, 1)), "998374366297414153624238896400");
}

TEST(ConvexBounds, EqualAtPointsWhoseDifferencesAreAtTheirEnds) {
  const auto decision = [](const Instance& instance) {
    return judge(statement("softmax-convex-bounds"), instance).decision;
  };
  EXPECT_EQ(decision(boxed({3}, {5}, {half}, 1)), Decision::held);  // one token: 1 <= 1 in exact points
  EXPECT_EQ(decision(boxed({1, 2, 3}, {1, 2, 3}, {half, 0, 1}, 1)), Decision::touching);  // no width
  EXPECT_EQ(decision(boxed({0, 1, 2}, {3, -1, 0}, {1, 1, 1}, 1)), Decision::touching);    // all differences lowest
  EXPECT_EQ(decision(boxed({0, 1, 2}, {0, -1, 0}, {0, 1, 0}, 1)), Decision::touching);    // one lowest, one highest
  EXPECT_EQ(decision(boxed({0, 1, 2}, {3, -1, 0}, {1, 0, 1}, 1)), Decision::held);  // a corner that is none of them
  EXPECT_EQ(decision(boxed({0, 1, 2}, {0, -1, 0}, {0, 1, ratio(1, 1UL << 40)}, 1)), Decision::held);
  EXPECT_EQ(decision(boxed({0, -100000, -200000}, {0, -100001, -200000}, {0, half, 0}, ratio(1, 1000))),
            Decision::held);
  EXPECT_EQ(decision(boxed({0, 1}, {0, 2}, {0, ratio(3, 2)}, 1)), Decision::discarded);
}

}  // namespace
}  // namespace attncert
