// The sums give the very ends that the operators give, contain the exact sum, and meet Arb's dot product.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/reference/arb_ball.hpp"
#include "tests/reference/random_set.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t sum_cases = 1000;

struct Rows {
  explicit Rows(std::uint64_t number, Precision p)
      : tape(random_tape(20251021, "sums", number, 2000)), choices(tape), scale(random_set(choices)) {
    const std::uint64_t length = choices.below(8);
    for (std::uint64_t k = 0; k < length; ++k) {
      a.push_back(random_set(choices));
      b.push_back(random_set(choices));
      x.push_back(interval(a.back(), p));
      y.push_back(interval(b.back(), p));
    }
  }
  Tape tape;
  Choices choices;
  RandomSet scale;
  std::vector<RandomSet> a, b;
  std::vector<Interval> x, y;
};

// 1 for what is beyond a double.
double double_near(const Rational& value) {
  const double near = value.get_d();
  return std::isfinite(near) ? near : 1;
}

TEST(Sums, AreTheOperatorsSums) {
  for (std::uint64_t n = 0; n < sum_cases; ++n) {
    const Precision p{n % 2 == 0 ? 64 : 130};
    const Rows rows(n, p);
    const Interval scale = interval(rows.scale, p);
    Interval total(0.0, p), product = total, squares = total, distance = total, scaled = total;
    for (std::size_t k = 0; k < rows.x.size(); ++k) {
      total += rows.x[k];
      product += rows.x[k] * rows.y[k];
      squares += square(rows.x[k]);
      distance += square(rows.x[k] - rows.y[k]);
      scaled += square(scale * rows.x[k] - rows.y[k]);
    }
    ASSERT_TRUE(same_ends(sum(rows.x, p), total)) << n;
    ASSERT_TRUE(same_ends(dot(rows.x, rows.y, p), product)) << n;
    ASSERT_TRUE(same_ends(sum_of_squares(rows.x, p), squares)) << n;
    ASSERT_TRUE(same_ends(squared_distance(rows.x, rows.y, p), distance)) << n;
    ASSERT_TRUE(same_ends(squared_distance_scaled(scale, rows.x, rows.y, p), scaled)) << n;
  }
}

// Some entries are 0, some whole lines.
TEST(Sums, WithDoublesAreTheOperatorsSums) {
  for (std::uint64_t n = 0; n < sum_cases; ++n) {
    const Precision p{n % 2 == 0 ? 64 : 130};
    Rows rows(n, p);
    if (n % 5 == 0 && rows.x.size() > 2) rows.x[0] = rows.x[2] = Interval::whole_line(p);
    const Interval to = interval(rows.scale, p), one(1.0, p);
    std::vector<double> values, others;
    Interval total(0.0, p), multiple = total, product = total, distance = total;
    std::vector<Interval> each, weights;
    for (std::size_t k = 0; k < rows.x.size(); ++k) {
      values.push_back(k % 3 == 2 ? 0 : double_near(element(rows.b[k], rows.choices)));
      others.push_back(double_near(element(rows.a[k], rows.choices)));
      weights.push_back(abs(rows.x[k]));
      const Interval value(values[k], p);
      total += value;
      multiple += rows.x[k] * value;
      product += Interval(values[k], p) * Interval(others[k], p);
      distance += weights[k] * abs(value - to);
      each.push_back(one + to * value);
    }
    ASSERT_TRUE(same_ends(sum(values, p), total)) << n;
    ASSERT_TRUE(same_ends(dot(rows.x, values, p), multiple)) << n;
    // Two columns, of the values and of what they are multiplied with elsewhere.
    std::vector<std::array<double, 2>> pairs;
    std::vector<const double*> places;
    for (std::size_t k = 0; k < values.size(); ++k) pairs.push_back({values[k], others[k]});
    for (const auto& pair : pairs) places.push_back(pair.data());
    ASSERT_TRUE(same_ends(weighted_distances(weights, places, std::vector{to, one}, p)[0], distance)) << n;
    ASSERT_TRUE(same_ends(weighted_sums(rows.x, places, 2, p)[0], multiple)) << n;
    ASSERT_TRUE(same_ends(weighted_sums(rows.x, places, 2, p)[1], dot(rows.x, others, p))) << n;
    std::vector<Interval> totals(values.size(), one);
    add_multiples(totals, to, values);
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_TRUE(same_ends(totals[k], each[k])) << n;
    // Products of doubles are exact here, and have up to 106 bits.
    const Interval exactly = dot(values, others, p);
    ASSERT_TRUE(p.bits < 106 || same_ends(exactly, product)) << n;
    Rational sum_of_products;
    for (std::size_t k = 0; k < values.size(); ++k) sum_of_products += exact(values[k]) * exact(others[k]);
    ASSERT_TRUE(exactly.contains(sum_of_products)) << n;
    ASSERT_LE(exactly.width(), product.width()) << n;
  }
}

TEST(Sums, ContainTheExactSumOfElements) {
  for (std::uint64_t n = 0; n < sum_cases; ++n) {
    Rows rows(n, {n % 2 == 0 ? 64 : 130});
    const Precision p{n % 3 == 0 ? 40 : 64};  // below the items' precision too
    const Rational c = element(rows.scale, rows.choices);
    Rational total, product, squares, distance, scaled;
    for (std::size_t k = 0; k < rows.x.size(); ++k) {
      const Rational s = element(rows.a[k], rows.choices), t = element(rows.b[k], rows.choices);
      const Rational difference = s - t, scaled_difference = c * s - t;
      total += s;
      product += s * t;
      squares += s * s;
      distance += difference * difference;
      scaled += scaled_difference * scaled_difference;
    }
    ASSERT_TRUE(sum(rows.x, p).contains(total)) << n;
    ASSERT_TRUE(dot(rows.x, rows.y, p).contains(product)) << n;
    ASSERT_TRUE(sum_of_squares(rows.x, p).contains(squares)) << n;
    ASSERT_TRUE(squared_distance(rows.x, rows.y, p).contains(distance)) << n;
    ASSERT_TRUE(squared_distance_scaled(interval(rows.scale, p), rows.x, rows.y, p).contains(scaled)) << n;
    ASSERT_EQ(dot(rows.x, rows.y, p).precision(), p);
  }
}

TEST(Sums, ArbAgreesAndLongRowsStayTight) {
  const std::size_t length = 4096;
  const Precision p{64};
  std::vector<Interval> x, y;
  arb_t total, term, other;
  arb_init(total);
  arb_init(term);
  arb_init(other);
  const Tape tape = random_tape(20251021, "long-sums", 0, 16 * length);
  Choices choices(tape);
  for (std::size_t k = 0; k < length; ++k) {
    const double s = choices.unit() + 0x1p-10, t = choices.unit() + 0x1p-10;
    x.emplace_back(s, p);
    y.emplace_back(t, p);
    arb_set_d(term, s);
    arb_set_d(other, t);
    arb_addmul(total, term, other, judge_bits);
  }
  ArbBall judge;
  arb_set(judge.get(), total);
  const Interval ours = dot(x, y, p);
  EXPECT_TRUE(meets(ours, judge));
  EXPECT_LE(ours.relative_width(), 2 * static_cast<double>(2 * length) * 0x1p-64);  // one rounding per * and +, per end
  EXPECT_TRUE(same_ends(dot(x, x, p), sum_of_squares(x, p))) << "aliased rows, nonnegative: x * x is x^2";
  EXPECT_TRUE(same_ends(squared_distance(x, x, p), Interval(0.0, p)));
  arb_clear(total);
  arb_clear(term);
  arb_clear(other);
}

}  // namespace
}  // namespace attncert
