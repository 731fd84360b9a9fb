// The Lipschitz constants of the normalizers (docs/specification.md#normalizers) are upper bounds and no smaller ones
// are: pairs of rows that reach them, the search on ten seeds, and Taylor softmax's by Sturm's theorem.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "properties/claims/certify/search.hpp"
#include "tests/properties/claims/catalogue/lipschitz_fixtures.hpp"

namespace attncert {
namespace {

using namespace fixtures;

struct Reached {
  const char* id;
  Instance instance;
};

Instance around(const Row& center, const Row& step, const Rational& scale, Row parameters = numbers(2, 1, 0, 2, 2)) {
  Row row = center, other = center;
  for (std::size_t i = 0; i < center.size(); ++i) {
    row[i] += step[i] * scale;
    other[i] -= step[i] * scale;
  }
  return pair(std::move(row), std::move(other), 1, std::move(parameters));
}

// Pairs next to each constant, every norm of those rules that have one of their own: the largest quotient exceeds 0.99.
std::vector<Reached> reached() {
  const Rational tenth = ratio(1, 10), small = ratio(1, 100);
  const Row apart = {1, -1}, top = {1, -1, 0};
  return {
      {"lipschitz-softmax", around({0, 0}, apart, small)},
      {"lipschitz-log-softmax", around({1000, 0, 0}, {1, 0, 0}, tenth)},    // l_1
      {"lipschitz-log-softmax", around({1000, 0, 0}, {2, -1, -1}, tenth)},  // l_2
      {"lipschitz-log-softmax", around({1000, 0, 0}, {1, -1, -1}, tenth)},  // l_inf
      {"lipschitz-sparsemax", around({0, 0, 0}, {1, 0, 0}, tenth)},         // l_1
      {"lipschitz-sparsemax", around({0, 0, -9, -9}, {1, -1, 0, 0}, tenth)},
      {"lipschitz-sparsemax", around({0, 0, 0}, {1, -1, -1}, tenth)},  // l_inf
      {"lipschitz-entmax-three-halves", around({0, 0, -9}, top, small)},
      {"lipschitz-entmax", around({0, 0}, apart, small)},
      {"lipschitz-ssmax", around({0, 0}, apart, small, numbers(2, -1, 0, 2, 2))},
      {"lipschitz-softmax1", around({50, 50}, apart, small)},
      {"lipschitz-softmax1", around({0}, {1}, small)},
      {"lipschitz-sigmoid", around({-1, 7}, {1, 0}, small, numbers(2, 1, 1, 2, 2))},
      {"lipschitz-sigmoid-normalized", around({-20, -20}, apart, small)},
      {"lipschitz-relu-normalized", pair({2, 2, 3}, {1, 2, 3})},                                // l_1
      {"lipschitz-relu-normalized", pair({5, 3, 1}, {1, 2, 3})},                                // l_2
      {"lipschitz-relu-normalized", pair({ratio(1, 2), ratio(3, 2), ratio(7, 2)}, {1, 2, 3})},  // l_inf
      {"lipschitz-taylor-softmax", around({0, 0}, apart, small)},
      {"lipschitz-taylor-softmax", around({-2, -2}, apart, small)},
      // where |F_(n-1)/F_n| is largest, found on a grid of 10^-4
      {"lipschitz-taylor-softmax",
       around({ratio(-26258, 10000), ratio(-26258, 10000)}, apart, small, numbers(2, 1, 0, 2, 4))},
      {"lipschitz-taylor-softmax",
       around({ratio(-32371, 10000), ratio(-32371, 10000)}, apart, small, numbers(2, 1, 0, 2, 6))},
      {"lipschitz-taylor-softmax",
       around({ratio(-38392, 10000), ratio(-38392, 10000)}, apart, small, numbers(2, 1, 0, 2, 8))},
      {"lipschitz-sa-softmax-v0", around({1000, 1000}, apart, small)},
      {"lipschitz-sa-softmax-v1", around({0, 0, -1000}, top, small)},
      {"lipschitz-sa-softmax-v2", around({0, 0, -1000}, top, small)},
      {"lipschitz-sa-softmax-v3", around({0, 0, -1000}, top, small)},
      {"lipschitz-sa-softmax-v3", around({1000, 1000, -5}, top, small)},
      {"lipschitz-top-k-softmax", around({0, 0, -5}, top, small)},
      {"entmax-lipschitz-length", weights({ratio(1, 2), ratio(1, 2), 0})},
      {"entmax-lipschitz-length", weights(heavy(ratio(10, 11), 1000))},
  };
}

Interval (*whole)(const Instance&, Precision) = nullptr;  // the right side that is shaved
Interval shaved(const Instance& instance, Precision at) { return whole(instance, at) * Interval(ratio(99, 100), at); }

TEST(LipschitzConstants, EveryConstantIsViolatedWhenShavedByOnePercent) {
  for (const auto& [id, instance] : reached()) {
    const Decision full = decision(id, instance);
    EXPECT_TRUE(full == Decision::held || full == Decision::equality) << id << " " << name(full);
    Statement wrong = statement(id);
    whole = wrong.sided()->rhs;
    wrong.sided()->rhs = shaved;
    wrong.sided()->slack = nullptr;
    EXPECT_EQ(judge(wrong, instance).decision, Decision::violated) << id << " " << left(id, instance).text();
  }
}

// Ten seeds: lipschitz_sweep_test.cpp.
TEST(LipschitzConstants, NothingStaysUndecidedOnTwoSeeds) {
  const std::atomic<bool> never{false};
  std::string last;
  for (const auto& [id, unused] : reached()) {
    if (id == last) continue;
    last = id;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const SearchResult result = search(statement(id), {seed, 60, 30, 10}, never);
      for (const Tally* tally : {&result.random, &result.climbed}) {
        EXPECT_EQ(tally->counts.undecided, 0u) << id << " seed " << seed;
        EXPECT_EQ(tally->counts.violated, 0u) << id << " seed " << seed;
      }
      EXPECT_GT(result.random.counts.admissible, 30u) << id << " seed " << seed;
    }
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
    const Interval sides = claim.sided()->rhs(instance, precision) - claim.sided()->lhs(instance, precision);
    const Interval slack = claim.sided()->slack(instance, precision);
    EXPECT_EQ(overlaps(slack, sides), Truth::yes) << number << slack.text() << sides.text();
    ++tried;
    narrow += slack.width() < 1e-30 && sides.width() < 1e-30 ? 1 : 0;
  }
  EXPECT_GT(tried, 400u);
  EXPECT_GT(narrow, 200u);  // the others have exponents beyond the precision
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
    const Rational kappa =
        2 * right("lipschitz-taylor-softmax", pair({1, 0}, {0, 0}, 1, numbers(2, 1, 0, 2, order))).lower_exact();
    const Rational unit = ratio(1, 100000);
    EXPECT_EQ(real_roots(kappa_bound(kappa, order, 1)), 0) << order;
    EXPECT_EQ(real_roots(kappa_bound(kappa, order, -1)), 0) << order;
    EXPECT_EQ(real_roots(kappa_bound(kappa - unit, order, 1)), 2) << order;  // and not by chance
  }
}

}  // namespace
}  // namespace attncert
