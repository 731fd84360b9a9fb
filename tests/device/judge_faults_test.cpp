// Deliberately wrong judges of rows, each an edit of the right text, and what catches it: the bits of the sequential
// program, the arithmetic rule, Oclgrind. What a wrong verdict comes to beside Interval's: device_tier_test.cpp.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/files.hpp"
#include "src/device/kernel_texts.hpp"
#include "tests/device/arithmetic_rule.hpp"
#include "tests/device/judge_rows.hpp"
#include "tests/device/mistaken.hpp"
#include "tests/device/sequential_device.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

enum class JudgeCheck { rule, bits, watch };  // watch: Oclgrind's

struct JudgeFault {
  const char* name;
  std::string_view text;
  const char *from, *to;
  JudgeCheck check = JudgeCheck::bits;

  std::string mistaken() const { return mistaken_text(text, from, to, name); }
};

const JudgeFault judge_faults[] = {
    {"a sum of heads alone", device::truths_text, "s.low + (a.low + b.low)", "s.low"},
    {"a term of the series left out", device::truths_text, "  e = series_step(0.5, e, r);\n", ""},
    {"a third of ln2 left out", device::truths_text, "fused64(-n, -0x1.c4c67fc0d0951p-80, rounded_off)", "rounded_off"},
    {"powers without what they lack", device::truths_text, "powers[16u + j] + rest", "rest"},
    {"arguments without an end", device::truths_text, "deep ? -800.0 : x.high", "x.high"},
    {"a quotient's head alone", device::truths_text, "y * fused64(-a.low, y, fused64(-a.high, y, 1.0))", "0.0"},
    {"softmax1's logit left out", device::truths_text, "and_zero && lane == 0u", "false"},
    {"the last lane of a part left out", device::truths_text, "k < PART; ++k) part = pair_sum",
     "k + 1u < PART; ++k) part = pair_sum"},
    {"one tile of a row", device::truths_text, "length; i += TILE)\n      if (logits",
     "TILE; i += TILE)\n      if (logits"},
    {"-infinity takes part", device::truths_text, "absent ? f64_of(0x7ff8000000000000ul) : weight.high", "weight.high"},
    {"an error beside the truth's head", device::judge_text, "(y * SCALE - exact.high) - exact.low",
     "y * SCALE - exact.high"},
    {"the larger unit at a power of two", device::judge_text, "above_least)) - 1u)", "above_least)))"},
    {"subnormal numbers in a unit of their own", device::judge_text, "(bits64_of(at_least(exact.high, above_least))",
     "(bits64_of(exact.high)"},
    {"f32's units in a half's place", device::judge_text, "fused64(held.fine, finer, held.flat)",
     "held.fine + held.flat"},
    {"whatever is large is inside", device::judge_text, "entry.error <= entry.limit &&", ""},
    {"a zero that is none", device::judge_text, " && !(y == 0.0 && exact.high >= held.zeros)", ""},
    {"anything where nothing takes part", device::judge_text, "entry.inside = y == 0.0", "entry.inside = true"},
    {"the last of equal shares", device::judge_text, "share > worst.share", "share >= worst.share"},
    {"another answer's limits", device::judge_text, "limits + LIMITS * a", "limits"},
    {"samples of the row's beginning", device::judge_text, "(lane * length) >> 8", "lane"},
    {"a missing barrier before the parts", device::truths_text, "few) {\n  group_barrier();\n", "few) {\n",
     JudgeCheck::watch},
    {"a missing barrier before the whole", device::judge_text, "  group_barrier();\n  Worst whole", "  Worst whole",
     JudgeCheck::watch},
    {"division", device::judge_text, "quotient(entry.error, entry.limit)", "entry.error / entry.limit",
     JudgeCheck::rule},
    {"a built-in exponential", device::truths_text, "const Pair e = series_of(r);",
     "const Pair e = pair_of(exp(r), 0.0);", JudgeCheck::rule},
};

TEST(DeviceJudgeFaults, TheBitsCatchTheirs) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  constexpr std::size_t length = 300;  // two tiles
  const std::uint64_t right = judged_bits(SequentialDevice(), length);
  EXPECT_EQ(judged_bits(**device, length), right);
  std::size_t number = 0;
  for (const JudgeFault& fault : judge_faults)
    if (fault.check == JudgeCheck::bits && is_taken(number++)) {
      EXPECT_NE(judged_bits(MistakenDevice(**device, fault.text, fault.mistaken()), length), right) << fault.name;
    }
}

// One row, one answer and few threads: a race is reported for each pair of them.
void judge_one_answer(const device::Device& device) {
  double_double::DeviceJudge judge;
  const std::vector<double> logits{0, 1}, computed{0.25, 0.75};
  ASSERT_TRUE(judge.add_row(logits, {}, {}));
  judge.add_answer(computed, double_double::f32, {4, 0});
  ASSERT_TRUE(judge.verdicts(device, {16, 16}));
}

// The ctest device/oclgrind-faults has this run by oclgrind, which writes what it finds to the file.
TEST(DeviceJudgeFaults, OclgrindCatchesRaces) {
  const char* log = std::getenv("ATTNCERT_OCLGRIND_LOG");
  if (log == nullptr) GTEST_SKIP() << "not run by oclgrind";
  const auto& device = device::f64_device();
  ASSERT_TRUE(device) << device.error().message;
  const auto words = [&] {
    const Result<std::string> text = read_text(log);
    return text ? text->size() : 0;
  };
  const std::size_t before_all = words();
  judge_one_answer(**device);
  EXPECT_EQ(words(), before_all) << "of the right texts";
  for (const JudgeFault& fault : judge_faults) {
    if (fault.check != JudgeCheck::watch) continue;
    const std::size_t before = words();
    judge_one_answer(MistakenDevice(**device, fault.text, fault.mistaken()));
    EXPECT_GT(words(), before) << fault.name;
  }
}

TEST(DeviceJudgeFaults, TheRuleCatchesWhatItNames) {
  const auto without_dialect = [](const std::string& text) {
    return text.substr(text.find("#endif  // ATTNCERT_DIALECT"));
  };
  for (const JudgeFault& fault : judge_faults) {
    EXPECT_TRUE(objections(without_dialect(std::string(fault.text)), dialect_words()).empty()) << fault.name;
    EXPECT_EQ(!objections(without_dialect(fault.mistaken()), dialect_words()).empty(), fault.check == JudgeCheck::rule)
        << fault.name;
  }
}

}  // namespace
}  // namespace attncert
