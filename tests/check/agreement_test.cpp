// The checker against the suite's own judge, which shares no formula with it: on random instances both say the same.
#include <gtest/gtest.h>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"

namespace attncert::examples {
namespace {

// A spectral norm enters the checker by a lower bound, which does not show every violation that is this near to
// equality; nor does it tell numbers apart whose exponents have no bound.
constexpr double nearly_equal = 1 + 1e-6;

bool may_be_missed(const Ruling& ruling, const std::string& line) {
  const bool near = ruling.tightness().value_or(2) < nearly_equal;
  return line.find("[nan]") != std::string::npos || (near && line.find("does not exceed") != std::string::npos);
}

// Whatever the suite calls violated the checker sees refuted, and nothing else.
TEST(Agreement, OnRandomInstancesOfRefutedClaims) {
  std::size_t compared = 0, missed = 0;
  for (const Claim& claim : claims()) {
    const Statement& statement = claim.statement;
    if (claim.expected != Expected::refuted || statement.families() != nullptr) continue;
    ++compared;
    std::size_t refuted = 0;
    for (std::uint64_t number = 0; number < 400; ++number) {
      const Instance instance = instance_of(statement, random_case(statement, 11, number));
      Witness found = witness(std::string(statement.id), instance.exact());
      found.relation = "lhs " + std::string(sign(statement.sided()->parts[0].relation)) + " rhs";
      const Ruling ruling = judge(statement, instance);
      const bool violated = ruling.decision == Decision::violated;
      const check::Verdict verdict = judged(found);
      refuted += violated ? 1 : 0;
      if (violated && verdict.status == 1 && may_be_missed(ruling, verdict.line)) ++missed;
      else EXPECT_EQ(verdict.status, violated ? 0 : 1) << verdict.line;
    }
    EXPECT_GE(refuted, 1u) << statement.id;  // else nothing was compared
  }
  EXPECT_GE(compared, 11u);
  EXPECT_LE(missed, 20u);  // of 4,000
}

}  // namespace
}  // namespace attncert::examples
