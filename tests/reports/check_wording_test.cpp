// What reports say of checks and contracts, held to those that there are.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/conformance/accuracy/contract.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "reports/ledger.hpp"
#include "reports/wording.hpp"

namespace attncert {
namespace {

bool is_explained(const std::vector<report::Meaning>& words, std::string_view word) {
  return std::ranges::count(words, word, &report::Meaning::word) == 1;
}

TEST(CheckWording, SaysWhatEachLawAndEachContractIs) {
  for (const LawCheck& check : law_checks())
    EXPECT_TRUE(is_explained(report::check_meanings, check.name)) << check.name;
  for (const Contract& contract : presets())
    EXPECT_TRUE(is_explained(report::contract_meanings, contract.name)) << contract.name;
  for (const char* const check : {"accuracy", "attention", "bounds", "contract", "writes", "stops"})  // kill_matrix.hpp
    EXPECT_TRUE(is_explained(report::check_meanings, check)) << check;
}

LedgerFault fault(const char* name, const char* imitates, bool wrong, const char* caught_by) {
  return {name, "softmax", "f32", "what is wrong", imitates, wrong, caught_by, 3, {}};
}

// What stands behind a count, and how to see it again, are on the page.
TEST(CheckWording, AFaultsPageCountsWhatItShows) {
  Ledger ledger;
  ledger.plan.seed = 7, ledger.plan.effort = "quick";
  ledger.faults = {fault("a", "project/name#1", true, "contract"), fault("b", "class: NaN", true, "ties-equal"),
                   fault("c", "class: NaN", true, ""), fault("right", "", false, "")};
  const std::string page = markdown(ledger);
  for (const char* const text : {"3 wrong kernels: 2 caught; 1 right ones beside them",
                                 "3 of them, 1 not caught. 1 imitate what a public report",
                                 "attncert faults --seed 7 --effort quick", "Equal logits have equal weights."})
    EXPECT_NE(page.find(text), std::string::npos) << text << "\n" << page;
  EXPECT_EQ(page.find("The kernel returns."), std::string::npos);  // a check that nothing here was caught by
}

}  // namespace
}  // namespace attncert
