// What a page says of kernels as a whole.
#include <gtest/gtest.h>

#include <string>

#include "reports/ledger.hpp"

namespace attncert {
namespace {

void add(Ledger& ledger, const char* kernel, const char* isa, double share) {
  KernelResult& row = ledger.kernels.emplace_back();
  row.kernel = row.normalizer = kernel, row.isa = isa, row.dtype = "f32";
  row.worst_fraction = share, row.budget_ulp = 1;
}

TEST(Kernels, SayWhatDiffersBetweenInstructionSets) {
  Ledger ledger;
  add(ledger, "alone", "AVX3", 0.9);
  EXPECT_EQ(markdown(ledger).find("several instruction sets"), std::string::npos);
  add(ledger, "alike", "AVX3", 0.5), add(ledger, "alike", "SCALAR", 0.5);
  const std::string all = "with one share of their budgets on all: 1.";
  EXPECT_NE(markdown(ledger).find("Kernels with several instruction sets: 1; " + all + "\n"), std::string::npos);
  add(ledger, "near", "AVX3", 0.5), add(ledger, "near", "SCALAR", 0.6);
  add(ledger, "apart", "SCALAR", 0.25), add(ledger, "apart", "AVX2", 0.75), add(ledger, "apart", "AVX3", 0.5);
  EXPECT_NE(markdown(ledger).find("sets: 3; " + all + " Farthest apart is apart: 25% on SCALAR, 75% on AVX2.\n"),
            std::string::npos)
      << markdown(ledger);
}

}  // namespace
}  // namespace attncert
