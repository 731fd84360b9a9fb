// The test by hand, and against the simulation of docs/specification.md#kolmogorov-smirnov: softmax of normal logits
// over normal tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "study/analysis/kolmogorov_smirnov.hpp"

namespace attncert::report {
namespace {

TEST(KolmogorovSmirnov, GapsByHand) {
  EXPECT_EQ(largest_gap({1, 2, 3, 4}, {1, 2, 3, 4}), 0);
  EXPECT_EQ(largest_gap({1, 2}, {3, 4}), 1);
  EXPECT_EQ(largest_gap({3, 4}, {1, 2}), 1);
  EXPECT_EQ(largest_gap({1, 3, 5, 7}, {2, 3, 4, 8}), 0.25);         // at 1, 5 and 7
  EXPECT_EQ(largest_gap({1, 2, 3, 4}, {2.5, 2.5, 2.5, 2.5}), 0.5);  // just below 2.5, then at it
  EXPECT_EQ(largest_gap({1, 1, 1, 2}, {1, 2, 2, 2}), 0.5);          // ties across the samples count together
  EXPECT_EQ(largest_gap({5}, {5, 5, 5}), 0);
  EXPECT_EQ(largest_gap({1}, {0, 2, 3, 4}), 0.75);  // sizes differ: 1 against 1/4 at 1
}

TEST(KolmogorovSmirnov, CriticalGapAtOnePercent) {
  EXPECT_NEAR(critical_gap(1, 1) / std::sqrt(2), 1.6276, 5e-5);  // docs/specification.md#kolmogorov-smirnov
  EXPECT_NEAR(critical_gap(100, 100), 1.6276 * std::sqrt(0.02), 1e-4);
  EXPECT_NEAR(critical_gap(10, 40), 1.6276 * std::sqrt(50.0 / 400), 1e-4);
}

TEST(KolmogorovSmirnov, ThresholdIsFromWhereNothingRejects) {
  EXPECT_EQ(threshold({{0.1, true}, {0.2, false}, {0.3, true}, {0.4, false}, {0.5, false}}), 0.4);
  EXPECT_EQ(threshold({{0.1, false}, {0.2, false}}), 0.1);
  EXPECT_FALSE(threshold({{0.1, false}, {0.2, true}}));
  EXPECT_FALSE(threshold({}));
}

TEST(KolmogorovSmirnov, ThreeReadingsOfTheExpectation) {
  const DistancePoint point{1, 4, 9};
  EXPECT_EQ(expected(Expectation::printed, point, 100), 4);
  EXPECT_EQ(expected(Expectation::root, point, 100), 20);
  EXPECT_EQ(expected(Expectation::second_moment, point, 100), 30);
}

// d-tilde of a cell is `distance` for row i; N = 2 of L = 8, so the second reading is sqrt(6 expectation).
SelectionLine line_of(std::size_t i, std::size_t N, double distance, double second_moment) {
  SelectionLine line;
  line.row = {i, 0, i % 2, 7};
  line.N = N;
  line.distance = distance;
  line.second_moment = second_moment;
  return line;
}

TEST(KolmogorovSmirnov, LinesOfEverySizeAndReading) {
  SelectionRows rows;
  for (std::size_t i = 0; i < 60; ++i) {
    const auto value = static_cast<double>(i + 1);
    rows.add(line_of(i, 2, 1000, value * value / 6));   // all measured above all expected
    rows.add(line_of(i, 4, value, value * value / 4));  // equal
  }
  const std::vector<KsLine> lines = ks_lines({}, rows.longest().at({}), rows.length());
  ASSERT_EQ(lines.size(), 3u * 4 * 2);  // readings; n = 10, 20, 50, 60; N = 2, 4
  for (std::size_t i = 16; i < lines.size(); ++i) {
    const bool first = lines[i].N == 2;
    EXPECT_EQ(lines[i].reading, "second moment");
    EXPECT_EQ(lines[i].n, (std::vector<std::size_t>{10, 20, 50, 60})[(i - 16) / 2]);
    EXPECT_EQ(lines[i].ratio, first ? 0.25 : 0.5);
    EXPECT_EQ(lines[i].gap, first ? 1 : 0);
    EXPECT_EQ(lines[i].rejected, first ? 1u : 0u);
    EXPECT_EQ(lines[i].threshold, 0.5);
  }
  const KsHeads heads = ks_heads(Expectation::second_moment, rows.longest().at({}), rows.length());
  EXPECT_EQ(heads.heads, 2u);  // 30 windows each
  EXPECT_EQ(heads.never, 0u);
  EXPECT_EQ(heads.fewest_rows, 30u);
  EXPECT_EQ(heads.most_rows, 30u);
  EXPECT_EQ(heads.least, 0.5);
  EXPECT_EQ(heads.most, 0.5);
}

TEST(KolmogorovSmirnov, HeadsWithFewWindowsAreNotTestedAlone) {
  SelectionRows rows;
  for (std::size_t i = 0; i < 2 * fewest_samples - 1; ++i) rows.add(line_of(i, 2, 1, 1));  // 10 and 9 windows
  EXPECT_EQ(ks_heads(Expectation::root, rows.longest().at({}), rows.length()).heads, 1u);
}

// d-tilde and its exact second moment (docs/specification.md#expected-distance) of every N of the list, for one row of
// normal logits and tokens.
void add_simulated(std::size_t window, std::mt19937_64& random, SelectionRows& rows) {
  constexpr std::size_t L = 256, d = 16;
  std::normal_distribution<double> normal;
  std::vector<double> weights(L);
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(normal(random));
  std::sort(weights.rbegin(), weights.rend());  // tokens are independent of the weights, so that their order is free
  std::vector<std::array<double, d>> y(L);
  std::array<double, d> mean{}, s{};
  double A = 0, B = 0;
  for (std::size_t i = 0; i < L; ++i)
    for (std::size_t k = 0; k < d; ++k) {
      y[i][k] = weights[i] / sum * normal(random);
      mean[k] += y[i][k];
      A += y[i][k] * y[i][k];
    }
  for (const double part : mean) B += part * part;
  std::size_t selected = 0;
  for (const double ratio :
       {.01, .03, .06, .12, .18, .24, .3, .36, .42, .46, .5, .55, .6, .66, .72, .77, .82, .88, .934, .97, .996}) {
    const auto N = static_cast<std::size_t>(std::ceil(ratio * L));
    for (; selected < N; ++selected)
      for (std::size_t k = 0; k < d; ++k) s[k] += y[selected][k];
    SelectionLine line;
    line.row = {window, 0, 0, L - 1};
    line.N = N;
    for (std::size_t i = N; i < L; ++i) {
      double square = 0;
      for (std::size_t k = 0; k < d; ++k) square += (y[i][k] - s[k]) * (y[i][k] - s[k]);
      line.distance += std::sqrt(square);
    }
    const auto n = static_cast<double>(N), all = static_cast<double>(L);
    line.second_moment = (all - n) / all * ((n + 1) * A + n * (n - 3) / (all - 1) * (B - A));
    rows.add(line);
  }
}

// N*/L of one simulation, by n.
std::map<std::size_t, double> simulated(std::uint64_t seed) {
  SelectionRows rows;
  std::mt19937_64 random(seed);
  for (std::size_t window = 0; window < 200; ++window) add_simulated(window, random, rows);
  std::map<std::size_t, double> thresholds;
  for (const KsLine& line : ks_lines({}, rows.longest().at({}), rows.length()))
    if (line.reading == "second moment") thresholds[line.n] = line.threshold;
  return thresholds;
}

// docs/specification.md#kolmogorov-smirnov (sigma = 1, tokens of mean 0): N*/L = 60, 77, 82, 93% for n = 20, 50, 100,
// 200, of one simulation, printed to the percent. It moves from draw to draw, most for small n; the printed one lies
// among nine others.
TEST(KolmogorovSmirnov, TheThresholdMovesWithTheSampleSizeAsInTheSimulation) {
  std::map<std::size_t, std::vector<double>> all;
  for (std::uint64_t seed = 0; seed < 9; ++seed)
    for (const auto& [n, threshold] : simulated(seed)) all[n].push_back(threshold);
  double before = 0;
  for (const auto& [n, printed] : std::map<std::size_t, double>{{20, 0.60}, {50, 0.77}, {100, 0.82}, {200, 0.93}}) {
    std::sort(all.at(n).begin(), all.at(n).end());
    EXPECT_GE(printed, all.at(n).front() - 0.005) << "n = " << n;
    EXPECT_LE(printed, all.at(n).back() + 0.005) << "n = " << n;
    EXPECT_GE(all.at(n)[4], before) << "n = " << n;  // the median
    before = all.at(n)[4];
  }
}

}  // namespace
}  // namespace attncert::report
