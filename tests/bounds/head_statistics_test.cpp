// Head statistics against enclosures written here by the definitions (-sum p ln p and so on, in intervals of 256 bits),
// exact cases by hand, and weights moved by the relative error the caller states.
#include "src/bounds/head_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reference/interval.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/bounds/holds.hpp"

namespace attncert::bounds {
namespace {

constexpr Precision bits{256};
// -ln p_1 of a weight with all but 2^-2100 of the mass: the largest ratio of doubles, where 256 bits cannot decide.
constexpr Precision deep_bits{2400};

struct Figures {
  Interval entropy, n_eff, participation, top_mass, largest, sink, margin;
  std::size_t support = 0;
};

// By the definitions, in the order they are printed. Weights as intervals, so that doubles and quotients of them serve.
Figures figures_of(const std::vector<Interval>& weights, std::size_t k) {
  std::vector<Interval> descending = weights;
  std::sort(descending.begin(), descending.end(),
            [](const Interval& a, const Interval& b) { return less(b, a) == Truth::yes; });
  const Precision precision = weights[0].precision();
  const Interval total = sum(weights, precision), none(0.0, precision), one(1.0, precision);
  Interval squares = none, entropy = none, top = none;
  std::size_t support = 0;
  for (const Interval& w : weights) {
    const Interval p = w / total;
    squares += square(p);
    if (w.upper() == 0) continue;
    ++support;
    entropy -= p * log(p);
  }
  for (std::size_t i = 0; i < std::min(k, descending.size()); ++i) top += descending[i];
  const Interval second = descending.size() > 1 ? descending[1] : none;
  return {entropy,
          exp(entropy),
          one / squares,
          k >= support ? one : top / total,  // all there is: 1, not an enclosure of it
          descending[0] / total,
          weights[0] / total,
          (descending[0] - second) / total,
          support};
}

template <class T>
std::vector<Interval> intervals(const std::vector<T>& weights, Precision precision) {
  std::vector<Interval> given;
  for (const T w : weights) given.emplace_back(static_cast<double>(w), precision);
  return given;
}

std::string complaint(const HeadStatistics& got, const Figures& truth) {
  if (got.support != truth.support) return "support";
  if (!holds(got.entropy, truth.entropy)) return "entropy";
  if (!holds(got.n_eff, truth.n_eff)) return "n_eff";
  if (!holds(got.participation, truth.participation)) return "participation";
  if (!holds(got.top_mass, truth.top_mass)) return "top_mass";
  if (!holds(got.largest, truth.largest)) return "largest";
  if (!holds(got.sink, truth.sink)) return "sink";
  return holds(got.margin, truth.margin) ? "" : "margin";
}

template <class T>
std::string complaint(const HeadStatistics& got, const std::vector<T>& row, std::size_t k) {
  const std::string first = complaint(got, figures_of(intervals(row, bits), k));
  return first.empty() ? first : complaint(got, figures_of(intervals(row, deep_bits), k));
}

double relative(Certified number) { return number.error / number.value; }

// Kinds of rows: what heads look like and what breaks sums, logarithms and quotients.
constexpr int row_kinds = 12;
template <class T>
std::vector<T> row_of_kind(int kind, std::size_t length, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const auto tiny = static_cast<double>(std::numeric_limits<T>::denorm_min());
  const double small = sizeof(T) == 8 ? 1e-300 : 1e-36, large = sizeof(T) == 8 ? 1e300 : 1e36;
  std::vector<T> row(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double x = uniform(random);
    const double choices[row_kinds] = {x,
                                       std::exp(3 * normal(random)),
                                       std::exp(-700 * x * (sizeof(T) == 8 ? 1 : 0.1)),
                                       1,                                // flat
                                       1 + 1e-6 * x,                     // nearly flat
                                       i == length / 2 ? 1 : small * x,  // one and a tail of 1e-300
                                       i == 0 ? 1 : 1e-12 * x,           // a sink
                                       std::floor(4 * x) / 4,            // ties and zeros
                                       large * x,                        // the sum overflows
                                       tiny * std::floor(100 * x + 1),   // subnormal throughout
                                       i % 7 == 3 ? large : tiny,        // ratios that underflow
                                       std::pow(2.0, -static_cast<double>(i))};
    row[i] = static_cast<T>(choices[kind]);
  }
  if (std::count(row.begin(), row.end(), T{0}) == static_cast<std::ptrdiff_t>(length)) row.back() = 1;
  return row;
}

template <class T>
void check_rows_of_every_kind(int repeats) {
  std::mt19937_64 random(20251021);
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (int kind = 0; kind < row_kinds; ++kind)
      for (const std::size_t length : {1u, 2u, 3u, 7u, 8u, 9u, 33u, 130u}) {
        const std::vector<T> row = row_of_kind<T>(kind, length, random);
        const std::size_t k = 1 + random() % (length + 1);
        const HeadStatistics got = head_statistics<T>(row, k);
        ASSERT_EQ(complaint(got, row, k), "")
            << "kind " << kind << " L " << length << " k " << k << " repeat " << repeat;
      }
}

TEST(HeadStatistics, ErrorsHoldOnThousandsOfRows) {
  check_rows_of_every_kind<double>(20);  // 20 * 12 * 8 rows
  check_rows_of_every_kind<float>(15);
}

TEST(HeadStatistics, ErrorsHoldOnEveryInstructionSet) {
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    SCOPED_TRACE(name);
    check_rows_of_every_kind<double>(2);
    check_rows_of_every_kind<float>(1);
  }
}

TEST(HeadStatistics, LongRowsAndHowSharpTheErrorsAre) {
  std::mt19937_64 random(5);
  for (const std::size_t length : {1024u, 4096u, 65536u})
    for (const int kind : {0, 1, 3, 6}) {
      const std::vector<double> row = row_of_kind<double>(kind, length, random);
      const std::size_t k = length / 8;
      const HeadStatistics got = head_statistics<double>(row, k);
      EXPECT_EQ(complaint(got, row, k), "") << "kind " << kind << " L " << length;
      for (const Certified& number : {got.entropy, got.n_eff, got.participation, got.top_mass, got.largest, got.sink})
        EXPECT_LE(relative(number), 1e-12) << "kind " << kind << " L " << length;
    }
}

// One weight dominates: the error is relative to the entropy, however small it is.
TEST(HeadStatistics, SmallEntropiesKeepTheirDigits) {
  for (const double rest : {1e-3, 1e-9, 1e-17, 1e-40, 1e-290}) {
    const std::vector<double> row{rest, 1, rest / 3};
    const HeadStatistics got = head_statistics<double>(row, 1);
    EXPECT_EQ(complaint(got, row, 1), "") << rest;
    EXPECT_LE(relative(got.entropy), 1e-14) << rest;
    EXPECT_GT(got.entropy.value, rest);
  }
}

TEST(HeadStatistics, CasesByHand) {
  const Interval three_halves(1.5, bits), ln2 = log(Interval(2.0, bits));
  const std::vector<double> quarters{0.25, 0.5, 0.25};
  const HeadStatistics row = head_statistics<double>(quarters, 2);
  EXPECT_TRUE(holds(row.entropy, three_halves * ln2));
  EXPECT_TRUE(holds(row.n_eff, exp(three_halves * ln2)));
  EXPECT_TRUE(holds(row.participation, Interval(8.0, bits) / Interval(3.0, bits)));
  EXPECT_EQ(row.top_mass.value, 0.75);
  EXPECT_EQ(row.largest.value, 0.5);
  EXPECT_EQ(row.sink.value, 0.25);
  EXPECT_EQ(row.margin.value, 0.25);
  EXPECT_EQ(row.support, 3u);

  for (const std::size_t length : {2u, 5u, 1000u}) {
    const std::vector<float> flat(length, 0.3F);
    const HeadStatistics got = head_statistics<float>(flat, 1);
    const Interval count(static_cast<double>(length), bits);
    EXPECT_TRUE(holds(got.entropy, log(count)));
    EXPECT_TRUE(holds(got.n_eff, count));
    EXPECT_TRUE(holds(got.participation, count));
    EXPECT_EQ(got.margin.value, 0);
    EXPECT_EQ(got.support, length);
  }
}

TEST(HeadStatistics, OneHotRowsAreExact) {
  const std::vector<std::vector<double>> rows{{3}, {0, 5e-324, 0}, {1e308, 0}};
  for (const std::vector<double>& row : rows) {
    const HeadStatistics got = head_statistics<double>(row, 1);
    for (const Certified& number : {got.n_eff, got.participation, got.top_mass, got.largest, got.margin}) {
      EXPECT_EQ(number.value, 1);
      EXPECT_EQ(number.error, 0);
    }
    EXPECT_EQ(got.entropy.value, 0);
    EXPECT_EQ(got.entropy.error, 0);
    EXPECT_EQ(got.sink.value, row[0] > 0 ? 1 : 0);
    EXPECT_EQ(got.support, 1u);
  }
}

TEST(HeadStatistics, AllOfTheSupportHasMassOneExactly) {
  const std::vector<double> row{0.1, 0.2, 0, 0.4};
  for (const std::size_t k : {3u, 4u, 100u}) {
    const Certified mass = head_statistics<double>(row, k).top_mass;
    EXPECT_EQ(mass.value, 1);
    EXPECT_EQ(mass.error, 0);
  }
  EXPECT_LT(head_statistics<double>(row, 2).top_mass.value, 0.99);
}

TEST(HeadStatistics, WhatIsNoRowIsUnknown) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> rows{{}, {0, 0}, {1, -1e-300}, {1, nan}, {infinite, 1}};
  for (const std::vector<double>& row : rows) {
    const HeadStatistics got = head_statistics<double>(row, 1);
    EXPECT_TRUE(std::isnan(got.entropy.value) && std::isnan(got.sink.value) && std::isnan(got.margin.value));
    EXPECT_EQ(got.entropy.error, infinite);
    EXPECT_EQ(got.support, 0u);
  }
  const std::vector<double> row{1, 2};
  for (const double relative_error : {-1e-9, 0.2, nan})
    EXPECT_TRUE(std::isnan(head_statistics<double>(row, 1, relative_error).entropy.value));
}

// The weights meant lie anywhere within the stated relative error: at its ends, in the directions that change most.
TEST(HeadStatistics, CoversTheRelativeErrorOfTheWeights) {
  std::mt19937_64 random(11);
  for (int repeat = 0; repeat < 300; ++repeat)
    for (const double rho : {1e-15, 1e-7, 0.01, 0.125}) {
      const std::vector<double> row = row_of_kind<double>(repeat % row_kinds, 2 + random() % 12, random);
      if (std::count(row.begin(), row.end(), 0.0) + 1 == std::ssize(row)) continue;  // one-hot: exact, with error 0
      // given = meant * (1 +- rho): large and small weights pulled apart, pushed together, or at random.
      const double largest = *std::max_element(row.begin(), row.end());
      std::vector<Interval> meant;
      for (const double w : row) {
        const bool up = repeat % 3 == 0 ? random() % 2 == 0 : (w >= largest / 2) == (repeat % 3 == 1);
        meant.push_back(Interval(w, deep_bits) / (Interval(1.0, deep_bits) + Interval(up ? rho : -rho, deep_bits)));
      }
      const std::size_t k = 1 + random() % row.size();
      EXPECT_EQ(complaint(head_statistics<double>(row, k, rho), figures_of(meant, k)), "")
          << "rho " << rho << " repeat " << repeat;
    }
}

// One weight has nearly all of sum w^2 and a long tail nearly all of sum w: participation changes by nearly 4 rho.
TEST(HeadStatistics, ParticipationCoversItsWorstCase) {
  const double rho = 1e-3;
  std::vector<double> row(40000, 1);
  row[7] = 2000;
  std::vector<Interval> meant;
  for (const double w : row)
    meant.push_back(Interval(w, bits) / (Interval(1.0, bits) + Interval(w > 1 ? rho : -rho, bits)));
  const Interval exact = square(sum(meant, bits)) / sum_of_squares(meant, bits);
  const Certified got = head_statistics<double>(row, 1, rho).participation;
  EXPECT_TRUE(holds(got, exact));
  EXPECT_LE(got.error, 1.1 * std::abs(got.value - exact.midpoint()));
}

}  // namespace
}  // namespace attncert::bounds
