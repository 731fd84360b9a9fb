// The guide: of a figure only records are buckets; the elites: the nearest miss of each group, the latest risen first.
#include "fuzz/guide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fuzz/elites.hpp"

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

TEST(Elites, KeepTheNearestMissAndFollowWhatRises) {
  Elites elites;
  const Tape far{1, 1}, near{1, 2}, other{1, 3};
  elites.offer(3, 0.9, near);
  elites.offer(3, 0.5, far);
  std::size_t others = 0;
  const auto ask = [&](std::uint64_t seed) {
    const Tape drawn = random_tape(seed, "test", 0, 16);
    Choices random(drawn);
    return elites.chosen(random);
  };
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto chosen = ask(seed);
    ASSERT_TRUE(chosen.empty() || std::equal(chosen.begin(), chosen.end(), near.begin(), near.end()));
    others += chosen.empty() ? 0 : 1;
  }
  EXPECT_GT(others, 50u);  // 8 of 128 groups are looked at: one time in sixteen
  elites.offer(4, 0.1, other);
  std::size_t risen = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto chosen = ask(seed);
    risen += !chosen.empty() && chosen[1] == 3 ? 1 : 0;
  }
  EXPECT_GT(risen, 50u);
}

}  // namespace
}  // namespace attncert
