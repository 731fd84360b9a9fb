// What intervals of doubles leave open is judged by wider ones, and nothing else is.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

DoubleInterval between(double low, double high) { return DoubleInterval::between(low, high); }

TEST(OpenElements, AreThoseWhoseVerdictOrNumbersNarrowerIntervalsWouldChange) {
  const DoubleInterval truth = between(1, 1 + 0x1p-50), bound = between(0x1p-20, 0x1p-20 + 0x1p-50);
  EXPECT_TRUE(decides(1 + 0x1p-21, truth, bound));
  EXPECT_TRUE(decides(1 - 0x1p-19, truth, bound));
  EXPECT_FALSE(decides(1 + 0x1p-20, truth, bound));
  EXPECT_FALSE(decides(1 + 0x1p-20 + 0x1p-50, truth, bound));
  EXPECT_FALSE(decides(1 + 0x1p-21, between(1, 1 + 0x1p-34), bound));
  EXPECT_FALSE(decides(1 + 0x1p-21, truth, between(0x1p-20, 0x1p-20 + 0x1p-34)));
  EXPECT_FALSE(decides(1, DoubleInterval::whole_line(), bound));
  EXPECT_TRUE(decides(NAN, truth, bound));
  EXPECT_FALSE(decides(1, truth, DoubleInterval::whole_line())) << "Interval says whether the class promises nothing";
  EXPECT_TRUE(decides(2, between(1, 1 + 0x1p-22), bound)) << "outside, however wide";
}

// Products of 2^22 cancel in sums of small integers, which f32 adds exactly in every order: a class that scales them
// afterwards allows the scores next to nothing, and the bound of double's sums does not know that they are exact.
TEST(OpenElements, OfASampleAreJudgedAsFarAsTimeAllows) {
  PlainInputs inputs = plain_inputs(7, {1, 1, 1, 24, 9, 8, 8});
  inputs.bias.clear(), inputs.sinks.clear(), inputs.mask.clear(), inputs.lengths.clear();
  inputs.softcap = 0, inputs.window = 0, inputs.causal = false, inputs.scale = 1;
  for (auto* numbers : {&inputs.q, &inputs.k})
    for (std::size_t i = 0; i < numbers->size(); ++i) (*numbers)[i] = static_cast<float>(i * i % 5) - 2;
  for (std::size_t i = 0; i < inputs.q.size(); i += 8) inputs.q[i] = inputs.q[i + 1] = 0x1p11F;
  for (std::size_t j = 0; j < inputs.k.size(); j += 8) inputs.k[j] = 0x1p11F, inputs.k[j + 1] = -0x1p11F;
  auto dump = AttentionDump::open(plain_dump(inputs).written("open"), {{"class", "f32-three-pass+scaled-after"}});
  ASSERT_TRUE(dump) << dump.error().message;
  const auto classes = candidates(*dump);
  const DumpVerdict all = judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {});
  EXPECT_EQ(all.rows.size(), 24u);
  EXPECT_EQ(all.left_open, 0u);
  EXPECT_TRUE(all.holds());
  const auto sample = chosen_rows(*dump, 12, 1);
  const DumpVerdict some = judged(*dump, sample, classes, 1, {}, 4);
  EXPECT_EQ(some.rows.size(), 4u);
  EXPECT_EQ(some.left_open, sample.size() - 4);
}

}  // namespace
}  // namespace attncert
