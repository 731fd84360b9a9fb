// What a page says of kernels as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reports/ledger.hpp"
#include "reports/wording.hpp"

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

// What is no number is as bad as what is infinite: such kernels go first, in the ledger's order, and then the others by
// their shares.
TEST(Kernels, ThatAreNotAsExpectedStandWorstFirst) {
  Ledger ledger;
  add(ledger, "twice", "AVX3", 2), add(ledger, "no-number", "AVX3", NAN), add(ledger, "within", "AVX3", 0.5);
  add(ledger, "fivefold", "AVX3", 5), add(ledger, "endless", "AVX3", INFINITY);
  const std::string text = markdown(ledger);
  const std::size_t from = text.find("\n## Not as expected\n"), to = text.find("\n## ", from + 1);
  ASSERT_NE(from, std::string::npos);
  const std::string rows = text.substr(from, to - from);
  std::vector<std::size_t> places;
  for (const char* name : {"no-number", "endless", "fivefold", "twice"})
    places.push_back(rows.find("| `" + std::string(name) + " on AVX3` | "));
  EXPECT_TRUE(std::ranges::is_sorted(places) && places.back() != std::string::npos) << rows;
  EXPECT_EQ(rows.find("within on"), std::string::npos) << rows;
}

// A ratio of 1e15 is of a number near 0, of few entries, and of a budget that the library never promised.
TEST(Kernels, ALargeRatioStandsBesideWhatItIsOf) {
  Ledger ledger;
  add(ledger, "near-zero", "dispatch", 1e15);
  KernelResult& row = ledger.kernels[0];
  row.worst_entry = "normal:s=1:T=1:L=7 entry 0: computed 0.5 (0x1p-1), exact [0.25, 0.2500001]";
  row.elements = 94'883, row.outside = 211;
  row.shares = {0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 40};
  row.errors = {{.axis = "position",
                 .at = {0, 1},
                 .worst_ulp = {1, 1},
                 .worst_fraction = {1, 1e15},
                 .nearly_all_fraction = {0.25, 12}},
                {.axis = "temperature", .at = {0.5, 1}, .worst_ulp = {1, 1}, .worst_fraction = {1e15, 3}}};
  row.contract = "default: kept", row.laws_broken = 1, row.laws = "monotone broken: so; kept: ties-equal",
  row.replay = "attncert accuracy";
  const std::string text = markdown(ledger);
  const auto has = [&](const char* part) { EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text; };
  has("; absolute error 0.25; 211 of 94,883 elements outside (0.22%)\n");
  has("60 of 100 (60%) rows within the budget, half of all rows within 20% of it, 99.9% of the entries within 12 times "
      "it");
  has("| 300% of it at T = 1; at another T an adapter may divide by T itself, and that rounding is counted |");
  has("A budget is what this campaign asks of a kernel (docs/budgets.md), not what its makers promise.");
  has("Dispatch: the kernel chooses its instruction set itself, at run time.");
  // A line a fact that fails the row, the command once; what is kept is told where all kernels are.
  has("| `near-zero on dispatch` | 1e+15 times its budget: 1e+15 of 1 ulp, absolute error 0.25 | `attncert accuracy` "
      "|");
  has("| `near-zero on dispatch` | laws: monotone broken: so |  |\n");
  EXPECT_EQ(text.find("contract: default: kept |  |"), std::string::npos) << text;
}

// The report of `attncert certify` has 206 kernels and may weigh 3,000,000 bytes, of which claims, faults and the rest
// take 1,310,000. So that there is room for 250 kernels, one of four instruction sets, drawn by eleven lengths, which
// is a little more than the mean, may take 6,760.
TEST(Kernels, AreSmallEnoughForAPageOfAll) {
  constexpr std::size_t most_bytes = 6'760, more = 100;
  const auto page_of = [](std::size_t kernels) {
    Ledger ledger;
    for (std::size_t n = 0; n < kernels; ++n)
      for (const std::string isa : {"AVX3", "AVX2", "SSE4", "SCALAR"}) {
        const std::string name = "softmax-half-ulp-" + std::to_string(n);
        add(ledger, name.c_str(), isa.c_str(), 0.99999);
        KernelResult& row = ledger.kernels.back();
        row.elements = 158'344, row.contract = "default: kept on 297 degenerate rows";
        row.laws = "kept: sums-to-one nonnegative shift-invariant scale-invariant permutation-equivariant monotone";
        row.worst_entry = "wide:250 entry 129: computed 1.42108547e-11 (0x1.f4p-37), exact [1.4182432666529086e-11, 2]";
        row.replay = "attncert accuracy --seed 1 --effort quick --normalizer softmax --kernel " + name +
                     " --dtype f32 --isa " + isa + " --case wide:250";
        ErrorCurve& curve = row.errors.emplace_back();
        curve.axis = "length";
        for (double length = 1; length <= 1024; length *= 2) {
          curve.at.push_back(length);
          curve.worst_fraction.push_back(0.99 - 1 / (3 + length));
        }
        curve.nearly_all_fraction = curve.worst_ulp = curve.worst_fraction;
      }
    return html(ledger).size();
  };
  const std::size_t few = 50;  // of 40 and less every axis is drawn
  EXPECT_LT((page_of(few + more) - page_of(few)) / more, most_bytes);
}

TEST(Kernels, AnAbsoluteErrorNeedsBothNumbers) {
  using report::absolute_error_text;
  EXPECT_EQ(absolute_error_text("row:0, in double-double"), "");
  EXPECT_EQ(absolute_error_text("row:0 entry 1: computed 3 (0x1.8p+1), exact [nan, nan]"), "");
  EXPECT_EQ(absolute_error_text("row:0 entry 1: computed 3 (0x1.8p+1), exact 1"), "2");
  // Two doubles that are neighbours: their difference is one of 2^-52, and no rounding of the text makes it 0.
  EXPECT_EQ(absolute_error_text("x entry 1: computed 1 (0x1p+0), exact [1.00000000000000022205, 1.0000000000000003]"),
            "2.2e-16");
}

}  // namespace
}  // namespace attncert
