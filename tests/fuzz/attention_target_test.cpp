// The target `attention` on random tapes: the own kernels pass, and faulty ones are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "fuzz/attention_case.hpp"
#include "fuzz/attention_finding.hpp"
#include "fuzz/smaller_tapes.hpp"
#include "fuzz/target.hpp"
#include "src/core/tape.hpp"

namespace attncert {

FuzzTarget fuzz_attention();

namespace {

void run_tapes(std::uint64_t count) {
  Guide guide = Guide::silent();
  for (std::uint64_t n = 0; n < count; ++n)
    fuzz_attention().run(random_tape(20261128, "attention-target", n, 8192), guide);
}

void run_tapes_with(const char* fault) {
  setenv("ATTNCERT_FUZZ_FAULT", fault, 1);
  run_tapes(3000);
}

TEST(AttentionTarget, OwnKernelsPass) { run_tapes(5000); }

TEST(AttentionTarget, FaultsAreFound) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run_tapes_with("fault.attention-output-not-rescaled"), "o of batch .* of its bound");
  EXPECT_DEATH(run_tapes_with("fault.attention-lse-without-sink"), "lse of batch .* of its bound");
  EXPECT_DEATH(run_tapes_with("fault.attention-slope-sign"), "slopes.* of its bound");
  EXPECT_DEATH(run_tapes_with("fault.attention-empty-row-nan"), "a row without a key is not zeros");
  EXPECT_DEATH(run_tapes_with("fault.backward-no-d"), "d[qk] of batch .* of its bound");
  EXPECT_DEATH(run_tapes_with("fault.backward-softcap-slope-missing"), "softcap.*d[qk] of batch .* of its bound");
  EXPECT_DEATH(run_tapes_with("fault.backward-dsinks-sign"), "dsinks of batch .* of its bound");
  EXPECT_DEATH(run_tapes_with("nonesuch"), "no such fault");
}

// The first finding of a fault on random tapes, made as small as the bytes of its tape can be, as engines do.
struct Smallest {
  AttentionFinding finding;
  CaseInputs in;
};
Smallest smallest_of(const char* fault) {
  setenv("ATTNCERT_FUZZ_FAULT", fault, 1);
  Guide guide = Guide::silent();
  Tape tape;
  std::optional<AttentionFinding> finding;
  for (std::uint64_t n = 0; !finding && n < 3000; ++n) {
    tape = random_tape(20261129, "attention-target", n, 2048);
    finding = attention_finding(tape, guide);
  }
  for (bool better = finding.has_value(); better;) {
    better = false;
    for (const Tape& one : smaller_tapes(tape)) {
      if (one.size() == tape.size() && one >= tape) continue;
      if (auto again = attention_finding(one, guide)) {
        tape = one, finding = again, better = true;
        break;
      }
    }
  }
  unsetenv("ATTNCERT_FUZZ_FAULT");
  Choices choices(tape);
  choices.below(16);  // which kernel
  return {finding.value_or(AttentionFinding{}), attention_case(choices)};
}

TEST(AttentionTarget, AFindingBecomesSmallAndShowsItsEntries) {
  const Smallest sign = smallest_of("fault.attention-slope-sign");
  EXPECT_LE(sign.in.keys, 2u);
  EXPECT_EQ(sign.in.queries * sign.in.batches * sign.in.size * sign.in.value_size, 1u);
  for (const char* const part : {"fault.attention-slope-sign, 1 batches, ", "slopes ", ", q ", ", k ", ", v "})
    EXPECT_NE(sign.finding.where.find(part), std::string::npos) << part << " in " << sign.finding.where;
  EXPECT_NE(sign.finding.what.find(" of its bound, "), std::string::npos) << sign.finding.what;

  // A block of 16 keys, and one more.
  const Smallest rescaled = smallest_of("fault.attention-output-not-rescaled");
  EXPECT_EQ(rescaled.in.keys, 17u) << rescaled.finding.where;
  EXPECT_EQ(rescaled.in.queries, 1u) << rescaled.finding.where;
}

// Entries are drawn between -512 and 512, and 0 by chance alone.
TEST(AttentionTarget, ChosenGroupsAreOnTheTape) {
  std::size_t far = 0, nan = 0, equal = 0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    const Tape tape = random_tape(20261130, "attention-target", n, 8192);
    Choices choices(tape);
    const CaseInputs in = attention_case(choices);
    far += std::ranges::any_of(in.k, [](double k) { return k < -1000; });
    nan += std::ranges::any_of(in.k, [](double k) { return std::isnan(k); });
    equal += in.keys > 2 && std::ranges::all_of(in.k, [](double k) { return k == 0; });
  }
  EXPECT_GE(far, 3u);
  EXPECT_GE(nan, 3u);
  EXPECT_GE(equal, 3u);
}

}  // namespace
}  // namespace attncert
