// Ten seeds of search for every claim about a Lipschitz constant: none violated, none undecided. Labelled slow.
#include <gtest/gtest.h>

#include "properties/claims/certify/search.hpp"

namespace attncert {
namespace {

TEST(LipschitzSweep, NothingStaysUndecidedOnTenSeeds) {
  const std::atomic<bool> never{false};
  std::size_t swept = 0;
  for (const Claim& claim : claims()) {
    if (!claim.statement.id.starts_with("lipschitz-")) continue;
    ++swept;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const SearchResult result = search(claim.statement, {seed, 60, 30, 10, 300}, never);
      for (const Tally* tally : {&result.known, &result.random, &result.climbed, &result.long_rows}) {
        EXPECT_EQ(tally->counts.undecided, 0u) << claim.statement.id << " seed " << seed;
        EXPECT_EQ(tally->counts.violated, 0u) << claim.statement.id << " seed " << seed;
      }
      EXPECT_GT(result.random.counts.admissible, 30u) << claim.statement.id << " seed " << seed;
    }
  }
  EXPECT_EQ(swept, 16u);
}

}  // namespace
}  // namespace attncert
