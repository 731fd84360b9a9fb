// The suite's own attention kernels: judged like anybody's library, by the class that they declare; the same bits
// however their rows are called; and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "properties/conformance/kills/kill_matrix.hpp"
#include "src/attention/attention.hpp"
#include "src/attention/row_weights.hpp"
#include "src/attention/split.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/attention/drawn_call.hpp"
#include "tests/cli/run.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

// How many cases hold; every other verdict fails.
std::size_t judged(const std::string& options, const std::string& folder) {
  const Ran ran = run_attncert("judge --json " + options + " --library '" + ATTNCERT_OWN_ATTENTION + "' '" +
                               fresh_folder(folder).string() + "'");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  std::istringstream lines(ran.output);
  std::size_t cases = 0;
  for (std::string line; std::getline(lines, line); ++cases) {
    const auto json = nlohmann::json::parse(line);
    const bool undeclared = json["file"].get<std::string>().find("/undeclared-") != std::string::npos;
    EXPECT_TRUE(json["verdict"] == "holds" || (undeclared && json["verdict"] == "refused")) << line;
  }
  return cases;
}

// Of three kernels (f32, a narrower cache, by rows), or of all 13.
TEST(OwnAttention, HoldsOnEveryCase) { EXPECT_GE(judged("", "own"), (is_taken(1) ? 13 : 3) * 40u); }

TEST(SlowOwnAttention, HoldsOnTenSeeds) {
  for (int seed = 2; seed <= 11; ++seed)
    EXPECT_GE(judged("--seed " + std::to_string(seed), "own-" + std::to_string(seed)), 13 * 40u);
}

TEST(OwnAttention, HoldsOnEveryInstructionSet) {
  KillPlan plan;
  plan.first_only = true;  // our verdict alone
  for (const std::string& set : instruction_sets()) {
    const ForcedInstructionSet forced(set);
    for (const std::size_t n : {0, 2, 3}) {  // f32, bf16 and split-KV
      attncert_attention_kernel kernel = *attention_kernels()[n];
      kernel.head_size = 8;
      Fault right{kernel.name, "", ""};
      right.attention = &kernel;
      right.wrong = false;
      const KillSummary line{&right, kills_of(right, plan)};
      EXPECT_TRUE(line.as_expected()) << set << ": " << (line.first() != nullptr ? line.first()->witness : "");
      EXPECT_GT(line.kills[0].elements, 5'000u) << set;
    }
  }
}

TEST(OwnAttention, GivesARowTheSameBitsAloneAndAmongOthers) {
  constexpr std::size_t queries = 101, keys = 200;
  DrawnCall all(queries, keys);
  all.a.flags = ATTNCERT_CAUSAL;
  all.a.causal_offset = 60;
  all.a.window = 90;
  all.a.softcap = 5;
  all.a.bias = {all.bias.data(), 0, queries * keys, keys};
  ASSERT_EQ(all.run(), ATTNCERT_ATTENTION_OK);
  for (std::size_t i = 0; i < queries; ++i) {
    DrawnCall one(queries, keys);
    one.takes_query(all, i);
    ASSERT_EQ(one.run(), ATTNCERT_ATTENTION_OK);
    for (std::size_t h = 0; h < DrawnCall::heads; ++h) {
      EXPECT_EQ(one.lse[h], all.lse[h * queries + i]);
      EXPECT_EQ(std::memcmp(&one.o[h * DrawnCall::value_size], &all.o[(h * queries + i) * DrawnCall::value_size],
                            DrawnCall::value_size * sizeof(float)),
                0)
          << "query " << i;
    }
  }
}

// The window reaches back as far as the diagonal is away: from the query on.
TEST(OwnAttention, TakesADiagonalAndAWindowThatAreBothFar) {
  DrawnCall near(3, 5), far(3, 5);
  near.a.window = 2;
  ASSERT_EQ(near.run(), ATTNCERT_ATTENTION_OK);
  for (const std::int64_t offset : {std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max()}) {
    far.a.causal_offset = offset;
    far.a.window = static_cast<std::size_t>(offset) + 2;
    ASSERT_EQ(far.run(), ATTNCERT_ATTENTION_OK);
    EXPECT_EQ(far.o, near.o);
    ASSERT_EQ(split_attention(far.a, ATTNCERT_F32, 1, 1), ATTNCERT_ATTENTION_OK);
    EXPECT_EQ(far.o, near.o);
  }
}

// Sparsemax (Martins & Astudillo 2016) of so few scores that its threshold is told at sight.
void sparsemax_of_three(std::span<const float> scores, std::span<float> weights) {
  std::vector<float> sorted(scores.begin(), scores.end());
  std::sort(sorted.rbegin(), sorted.rend());
  float threshold = sorted[0] - 1, sum = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    if (1 + static_cast<float>(k + 1) * sorted[k] > sum) threshold = (sum - 1) / static_cast<float>(k + 1);
  }
  for (std::size_t j = 0; j < scores.size(); ++j) weights[j] = std::max(scores[j] - threshold, 0.0F);
}

// Scores 1, 1/2, -3 and, far behind a mask, 9: weights 3/4, 1/4, 0; of the first key alone 1.
TEST(OwnAttention, TakesOtherWeightsThanSoftmax) {
  constexpr std::size_t keys = 140, queries = 2;
  DrawnCall call(queries, keys);
  std::vector<std::uint8_t> mask(queries * keys, 0);
  for (const std::size_t j : {0U, 70U, 139U}) mask[keys + j] = 1;
  mask[0] = 1;
  call.a.mask = {mask.data(), 0, 0, keys};
  call.a.lse = nullptr;
  call.a.scale = 1;
  std::fill(call.q.begin(), call.q.end(), 0.0F);
  for (std::size_t row = 0; row < DrawnCall::heads * queries; ++row) call.q[row * DrawnCall::size] = 1;
  std::fill(call.k.begin(), call.k.end(), 9.0F);
  call.k[0] = 1, call.k[70 * DrawnCall::size] = 0.5F, call.k[139 * DrawnCall::size] = -3;
  ASSERT_EQ(attention_with(call.a, ATTNCERT_F32, sparsemax_of_three), ATTNCERT_ATTENTION_OK);
  for (std::size_t h = 0; h < DrawnCall::heads; ++h)
    for (std::size_t c = 0; c < DrawnCall::value_size; ++c) {
      const float first = call.v[c], second = call.v[70 * DrawnCall::value_size + c];
      EXPECT_EQ(call.o[h * queries * DrawnCall::value_size + c], first);
      EXPECT_EQ(call.o[(h * queries + 1) * DrawnCall::value_size + c], 0.75F * first + 0.25F * second);
    }
  std::fill(mask.begin(), mask.begin() + keys, std::uint8_t{0});
  ASSERT_EQ(attention_with(call.a, ATTNCERT_F32, sparsemax_of_three), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(call.o[0], 0);  // of a row without a key
  call.a.lse = call.lse.data();
  EXPECT_EQ(attention_with(call.a, ATTNCERT_F32, sparsemax_of_three), ATTNCERT_ATTENTION_BAD_ARGUMENT);
}

TEST(OwnAttention, LeavesRowsWithoutAKeyEmpty) {
  DrawnCall call(3, 5);
  call.a.flags = ATTNCERT_CAUSAL;
  call.a.causal_offset = -2;
  for (float& number : call.k) number = std::numeric_limits<float>::quiet_NaN();  // but for the one that is kept
  for (float& number : call.v) number = std::numeric_limits<float>::infinity();
  std::fill_n(call.k.begin(), DrawnCall::size, 0.5F);
  std::fill_n(call.v.begin(), DrawnCall::value_size, 0.75F);
  ASSERT_EQ(call.run(), ATTNCERT_ATTENTION_OK);
  for (std::size_t h = 0; h < DrawnCall::heads; ++h)
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(std::isinf(call.lse[h * 3 + i]), i < 2);
      for (std::size_t c = 0; c < DrawnCall::value_size; ++c)
        EXPECT_EQ(call.o[(h * 3 + i) * DrawnCall::value_size + c], i < 2 ? 0 : 0.75F);
    }
}

TEST(OwnAttention, RowsWithoutAKeyAddNothingToGradients) {
  static const float sinks[] = {90, -1};
  DrawnCall call(3, 5), kept(1, 5);
  call.a.flags = ATTNCERT_CAUSAL;
  call.a.causal_offset = -2;  // the last row keeps the first key
  kept.a.flags = ATTNCERT_CAUSAL;
  ASSERT_EQ(call.run(), ATTNCERT_ATTENTION_OK);
  DrawnGradients all(call), one(kept);
  for (std::size_t h = 0; h < DrawnCall::heads; ++h) {
    std::copy_n(call.q.data() + (h * 3 + 2) * DrawnCall::size, DrawnCall::size, kept.q.data() + h * DrawnCall::size);
    std::copy_n(all.d_o.data() + (h * 3 + 2) * DrawnCall::value_size, DrawnCall::value_size,
                one.d_o.data() + h * DrawnCall::value_size);
    std::fill_n(all.d_o.data() + h * 3 * DrawnCall::value_size, 2 * DrawnCall::value_size, NAN);
    std::fill_n(call.q.data() + h * 3 * DrawnCall::size, 2 * DrawnCall::size, NAN);
  }
  for (DrawnCall* const each : {&call, &kept}) each->a.sinks = sinks;
  for (DrawnGradients* const each : {&all, &one}) each->g.dsinks = each->dsinks;
  ASSERT_EQ(call.run(), ATTNCERT_ATTENTION_OK);
  kept.k = call.k, kept.v = call.v;
  kept.a.k.data = kept.k.data(), kept.a.v.data = kept.v.data();
  ASSERT_EQ(kept.run(), ATTNCERT_ATTENTION_OK);
  ASSERT_EQ(attention_gradients(call.a, all.g, ATTNCERT_F32), ATTNCERT_ATTENTION_OK);
  ASSERT_EQ(attention_gradients(kept.a, one.g, ATTNCERT_F32), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(all.dk, one.dk);
  EXPECT_EQ(all.dv, one.dv);
  for (std::size_t h = 0; h < DrawnCall::heads; ++h) EXPECT_EQ(all.dsinks[h], one.dsinks[h]);
  for (std::size_t h = 0; h < DrawnCall::heads; ++h)
    for (std::size_t n = 0; n < 2 * DrawnCall::size; ++n) EXPECT_EQ(all.dq[h * 3 * DrawnCall::size + n], 0);
}

// A caller of an older header has no scales and no window on the other side, whatever lies behind.
TEST(OwnAttention, ServesCallersOfAnOlderHeader) {
  DrawnCall now(3, 20), older(3, 20);
  ASSERT_EQ(now.run(), ATTNCERT_ATTENTION_OK);
  older.a.size = offsetof(attncert_attention_arguments, k_scale);
  older.a.window_after = 1;
  ASSERT_EQ(attention_kernels()[0]->run(&older.a), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(older.o, now.o);
  older.a.size = sizeof older.a;
  ASSERT_EQ(attention_kernels()[0]->run(&older.a), ATTNCERT_ATTENTION_OK);
  EXPECT_NE(older.o, now.o);
  older.a.size = offsetof(attncert_attention_arguments, k_scale) - 1;
  EXPECT_EQ(attention_kernels()[0]->run(&older.a), ATTNCERT_ATTENTION_BAD_ARGUMENT);
}

// Every side of a window that is wider than the keys, however far the diagonal is.
TEST(OwnAttention, TakesAWindowOfTwoSidesAndADiagonalThatIsFar) {
  DrawnCall near(3, 5), far(3, 5);
  near.a.window_after = 2, near.a.window = 1;
  ASSERT_EQ(near.run(), ATTNCERT_ATTENTION_OK);
  far.a.causal_offset = std::numeric_limits<std::int64_t>::min();
  far.a.window_after = (std::size_t{1} << 63) + 2;
  ASSERT_EQ(far.run(), ATTNCERT_ATTENTION_OK);
  DrawnCall one_side(3, 5);
  one_side.a.window_after = 2;
  ASSERT_EQ(one_side.run(), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(far.o, one_side.o);
  EXPECT_NE(near.o, one_side.o);
}

TEST(OwnAttention, MakesARowOfWhatIsNoNumberNoNumber) {
  DrawnCall call(2, 70);
  call.q[3] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_EQ(call.run(), ATTNCERT_ATTENTION_OK);
  for (std::size_t c = 0; c < DrawnCall::value_size; ++c) EXPECT_TRUE(std::isnan(call.o[c]));
  EXPECT_TRUE(std::isnan(call.lse[0]));
  EXPECT_FALSE(std::isnan(call.lse[1]));
}

TEST(OwnAttention, TakesCallsThatReachFar) {
  static const std::size_t lengths[] = {3};
  DrawnCall few(2, 3), far(2, 3);
  ASSERT_EQ(few.run(), ATTNCERT_ATTENTION_OK);
  far.a.keys = std::numeric_limits<std::size_t>::max();  // of a buffer that is longer than what it holds
  far.a.lengths = lengths;
  far.a.flags = ATTNCERT_CAUSAL;
  for (const std::int64_t offset : {std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 40}) {
    far.a.causal_offset = offset;
    ASSERT_EQ(far.run(), ATTNCERT_ATTENTION_OK);
    EXPECT_EQ(far.o, few.o);
  }
  far.a.causal_offset = std::numeric_limits<std::int64_t>::min();
  ASSERT_EQ(far.run(), ATTNCERT_ATTENTION_OK);
  EXPECT_EQ(far.lse[1], -std::numeric_limits<float>::infinity());
  far.a.lengths = nullptr;
  EXPECT_EQ(far.run(), ATTNCERT_ATTENTION_NO_RESOURCES);
}

}  // namespace
}  // namespace attncert
