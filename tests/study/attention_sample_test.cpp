// Samples are the rows of smallest hash, whatever the order; what is kept of a million lines is bounded, what is
// counted is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "study/analysis/measured_rows.hpp"
#include "study/analysis/sample.hpp"
#include "study/analysis/slope.hpp"

namespace attncert::report {
namespace {

std::vector<RowKey> rows(std::size_t count) {
  std::vector<RowKey> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({i / 16, i / 4 % 4, i % 4, 1023});
  return list;
}

TEST(Sample, KeepsTheSmallestHashesInTheirOrderWhateverTheOrderOfArrival) {
  std::vector<RowKey> keys = rows(1000);
  std::mt19937 random(1);
  std::vector<std::vector<std::size_t>> kept;
  for (int round = 0; round < 3; ++round, std::shuffle(keys.begin(), keys.end(), random)) {
    Sample<RowKey> sample(50);
    for (const RowKey& key : keys) sample.add(key, key);
    EXPECT_EQ(sample.seen(), 1000u);
    kept.emplace_back();
    for (const RowKey& key : sample.values()) kept.back().push_back(key.window * 16 + key.layer * 4 + key.head);
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> all;
  for (const RowKey& key : rows(1000)) all.push_back({hash(key), key.window * 16 + key.layer * 4 + key.head});
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> smallest;
  for (std::size_t i = 0; i < 50; ++i) smallest.push_back(all[i].second);
  for (const auto& list : kept) EXPECT_EQ(list, smallest);
}

TEST(Sample, HashesDifferInEveryPartOfTheKey) {
  const RowKey row{3, 2, 1, 0};
  for (const RowKey& other : {RowKey{2, 3, 1, 0}, RowKey{3, 2, 0, 1}, RowKey{3, 2, 1, 1}, RowKey{4, 2, 1, 0}})
    EXPECT_NE(hash(row), hash(other));
}

// The mean place of a random half of 0..n-1 is (n-1)/2 within 5 standard errors, n / sqrt(12 k) sqrt(1 - k/n).
TEST(Sample, IsNotDrawnFromOneEnd) {
  Sample<double> sample(5000);
  for (std::size_t i = 0; i < 10000; ++i) sample.add({i, 0, 0, 0}, static_cast<double>(i));
  double sum = 0;
  for (const double place : sample.values()) sum += place;
  EXPECT_NEAR(sum / 5000, 4999.5, 5 * 10000 / std::sqrt(12.0 * 5000) * std::sqrt(0.5));
}

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  EXPECT_EQ(quantile({1, 2, 4, 8}, 0.5), 3);
  EXPECT_EQ(quantile({1, 2, 4, 8}, 0), 1);
  EXPECT_EQ(quantile({1, 2, 4, 8}, 1), 8);
  EXPECT_EQ(quantile({1, 2, 4, 8}, 0.25), 1.75);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(sorted(std::vector<double>{3, NAN, 1, INFINITY}, [](double x) { return x; }), (std::vector<double>{1, 3}));
}

TEST(Slope, IsTheExponentOfAPowerLaw) {
  EXPECT_NEAR(*log_slope({{0.01, 300}, {0.03, 100}, {0.1, 30}}), -1, 1e-12);
  EXPECT_NEAR(*log_slope({{1, 1}, {10, 100}}), 2, 1e-12);
  EXPECT_FALSE(log_slope({{1, 1}}));
  EXPECT_FALSE(log_slope({{1, 1}, {1, 2}}));
  EXPECT_FALSE(log_slope({{1, 0}, {2, 2}}));
  EXPECT_FALSE(log_slope({{1, NAN}, {2, 2}}));
}

TEST(SelectionRows, AMillionLinesLeaveBoundedSamplesAndExactCounts) {
  SelectionRows kept;
  SelectionLine line;
  line.N = 5;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    line.row = {i / 16, i / 4 % 4, i % 4, i < 1000 ? 511u : 1023u};  // the first thousand rows are shorter
    line.separable_most = i % 6;                                     // 0 to 5 of 5
    kept.add(line);
  }
  ASSERT_EQ(kept.length(), 1024u);
  const auto& cell = kept.longest().at({}).at(5);
  EXPECT_EQ(cell.rows.seen(), 999'000u);
  EXPECT_EQ(cell.rows.size(), rows_a_cell);
  EXPECT_EQ(cell.heads.size(), 16u);
  for (const auto& [head, sample] : cell.heads) EXPECT_EQ(sample.size(), rows_a_head);
  EXPECT_EQ(kept.five().at({}).at(512).seen(), 1000u);
  EXPECT_EQ(kept.five().at({}).at(1024).size(), rows_a_length);
  // i = 1000 is 4 modulo 6 and 999,000 = 6 * 166,500
  EXPECT_EQ(cell.counts.rows, 999'000u);
  EXPECT_EQ(cell.counts.below, 4 * 166'500u);  // 0, .2, .4, .6
  EXPECT_EQ(cell.counts.inside, 166'500u);     // .8
  EXPECT_EQ(cell.counts.above, 166'500u);      // 1
  EXPECT_NEAR(cell.counts.sum, 3 * 166'500.0, 1e-3);
}

TEST(JacobianRows, ALongerRowDiscardsWhatShorterOnesLeft) {
  JacobianRows kept;
  JacobianLine line;
  for (const std::size_t query : {7u, 31u, 31u, 7u}) {
    line.row.query = query;
    line.own = 1, line.quarter = 0.25, line.temperature = 1;
    line.spectral = query == 31 ? 0.3 : 0.2;
    kept.add(line);
    line.own = 0, line.quarter = 0.025, line.temperature = 10;  // not the pass's
    kept.add(line);
  }
  EXPECT_EQ(kept.length(), 32u);
  EXPECT_EQ(kept.longest().at(1).rows.seen(), 2u);
  EXPECT_EQ(kept.at_own(), 4u);
  EXPECT_EQ(kept.above_quarter(), 2u);
  EXPECT_EQ(kept.longest().at(1).exact_beyond, 2u);
  line.own = 1, line.quarter = NAN, line.temperature = 1, line.row.query = 31,
  line.spectral = 0.3;  // no bound: neither within nor beyond
  kept.add(line);
  EXPECT_EQ(kept.at_own(), 4u);
  EXPECT_EQ(kept.longest().at(1).bounded, 2u);
  EXPECT_EQ(kept.longest().at(1).exact_beyond, 2u);
  EXPECT_EQ(kept.longest().at(1).rows.values().at(0).spectral, 0.3);
}

}  // namespace
}  // namespace attncert::report
