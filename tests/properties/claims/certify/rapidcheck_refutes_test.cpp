// RapidCheck falsifies what is false, and shrinks it: the same tapes, another driver. A property that must fail is run
// through checkTestable, and its result is what GoogleTest judges.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/claim.hpp"
#include "tests/properties/claims/certify/rapidcheck_tape.hpp"

namespace attncert {
namespace {

class RapidCheckRefutes : public testing::TestWithParam<const char*> {};

TEST_P(RapidCheckRefutes, ToAtMostThreeTokens) {
  const Statement& statement = find_claim(GetParam())->statement;
  std::size_t smallest = 1000;  // L of the last violation that RapidCheck saw: its shrinking only accepts violations
  rc::detail::TestParams parameters;
  parameters.seed = 20251021;
  parameters.maxSuccess = 2000;
  const auto result = rc::detail::checkTestable(
      [&] {
        const Tape tape = *rapidcheck_tapes();
        Choices choices(tape);
        const Instance instance = statement.sided()->generate(choices);
        if (judge(statement, instance).decision != Decision::violated) return;
        smallest = std::min(smallest, instance.length);
        RC_FAIL("violated");
      },
      rc::detail::TestMetadata(), parameters);
  rc::detail::FailureResult failure;
  EXPECT_TRUE(result.match(failure)) << "RapidCheck found no violation";
  EXPECT_LE(smallest, 3u);
}
INSTANTIATE_TEST_SUITE_P(Printed, RapidCheckRefutes,
                         testing::Values("theorem1-upper", "softmax-quarter-over-temperature", "theorem2-upper",
                                         "theorem2-eighty-percent", "lemma2-sqrt2-cap",
                                         "theorem1-upper-norm-of-weighted-sum", "theorem1-expectation-main-term",
                                         "softmax-quarter-frobenius"));

}  // namespace
}  // namespace attncert
