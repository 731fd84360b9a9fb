// The truth table of the exit status: 1 (differs) goes before 3 (undecided) goes before 0.
#include <gtest/gtest.h>

#include <limits>

#include "reports/ledger.hpp"

namespace attncert {
namespace {

LedgerClaim claim(const char* expected, const char* reached, bool agrees) {
  LedgerClaim claim;
  claim.expected = expected;
  claim.reached = reached;
  claim.agrees = agrees;
  return claim;
}

const LedgerClaim good = claim("supported", "supported", true);
const LedgerClaim proved_is_supported_for_now = claim("proved", "supported", true);
const LedgerClaim different = claim("supported", "refuted", false);
const LedgerClaim open = claim("supported", "undecided", false);

KernelResult kernel(double fraction, std::uint64_t outside, std::uint64_t undecided) {
  KernelResult kernel;
  kernel.worst_fraction = fraction;
  kernel.outside = outside;
  kernel.undecided = undecided;
  return kernel;
}

int status(std::vector<LedgerClaim> claims, std::vector<KernelResult> kernels = {}) {
  Ledger ledger;
  ledger.claims = std::move(claims);
  ledger.kernels = std::move(kernels);
  return exit_status(ledger);
}

TEST(ExitStatus, OfClaims) {
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({good, proved_is_supported_for_now}), 0);
  EXPECT_EQ(status({good, different}), 1);
  EXPECT_EQ(status({good, open}), 3);
  EXPECT_EQ(status({different, open}), 1);
  EXPECT_EQ(status({open, different}), 1);
}

TEST(ExitStatus, OfAWitnessThatTheCheckerRefuses) {
  LedgerClaim refuted = claim("refuted", "refuted", true);
  refuted.checker = "accepted";
  EXPECT_EQ(status({refuted}), 0);
  refuted.checker = "rejected: the left side is smaller";
  EXPECT_EQ(status({refuted}), 1);
  LedgerClaim proved = claim("proved", "undecided", false);  // as a run leaves one whose certificate is rejected
  EXPECT_EQ(status({proved}), 3);
  proved.checker = "rejected: the sides of a row differ";
  EXPECT_EQ(status({proved}), 1);
}

TEST(ExitStatus, OfJudgements) {
  const auto of = [](std::vector<std::string> verdicts) {
    Ledger ledger;
    for (const std::string& verdict : verdicts) ledger.judgements.emplace_back().verdict = verdict;
    return exit_status(ledger);
  };
  EXPECT_EQ(of({"holds", "refused"}), 0);
  EXPECT_EQ(of({"holds", "undecided"}), 3);
  EXPECT_EQ(of({"refused"}), 3);  // nothing was judged
  for (const char* bad : {"differs", "failed", "cannot be read"}) {
    EXPECT_EQ(of({"holds", bad}), 1) << bad;
    EXPECT_EQ(of({"undecided", bad}), 1) << bad;
  }
}

TEST(ExitStatus, OfKernels) {
  EXPECT_EQ(status({good}, {kernel(1.0, 0, 0)}), 0);
  EXPECT_EQ(status({good}, {kernel(1.0001, 0, 0)}), 1);
  EXPECT_EQ(status({good}, {kernel(0.5, 1, 0)}), 1);
  EXPECT_EQ(status({good}, {kernel(std::numeric_limits<double>::quiet_NaN(), 0, 0)}), 1);
  EXPECT_EQ(status({good}, {kernel(0.5, 0, 1)}), 3);
  EXPECT_EQ(status({open}, {kernel(0.5, 1, 0)}), 1);
  EXPECT_EQ(status({good}, {kernel(0.5, 0, 1), kernel(2, 0, 0)}), 1);
}

TEST(ExitStatus, OfLaws) {
  KernelResult lawless = kernel(0.5, 0, 0);
  lawless.laws_undecided = 1;
  EXPECT_EQ(status({good}, {lawless}), 3);
  lawless.laws_broken = 1;
  EXPECT_EQ(status({good}, {lawless}), 1);
}

TEST(ExitStatus, OfFaults) {
  Ledger ledger;
  LedgerFault wrong, right;
  wrong.caught_by = "accuracy";
  right.wrong = false;
  ledger.faults = {wrong, right};
  EXPECT_EQ(exit_status(ledger), 0);
  ledger.faults[0].caught_by = "";
  EXPECT_EQ(exit_status(ledger), 1);
  ledger.faults = {wrong, right};
  ledger.faults[1].caught_by = "contract";
  EXPECT_EQ(exit_status(ledger), 1);
}

TEST(ExitStatus, OfRealAttention) {
  Ledger ledger;
  ledger.real.emplace();
  ledger.real->worst_ulp = 1;
  ledger.real->budget_ulp = 4;
  EXPECT_EQ(exit_status(ledger), 0);
  ledger.real->outside_budget = 1;
  EXPECT_EQ(exit_status(ledger), 1);
  ledger.real->outside_budget = 0;
  ledger.real->worst_ulp = 5;
  EXPECT_EQ(exit_status(ledger), 1);
}

}  // namespace
}  // namespace attncert
