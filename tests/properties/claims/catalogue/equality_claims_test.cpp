// Claims of equality: exact fixtures (sections: docs/specification.md), and a wrong equality is refuted.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/claim.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

TEST(EqualityClaims, SecondMomentOfFixture13) {  // y = (1, 0), (0, 1), (1, 1), N = 2: 8/3
  const Rational third = ratio(1, 3);
  const Instance instance = selection({third, third, third}, 2, {3, 0, 0, 3, 3, 3}, 2);
  const Statement& claim = statement("expected-squared-distance");
  expect_value(claim.sided()->lhs(instance, precision), ratio(8, 3));
  expect_value(claim.sided()->rhs(instance, precision), ratio(8, 3));
  EXPECT_EQ(judge(claim, instance).decision, Decision::equality);
}

TEST(EqualityClaims, FrobeniusNormOfUniformSoftmax) {  // sqrt(L-1)/L
  for (const unsigned length : {2u, 3u, 7u}) {
    const Instance instance = separable(std::vector<Rational>(length, 5), std::vector<Rational>(length, 5));
    const Statement& claim = statement("jacobian-frobenius");
    expect_value(claim.sided()->lhs(instance, precision), ratio(static_cast<long>(length) - 1, length * length));
    EXPECT_EQ(judge(claim, instance).decision, Decision::equality);
  }
}

TEST(EqualityClaims, ObservationsLogitsDifferByRootFive) {
  const Instance instance = logits({7, 1, 3}, 1);  // a = 1, e = 2
  const Statement& claim = statement("perturbation-input-distance");
  expect_root(claim.sided()->lhs(instance, precision), 20);
  EXPECT_EQ(judge(claim, instance).decision, Decision::equality);
}

TEST(EqualityClaims, NothingIsAdmissibleWhereTheErrorIsNotSpecified) {
  const Instance instance = selection({ratio(1, 2), ratio(1, 2)}, 1, {1, 1}, 1);  // fixture 3: 0 = 1/4 + eps
  const Ruling ruling = judge(statement("theorem1-expectation"), instance);
  EXPECT_EQ(ruling.decision, Decision::discarded);
  EXPECT_EQ(ruling.discarded_by, "eps has a value");
  expect_value(Interval(1.0, precision) - statement("theorem1-expectation-main-term").sided()->lhs(instance, precision),
               ratio(3, 4));
}

// The statement being made wrong below.
const Statement* original = nullptr;

// Every claim of equality with its right side larger by 2^-90 of it, which equals the left one at 0 only.
TEST(EqualityClaims, AWrongEqualityIsRefuted) {
  const std::atomic<bool> never{false};
  std::size_t tried = 0;
  for (const Claim& claim : claims()) {
    const Sided* const sided = claim.statement.sided();
    if (sided == nullptr || sided->relation != Relation::equal || claim.expected == Expected::vacuous) continue;
    ++tried;
    original = &claim.statement;
    Statement wrong = claim.statement;
    wrong.sided()->rhs = [](const Instance& instance, Precision bits) {
      return original->sided()->rhs(instance, bits) * (Interval(1.0, bits) + Interval(0x1p-90, bits));
    };
    wrong.sided()->attained = [](const Instance& instance) {
      const Interval rhs = original->sided()->rhs(instance, precision);
      return rhs.contains(0) && rhs.width() == 0;
    };
    const SearchResult result = search(wrong, {3, 50, 0, 50}, never);
    EXPECT_TRUE(result.counterexample) << wrong.id;
    EXPECT_EQ(result.random.counts.held, 0u) << wrong.id;
    EXPECT_EQ(result.random.counts.undecided, 0u) << wrong.id;
  }
  EXPECT_GE(tried, 3u);
}

}  // namespace
}  // namespace attncert
