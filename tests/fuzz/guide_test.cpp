// The guide: of a figure only records are buckets; the elites: the nearest miss of each group, the latest risen first.
#include "fuzz/guide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fuzz/elites.hpp"
#include "fuzz/rank.hpp"

namespace attncert {
namespace {

TEST(Guide, OnlyRecordsCount) {
  std::vector<std::uint8_t> counters(Guide::size);
  Guide guide{counters};
  const auto touched = [&](double fraction) {
    std::fill(counters.begin(), counters.end(), std::uint8_t{0});
    guide.fraction(3, fraction);
    return std::count(counters.begin(), counters.end(), 1);
  };
  EXPECT_EQ(touched(0.8), 1);
  EXPECT_EQ(touched(0.6), 0);
  EXPECT_EQ(touched(0.95), 1);
  EXPECT_EQ(touched(0.8), 0);
}

TEST(Rank, IsOfTheErrorBeyondHalfAnUlp) {
  EXPECT_EQ(beyond_rounding(0, 0), 0);
  EXPECT_EQ(beyond_rounding(0.5, 0.125), 0);      // 4 are allowed
  EXPECT_EQ(beyond_rounding(2.25, 0.5625), 0.5);  // of the 3.5 beyond
  EXPECT_EQ(beyond_rounding(4, 1), 1);
  EXPECT_EQ(beyond_rounding(8, 2), 2);       // a violation, by its fraction
  EXPECT_EQ(beyond_rounding(0.25, 0.5), 0);  // no more than half an ulp is allowed
  EXPECT_EQ(beyond_rounding(0.75, 0), 0);    // of another entry: no division by 0
  EXPECT_EQ(beyond_rounding(0.51, 1), 1);
  EXPECT_GT(rank(0.01, 4), rank(1, 0.52));
  EXPECT_EQ(rank(1.5, 0.52), 1.5);
}

TEST(Guide, CountsARegimeTheFirstTime) {
  std::vector<std::uint8_t> counters(Guide::size);
  Guide guide{counters};
  const auto touched = [&](std::size_t group, unsigned which) {
    std::fill(counters.begin(), counters.end(), std::uint8_t{0});
    guide.flag(group, which);
    return std::count(counters.begin(), counters.end(), 1);
  };
  EXPECT_EQ(touched(3, 0), 1);
  EXPECT_EQ(touched(3, 31), 1);
  EXPECT_EQ(touched(3, 0), 0);
  EXPECT_EQ(touched(4, 0), 1);
}

TEST(Guide, TellsTheNearestOnce) {
  std::vector<std::uint8_t> counters(Guide::size);
  Guide guide{counters};
  guide.fraction(3, 0.5);
  guide.fraction(5, 0.75);
  guide.fraction(7, 0.25);
  const Guide::Nearest nearest = guide.take_nearest();
  EXPECT_EQ(nearest.group, 5u);
  EXPECT_EQ(nearest.fraction, 0.75);
  EXPECT_EQ(guide.take_nearest().fraction, 0);
  Guide silent = Guide::silent();
  silent.fraction(3, 0.5);
  EXPECT_EQ(silent.take_nearest().fraction, 0);
}

std::span<const std::uint8_t> asked(Elites& elites, std::uint64_t seed) {
  const Tape drawn = random_tape(seed, "test", 0, 16);
  Choices random(drawn);
  return elites.chosen(random);
}

TEST(Elites, KeepTheNearestMissAndFollowWhatRises) {
  Elites elites;
  EXPECT_TRUE(asked(elites, 1).empty());
  const Tape far{1, 1}, near{1, 2}, other{1, 3}, nearer{1, 4}, risen{1, 5};
  elites.offer(3, 0.9, near);
  EXPECT_FALSE(elites.wants(3, 0.5));
  EXPECT_TRUE(elites.wants(4, 0.5));
  elites.offer(3, 0.5, far);
  const auto share = [&](const Tape& of) {  // of 200
    int count = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto chosen = asked(elites, seed);
      count += std::equal(chosen.begin(), chosen.end(), of.begin(), of.end()) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(share(near), 200);
  elites.offer(4, 0.1, other);
  EXPECT_GT(share(other), 190);         // 8 draws of two groups miss one of them once in 256
  elites.offer(3, 0.9 + 1e-6, nearer);  // what to start from, but no rise
  EXPECT_LT(share(nearer), 130);
  EXPECT_EQ(share(near), 0);
  elites.offer(4, 0.2, risen);
  EXPECT_GT(share(risen), 190);
}

}  // namespace
}  // namespace attncert
