// What intervals of doubles leave open is judged by wider ones, and nothing else is.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/plain_attention.hpp"
#include "tests/properties/dumps/written_dump.hpp"

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

// Scores of 10,000 in bf16, stored: any output. Without a class a row that is wrong for pbf16 is neither accused, since
// a kernel may store its scores, nor said to hold.
TEST(OpenElements, RowsOfWhichTheWiderClassSaysNothingAreUndecided) {
  WrittenDump dump;
  dump.tensors["q"] = {{1, 1, 2, 1}, {0, 100}, {}, true};
  dump.tensors["k"] = {{1, 1, 2, 1}, {-100, 100}, {}, true};
  dump.tensors["v"] = {{1, 1, 2, 1}, {1, 2}, {}, true};
  dump.tensors["o"] = {{1, 1, 2, 1}, {1.5, 2}, {}, true};
  dump.tensors["lse"] = {{1, 1, 2}, {std::log(2.0F), 10000}, {}, false};
  dump.metadata["scale"] = "1";
  const auto judged_as = [&](const std::string& rounding) {
    return run_attncert("judge " + rounding + " '" + dump.written("unsettled") + "'");
  };
  EXPECT_EQ(judged_as("").status, 0) << judged_as("").output;
  dump.tensors["o"].numbers[1] = 77;
  EXPECT_EQ(judged_as("--class pbf16").status, 1);
  EXPECT_EQ(judged_as("").status, 3);
  EXPECT_NE(judged_as("").output.find("1 of all 2 rows are outside the bound of class pbf16, and class sbf16-unfused "
                                      "allows any output there"),
            std::string::npos)
      << judged_as("").output;
  dump.tensors["lse"].numbers[1] = NAN;
  EXPECT_EQ(judged_as("").status, 3) << judged_as("").output;
}

}  // namespace
}  // namespace attncert
