// The split-KV kernel: a row's bits are its own, however it is called; what it refuses.
#include "src/attention/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/attention/drawn_call.hpp"

namespace attncert {
namespace {

TEST(SplitAttention, GivesARowTheSameBitsAloneAmongOthersAndOnThreads) {
  static const float sinks[] = {0.5F, -2};
  constexpr std::size_t queries = 37, keys = 300, parts = 7;
  DrawnCall all(queries, keys);
  all.a.flags = ATTNCERT_CAUSAL;
  all.a.causal_offset = 250;
  all.a.sinks = sinks;
  all.a.bias = {all.bias.data(), 0, queries * keys, keys};
  ASSERT_EQ(split_attention(all.a, ATTNCERT_F32, parts, 1), ATTNCERT_ATTENTION_OK);
  const std::vector<float> o = all.o, lse = all.lse;
  for (const std::size_t threads : {2U, 3U, 16U}) {
    std::fill(all.o.begin(), all.o.end(), -7.0F);
    std::fill(all.lse.begin(), all.lse.end(), -7.0F);
    ASSERT_EQ(split_attention(all.a, ATTNCERT_F32, parts, threads), ATTNCERT_ATTENTION_OK);
    EXPECT_EQ(all.o, o);
    EXPECT_EQ(all.lse, lse);
  }
  for (std::size_t i = 0; i < queries; ++i) {
    DrawnCall one(queries, keys);
    one.takes_query(all, i);
    ASSERT_EQ(split_attention(one.a, ATTNCERT_F32, parts, 2), ATTNCERT_ATTENTION_OK);
    for (std::size_t h = 0; h < DrawnCall::heads; ++h) {
      EXPECT_EQ(one.lse[h], lse[h * queries + i]);
      for (std::size_t c = 0; c < DrawnCall::value_size; ++c)
        EXPECT_EQ(one.o[h * DrawnCall::value_size + c], o[(h * queries + i) * DrawnCall::value_size + c])
            << "query " << i;
    }
  }
}

TEST(SplitAttention, RefusesWhatIsNoValidCallAndTakesCallsThatReachFar) {
  static const std::size_t lengths[] = {3};
  DrawnCall few(2, 3), far(2, 3);
  few.a.scale = NAN;
  EXPECT_EQ(split_attention(few.a, ATTNCERT_F32, 2, 1), ATTNCERT_ATTENTION_BAD_ARGUMENT);
  few.a.scale = 0.25F;
  EXPECT_EQ(split_attention(few.a, ATTNCERT_F32, 0, 1), ATTNCERT_ATTENTION_BAD_ARGUMENT);
  EXPECT_EQ(split_attention(few.a, ATTNCERT_F32, 2, 0), ATTNCERT_ATTENTION_BAD_ARGUMENT);
  for (const float number : few.o) EXPECT_EQ(number, -7);
  ASSERT_EQ(split_attention(few.a, ATTNCERT_F32, 2, 1), ATTNCERT_ATTENTION_OK);
  far.a.keys = std::numeric_limits<std::size_t>::max();
  far.a.lengths = lengths;
  far.a.flags = ATTNCERT_CAUSAL;
  far.a.causal_offset = std::numeric_limits<std::int64_t>::max();
  ASSERT_EQ(split_attention(far.a, ATTNCERT_F32, 2, 1), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(far.o, few.o);
  far.a.causal_offset = std::numeric_limits<std::int64_t>::min();
  ASSERT_EQ(split_attention(far.a, ATTNCERT_F32, 2, 1), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(far.lse[1], -std::numeric_limits<float>::infinity());
  far.a.lengths = nullptr;
  for (const std::int64_t offset :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    far.a.causal_offset = offset;
    EXPECT_EQ(split_attention(far.a, ATTNCERT_F32, 2, 1), ATTNCERT_ATTENTION_NO_RESOURCES);
  }
}

// Batches of 300, 0 and 70 keys, padded to 300, against each alone.
TEST(SplitAttention, GivesARowTheSameBitsPaddedOrNot) {
  static const float sinks[] = {0.5F, -2};
  static const std::size_t lengths[] = {300, 0, 70}, none[] = {0};
  constexpr std::size_t queries = 3, keys = 300, batches = 3,
                        outputs = DrawnCall::heads * queries * DrawnCall::value_size;
  DrawnCall all(queries, keys);
  for (const float* const with : {static_cast<const float*>(nullptr), static_cast<const float*>(sinks)}) {
    all.o.assign(batches * outputs, -7);
    all.lse.assign(batches * DrawnCall::heads * queries, -7);
    all.a.batches = batches;
    all.a.lengths = lengths;
    all.a.sinks = with;
    all.a.o = {all.o.data(), outputs, queries * DrawnCall::value_size, DrawnCall::value_size};
    all.a.lse = all.lse.data();
    ASSERT_EQ(split_attention(all.a, ATTNCERT_F32, 4, 2), ATTNCERT_ATTENTION_OK);
    for (std::size_t b = 0; b < batches; ++b) {
      DrawnCall one(queries, keys);
      one.a.sinks = with;
      if (lengths[b] == 0) one.a.lengths = none;
      else one.a.keys = lengths[b];
      ASSERT_EQ(split_attention(one.a, ATTNCERT_F32, 4, 1), ATTNCERT_ATTENTION_OK);
      for (std::size_t n = 0; n < outputs; ++n) EXPECT_EQ(all.o[b * outputs + n], one.o[n]) << b;
      for (std::size_t r = 0; r < one.lse.size(); ++r) EXPECT_EQ(all.lse[b * one.lse.size() + r], one.lse[r]) << b;
    }
  }
}

}  // namespace
}  // namespace attncert
