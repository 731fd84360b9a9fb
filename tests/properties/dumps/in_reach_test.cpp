// Which keys a row may keep, with offsets and windows of any size.
#include <gtest/gtest.h>

#include <limits>

#include "properties/dumps/host/case_arguments.hpp"

namespace attncert {
namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max(),
                       lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t longest = std::numeric_limits<std::size_t>::max();

TEST(InReach, TakesOffsetsAndWindowsOfAnySize) {
  attncert_attention_arguments call{};
  call.flags = ATTNCERT_CAUSAL;
  EXPECT_TRUE(in_reach(call, 0, 7, 9, highest, 0));
  EXPECT_FALSE(in_reach(call, 0, 7, 9, highest, 1));
  EXPECT_TRUE(in_reach(call, 0, 7, 9, highest, longest));
  EXPECT_FALSE(in_reach(call, 0, 7, 9, lowest, 0));
  call.flags = 0;
  EXPECT_TRUE(in_reach(call, 0, 7, 9, lowest, 1));
  EXPECT_TRUE(in_reach(call, 0, 7, 0, lowest, longest));
  // The window ends at key 7 + (2^63 - 1) - (2^63 - 2) = 8.
  EXPECT_FALSE(in_reach(call, 0, 7, 8, highest, static_cast<std::size_t>(highest) - 1));
  EXPECT_TRUE(in_reach(call, 0, 7, 9, highest, static_cast<std::size_t>(highest) - 1));
  // The other side begins at key 7 + 1, and at 7 - 2^63 + (2^63 + 1) = 8.
  call.window_after = 1;
  EXPECT_TRUE(in_reach(call, 0, 7, 7, 0, 0));
  EXPECT_FALSE(in_reach(call, 0, 7, 8, 0, 0));
  EXPECT_FALSE(in_reach(call, 0, 7, 0, lowest, 0));
  EXPECT_TRUE(in_reach(call, 0, 7, 1000, highest, 0));
  call.window_after = static_cast<std::size_t>(highest) + 2;
  EXPECT_TRUE(in_reach(call, 0, 7, 7, lowest, 0));
  EXPECT_FALSE(in_reach(call, 0, 7, 8, lowest, 0));
  call.window_after = longest;
  EXPECT_TRUE(in_reach(call, 0, 7, 1000, 0, 0));
}

}  // namespace
}  // namespace attncert
