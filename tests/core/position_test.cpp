// Diagonals and windows, as far as the numbers that give them reach.
#include "src/core/position.hpp"

#include <gtest/gtest.h>

namespace attncert {
namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max(),
                       lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(Position, LowersAsFarAsThereAreNumbers) {
  EXPECT_EQ(lowered(5, 7), -2);
  EXPECT_EQ(lowered(highest, most), lowest);  // 2^63 - 1 - (2^64 - 1) = -2^63
  EXPECT_EQ(lowered(highest, most - 1), lowest + 1);
  EXPECT_EQ(lowered(highest - 1, most), lowest);
  EXPECT_EQ(lowered(lowest, 0), lowest);
  EXPECT_EQ(lowered(lowest, 1), lowest);
  EXPECT_EQ(lowered(lowest + 1, 1), lowest);
  EXPECT_EQ(lowered(0, std::uint64_t{1} << 63), lowest);
}

TEST(Position, RaisesAsFarAsThereAreNumbers) {
  EXPECT_EQ(raised(-5, 7), 2);
  EXPECT_EQ(raised(lowest, most), highest);  // -2^63 + 2^64 - 1 = 2^63 - 1
  EXPECT_EQ(raised(lowest, most - 1), highest - 1);
  EXPECT_EQ(raised(lowest + 1, most), highest);
  EXPECT_EQ(raised(highest, 1), highest);
  EXPECT_EQ(raised(-1, std::uint64_t{1} << 63), highest);
}

TEST(Position, IsExactAmongKeysAndElseOnTheSameSideOfThem) {
  constexpr std::size_t last = (std::size_t{1} << 61) - 1;
  for (const std::size_t query : {std::size_t{0}, std::size_t{3}, last}) {
    const auto at = static_cast<std::int64_t>(query);
    EXPECT_EQ(position(query, 0, 0), at);
    EXPECT_EQ(position(query, highest, static_cast<std::uint64_t>(highest) + 2), at - 2);
    EXPECT_GT(position(query, highest, 0), static_cast<std::int64_t>(last));
    EXPECT_LT(position(query, lowest, 0), 0);
    EXPECT_LT(position(query, highest, most), 0);
    EXPECT_LT(position(query, lowest, most), 0);
  }
}

}  // namespace
}  // namespace attncert
