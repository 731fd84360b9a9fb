// Claims of equality: exact fixtures (sections: docs/specification.md).
#include <gtest/gtest.h>

#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/claim.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

TEST(EqualityClaims, SecondMomentOfFixture13) {  // y = (1, 0), (0, 1), (1, 1), N = 2: 8/3
  const Rational third = ratio(1, 3);
  const Instance instance = selection({third, third, third}, 2, {3, 0, 0, 3, 3, 3}, 2);
  const Statement& claim = statement("expected-squared-distance");
  expect_value(claim.sided()->parts[0].lhs(instance, precision), ratio(8, 3));
  expect_value(claim.sided()->parts[0].rhs(instance, precision), ratio(8, 3));
  EXPECT_EQ(judge(claim, instance).decision, Decision::equality);
}

TEST(EqualityClaims, FrobeniusNormOfUniformSoftmax) {  // sqrt(L-1)/L
  for (const unsigned length : {2u, 3u, 7u}) {
    const Instance instance = separable(std::vector<Rational>(length, 5), std::vector<Rational>(length, 5));
    const Statement& claim = statement("jacobian-frobenius");
    expect_value(claim.sided()->parts[0].lhs(instance, precision),
                 ratio(static_cast<long>(length) - 1, length * length));
    EXPECT_EQ(judge(claim, instance).decision, Decision::equality);
  }
}

TEST(EqualityClaims, ObservationsLogitsDifferByRootFive) {
  const Instance instance = logits({7, 1, 3}, 1);  // a = 1, e = 2
  const Statement& claim = statement("perturbation-input-distance");
  expect_root(claim.sided()->parts[0].lhs(instance, precision), 20);
  EXPECT_EQ(judge(claim, instance).decision, Decision::equality);
}

TEST(EqualityClaims, NothingIsAdmissibleWhereTheErrorIsNotSpecified) {
  const Instance instance = selection({ratio(1, 2), ratio(1, 2)}, 1, {1, 1}, 1);  // fixture 3: 0 = 1/4 + eps
  const Ruling ruling = judge(statement("theorem1-expectation"), instance);
  EXPECT_EQ(ruling.decision, Decision::discarded);
  EXPECT_EQ(ruling.discarded_by, "the right side is a certain number");
  expect_value(Interval(1.0, precision) - part("theorem1-expectation-main-term").lhs(instance, precision), ratio(3, 4));
}

}  // namespace
}  // namespace attncert
