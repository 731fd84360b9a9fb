#include "src/core/share_counts.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace attncert {
namespace {

// Against the sorted list: never below the value of that rank, and an eighth above it at most.
TEST(ShareCounts, ReachWhatTheSortedListDoes) {
  std::mt19937_64 random(7);
  std::vector<double> shares;
  ShareCounts counts;
  for (int n = 0; n < 20'000; ++n) {
    shares.push_back(std::exp2(-16 + 24 * static_cast<double>(random() >> 11) * 0x1p-53));
    counts.add(shares.back());
  }
  std::sort(shares.begin(), shares.end());
  for (const double part : {0.001, 0.25, 0.5, 0.9, 0.999, 1.0}) {
    const double exact = shares[static_cast<std::size_t>(std::ceil(part * 20'000)) - 1];
    EXPECT_GE(counts.reach(part), exact) << part;
    EXPECT_LE(counts.reach(part), 1.125 * exact) << part;
  }
}

TEST(ShareCounts, TheEndsHoldWhatIsBeyondThem) {
  ShareCounts none, nothing, far;
  EXPECT_EQ(none.reach(0.999), 0);
  nothing.add(0);
  EXPECT_LE(nothing.reach(1), 0x1.2p-16);
  far.add(1e300);
  EXPECT_EQ(far.reach(1), INFINITY);
  ShareCounts nan;
  nan.add(NAN);
  EXPECT_EQ(nan.reach(1), INFINITY);
}

TEST(ShareCounts, OneInAThousandIsLeftOut) {
  ShareCounts counts;
  for (int n = 0; n < 999; ++n) counts.add(0.25);
  counts.add(0.9);
  EXPECT_LT(counts.reach(0.999), 0.3);
  counts.add(0.9);
  EXPECT_GE(counts.reach(0.999), 0.9);
}

}  // namespace
}  // namespace attncert
