// Exact binomial limits against published values, and verdicts on laws whose mean is known.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "properties/claims/certify/statistics.hpp"
#include "properties/claims/certify/verdict.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;
const std::atomic<bool> no_stop{false};

// Two-sided 95% limits of published tables; with no success in n the upper one is 1 - (error)^(1/n).
TEST(ConfidenceLimits, AreThoseOfTheTables) {
  const Limits five = confidence_limits(20, 5, 0.025);
  EXPECT_NEAR(five.low, 0.0866, 5e-5);
  EXPECT_NEAR(five.high, 0.4910, 5e-5);
  const Limits one = confidence_limits(10, 1, 0.025);
  EXPECT_NEAR(one.low, 0.0025, 5e-5);
  EXPECT_NEAR(one.high, 0.4450, 5e-5);
  const Limits none = confidence_limits(50, 0, 0.025);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 1.0 / 50), 1e-11);
  const Limits all = confidence_limits(50, 50, 0.025);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 50), 1e-11);
}

TEST(ConfidenceLimits, ContainTheMeanAndCloseIn) {
  double width = 1;
  for (const std::uint64_t n : {100u, 10'000u, 1'000'000u}) {
    const Limits limits = confidence_limits(n, n / 4, 0.025);
    EXPECT_LT(limits.low, 0.25);
    EXPECT_GT(limits.high, 0.25);
    EXPECT_LT(limits.high - limits.low, width / 5);
    width = limits.high - limits.low;
  }
}

// The law's mean is 3/4: three signs sum to +-1 in three of four cases.
Statement about(std::vector<RandomLaw> (*laws)()) {
  Statement result = statement("separability-concentration");
  std::get<RandomLaws>(result.kind).laws = laws;
  return result;
}
RandomLaw three_signs(bool at_least, long numerator) {
  for (RandomLaw law : std::get<RandomLaws>(statement("separability-concentration").kind).laws())
    if (law.text.find("(2) N=4 d=1 r=1 ") == 0) {
      law.at_least = at_least;
      law.bound = [numerator](Precision bits) { return Interval(ratio(numerator, 100), bits); };
      return law;
    }
  ADD_FAILURE() << "no such law";
  return {};
}
Counts counts(std::vector<RandomLaw> (*laws)(), std::uint64_t seed = 1) {
  return check_laws(about(laws), {seed, 12'000}, no_stop).counts;
}

TEST(Statistics, BoundsByFiveHundredthsOffAreSeen) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_EQ(counts([] { return std::vector{three_signs(false, 80)}; }, seed).held, 1u);
    EXPECT_EQ(counts([] { return std::vector{three_signs(false, 70)}; }, seed).violated, 1u);
    EXPECT_EQ(counts([] { return std::vector{three_signs(true, 70)}; }, seed).held, 1u);
    EXPECT_EQ(counts([] { return std::vector{three_signs(true, 80)}; }, seed).violated, 1u);
    EXPECT_EQ(counts([] { return std::vector{three_signs(false, 75)}; }, seed).undecided, 1u);
    EXPECT_EQ(counts([] { return std::vector{three_signs(true, 75)}; }, seed).undecided, 1u);
  }
}

TEST(Statistics, AViolatedLawIsNotSupported) {
  EXPECT_EQ(verdict(about(nullptr), counts([] { return std::vector{three_signs(false, 70)}; }), std::nullopt),
            Verdict::undecided);
}

TEST(Statistics, OpenDrawsCountAgainstWhateverTheyWouldHelp) {
  const auto open_half = [] {
    RandomLaw law = three_signs(true, 40);
    law.draw = [](std::uint64_t seed) { return seed % 2 == 0 ? Draw::yes : Draw::open; };
    RandomLaw other = law;
    other.at_least = false;
    other.bound = [](Precision bits) { return Interval(ratio(60, 100), bits); };
    RandomLaw high = law;  // at least 60 of 100: the open ones may be yes, so that it is not violated either
    high.bound = other.bound;
    return std::vector{law, other, high};
  };
  const Counts seen = counts(open_half);
  EXPECT_EQ(seen.held, 1u);  // at least 40 of 100 without them
  EXPECT_EQ(seen.undecided, 2u);
}

TEST(Statistics, TheSameSeedDrawsTheSame) {
  const auto limits = [](std::uint64_t seed) {
    const auto laws = [] { return std::vector{three_signs(false, 80)}; };
    return check_laws(about(laws), {seed, 5000}, no_stop).tightest->lhs;
  };
  EXPECT_EQ(limits(7), limits(7));
  EXPECT_NE(limits(7), limits(8));
}

// Bounds by hand: 1 - 6 exp(-(32/4)(7/8)) = 1 - 6 e^-7; signs: m = 3/2, exp(-(1/2)^2/6) = e^(-1/24), and
// m = E|sum of 8 signs| = 35/16, exp(-(35/16)^2/16) = e^(-1225/4096).
TEST(SeparabilityConcentration, BoundsOfKnownLaws) {
  const auto bound = [](const char* text) {
    for (const RandomLaw& law : std::get<RandomLaws>(statement("separability-concentration").kind).laws())
      if (law.text.find(text) == 0) return law.bound(precision);
    ADD_FAILURE() << text;
    return Interval(0.0, precision);
  };
  const Interval one(1.0, precision);
  EXPECT_EQ(overlaps(bound("(3) N=2 d=32"), one - Interval(6.0, precision) * exp(Interval(-7.0, precision))),
            Truth::yes);
  EXPECT_EQ(overlaps(bound("(2) N=4 d=1"), exp(Interval(ratio(-1, 24), precision))), Truth::yes);
  EXPECT_EQ(overlaps(bound("(2) N=9 d=1"), exp(Interval(ratio(-1225, 4096), precision))), Truth::yes);
  EXPECT_LT(bound("(3) N=2 d=32").width() + bound("(2) N=4 d=1").width() + bound("(2) N=9 d=1").width(), 1e-30);
}

// Each law's limits are wrong with probability 1e-9; the domain speaks of all of them.
TEST(SeparabilityConcentration, TheLevelOfAllLawsIsAsPrinted) {
  const Statement& claim = statement("separability-concentration");
  EXPECT_LE(static_cast<double>(std::get<RandomLaws>(claim.kind).laws().size()) * error_of_a_limit, 1e-8);
  EXPECT_NE(claim.domain.find("1 - 10^-9"), std::string_view::npos);
  EXPECT_NE(claim.domain.find("1 - 10^-8"), std::string_view::npos);
}

}  // namespace
}  // namespace attncert
