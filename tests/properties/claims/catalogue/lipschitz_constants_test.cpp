// The Lipschitz constants of the normalizers (docs/specification.md#normalizers) are upper bounds and no smaller ones
// are: pairs of rows that reach them, the search on ten seeds, and Taylor softmax's by Sturm's theorem.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "properties/claims/certify/search.hpp"
#include "tests/properties/claims/catalogue/lipschitz_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

Instance around(const Row& center, const Row& step, const Rational& scale) {
  Row row = center, other = center;
  for (std::size_t i = 0; i < center.size(); ++i) {
    row[i] += step[i] * scale;
    other[i] -= step[i] * scale;
  }
  return pair(std::move(row), std::move(other));
}

// Below 1 and supremum over L: what lipschitz-entmax's known rows of 4096 tokens reach, and two tokens.
double reached(std::string_view id, std::string_view part) {
  const std::pair<std::string_view, double> alphas[] = {{"alpha = 11/10", std::pow(2, -0.9)},
                                                        {"alpha = 5/4", std::pow(2, -0.75)},
                                                        {"alpha = 4/3", 0.749056},
                                                        {"alpha = 3/2", 0.913291},
                                                        {"alpha = 7/4", 0.991804}};
  for (const auto& [name, value] : alphas)
    if (id == "lipschitz-entmax" && part == name) return value;
  return 1;
}

// No smaller constant would do: the claim's known instances come within 10^-6 of it in every norm.
TEST(LipschitzConstants, AreReachedByTheKnownInstances) {
  for (const Claim& claim : claims()) {
    const std::string_view id = claim.statement.id;
    if (!id.starts_with("lipschitz-") && id != "entmax-lipschitz-length" && id != "softmax-half-lipschitz-lp") continue;
    const std::vector<Instance> known = known_instances(claim.statement);
    ASSERT_FALSE(known.empty()) << id;
    for (const Part& part : claim.statement.sided()->parts) {
      double largest = 0;
      for (const Instance& instance : known)
        largest = std::max(largest, (part.lhs(instance, precision) / part.rhs(instance, precision)).lower());
      EXPECT_GT(largest, reached(id, part.name) - 1e-6) << id << " " << part.name;
      EXPECT_LE(largest, reached(id, part.name) + 1e-6) << id << " " << part.name;
    }
  }
}

// Seed 1 is that of certify/lipschitz-..., ten seeds: lipschitz_sweep_test.cpp.
TEST(LipschitzConstants, NothingStaysUndecidedOnASecondSeed) {
  const std::atomic<bool> never{false};
  for (const Claim& claim : claims()) {
    if (!claim.statement.id.starts_with("lipschitz-")) continue;
    const SearchResult result = search(claim.statement, {2, 60, 30, 10, 0}, never);
    for (const Tally* tally : {&result.known, &result.random, &result.climbed, &result.long_rows}) {
      EXPECT_EQ(tally->counts.undecided, 0u) << claim.statement.id;
      EXPECT_EQ(tally->counts.violated, 0u) << claim.statement.id;
    }
    EXPECT_GT(result.random.counts.admissible, 30u) << claim.statement.id;
  }
}

// Rows that come as near to the constants of log-softmax as exp(-10^30) are decided by the slack.
TEST(LipschitzConstants, OneHotRowsOfLogSoftmax) {
  const Rational tiny(1, mpz_class("1000000000000000000000000000000"));
  for (const Row& step : {Row{1, 0, 0}, Row{2, -1, -1}, Row{1, -1, -1}})
    for (const Rational& t : {tiny, ratio(1, 1000)}) {
      Instance instance = around({10, 0, 0}, step, ratio(1, 10));
      instance.temperature = t;
      EXPECT_EQ(decision("lipschitz-log-softmax", instance), Decision::held);
    }
}

// The judge asks for the slack next to equality only; here it stands against the sides everywhere. Nothing holds it at
// 0.
TEST(LipschitzConstants, SlackOfLogSoftmaxIsWhatTheSidesLeave) {
  const Statement& claim = statement("lipschitz-log-softmax");
  std::size_t tried = 0, narrow = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    const Instance instance = instance_of(claim, random_tape(29, claim.id, number, 768));
    if (instance.length < 2 || instance.logits == instance.other_logits) continue;
    for (const Part& part : claim.sided()->parts) {
      const Interval sides = part.rhs(instance, precision) - part.lhs(instance, precision);
      const Interval slack = part.slack(instance, precision);
      EXPECT_EQ(overlaps(slack, sides), Truth::yes) << number << part.name << slack.text() << sides.text();
      const double small = 1e-30 * part.rhs(instance, precision).upper();
      narrow += slack.width() < small && sides.width() < small ? 1 : 0;
    }
    ++tried;
  }
  EXPECT_GT(tried, 400u);
  EXPECT_GT(narrow, 600u);  // the others have exponents beyond the precision
}

// Sturm's theorem: how many real roots a polynomial (constant term first) without multiple ones has.
using Coefficients = Row;

Coefficients negated_remainder(Coefficients a, const Coefficients& b) {
  while (a.size() >= b.size()) {
    const Rational factor = a.back() / b.back();
    for (std::size_t k = 0; k < b.size(); ++k) a[a.size() - b.size() + k] -= factor * b[k];
    a.pop_back();  // its leading term is 0 now
  }
  while (!a.empty() && sgn(a.back()) == 0) a.pop_back();
  for (Rational& c : a) c = -c;
  return a;
}

int real_roots(const Coefficients& p) {
  std::vector<Coefficients> chain = {p, {}};
  for (std::size_t k = 1; k < p.size(); ++k) chain[1].push_back(p[k] * static_cast<unsigned long>(k));
  while (true) {
    Coefficients next = negated_remainder(chain[chain.size() - 2], chain.back());
    if (next.empty()) break;
    chain.push_back(std::move(next));
  }
  const auto changes = [&](bool far_right) {
    int count = 0, last = 0;
    for (const Coefficients& q : chain) {
      const int sign = sgn(q.back()) * (far_right || q.size() % 2 == 1 ? 1 : -1);
      count += last != 0 && sign != last ? 1 : 0;
      last = sign;
    }
    return count;
  };
  return changes(false) - changes(true);
}

Coefficients kappa_bound(const Rational& kappa, unsigned long order, int sign) {  // kappa F_n + sign F_(n-1)
  Coefficients p;
  Rational factorial = 1;
  for (unsigned long k = 0; k <= order; ++k) {
    if (k > 0) factorial *= k;
    p.push_back((kappa + (k < order ? sign : 0)) / factorial);
  }
  return p;
}

TEST(LipschitzConstants, TaylorConstantsAreUpperBounds) {
  EXPECT_EQ(real_roots({-2, 0, 1}), 2);  // x^2 - 2, x^2 + 2, x^3 - x
  EXPECT_EQ(real_roots({2, 0, 1}), 0);
  EXPECT_EQ(real_roots({0, -1, 0, 1}), 3);
  for (const unsigned long order : {4ul, 6ul, 8ul}) {
    const std::string name = "n = " + std::to_string(order) + ", l_inf";
    const Interval half = right("lipschitz-taylor-softmax", name, pair({1, 0}, {0, 0}));
    const Rational unit = ratio(1, 10000000000);
    const mpz_class units(std::lround(2e10 * half.midpoint()));
    const Rational kappa = units * unit;
    expect_value(half, kappa / 2);
    EXPECT_EQ(real_roots(kappa_bound(kappa, order, 1)), 0) << order;
    EXPECT_EQ(real_roots(kappa_bound(kappa, order, -1)), 0) << order;
    EXPECT_EQ(real_roots(kappa_bound(kappa - unit, order, 1)), 2) << order;  // and not by chance
  }
}

}  // namespace
}  // namespace attncert
