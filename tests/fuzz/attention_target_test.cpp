// The target `attention` on random tapes: the own kernels pass, and faulty ones are found.
#include <gtest/gtest.h>

#include <cstdlib>

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

}  // namespace
}  // namespace attncert
