// What a page says of wrong kernels, and of the checks that catch them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reports/ledger.hpp"
#include "tests/reports/markup.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
namespace {

TEST(Faults, EveryCheckThatCatchesAWrongKernelIsShownTheFewestCasesFirst) {
  const std::string page = html(sample_ledger());
  EXPECT_TRUE(contains(page, "sums-to-one after 2, accuracy after 7"));
  EXPECT_TRUE(contains(page, "<rect class=\"bar look1\"") || contains(page, "<rect class=\"bar look1 "));
  EXPECT_TRUE(contains(page, "fault.zeros: accuracy after 7 cases"));
  EXPECT_TRUE(contains(page, "fault.zeros: sums-to-one after 2 cases"));
  EXPECT_TRUE(contains(page, "0 first, 1 too"));  // accuracy
}

// Twenty of them; the seventh needs the most cases.
TEST(Faults, TheOnesThatAreHardestToCatchHaveATable) {
  Ledger ledger;
  for (std::uint64_t n = 1; n <= 20; ++n) {
    LedgerFault& fault = ledger.faults.emplace_back();
    fault.name = "fault-" + std::to_string(n), fault.caught_by = "accuracy", fault.cases = n == 7 ? 900 : n;
  }
  const std::string page = markdown(ledger);
  const std::size_t table = page.find("hardest to catch"), end = page.find("\n\n", page.find("fault-7", table));
  const std::string rows = page.substr(table, end - table);
  std::vector<std::size_t> places;
  for (const char* name : {"fault-7`", "fault-20`", "fault-19`", "fault-18`", "fault-17`"})
    places.push_back(rows.find(name));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()) && places.back() != std::string::npos) << rows;
  EXPECT_EQ(rows.find("fault-16`"), std::string::npos) << rows;
  EXPECT_TRUE(contains(rows, "| caught first by | after cases | then by |")) << rows;
  EXPECT_TRUE(contains(rows, " | accuracy | 900 | - |")) << rows;
  ledger.faults[6].kills = {{"accuracy", 900}};
  EXPECT_TRUE(contains(markdown(ledger), " | accuracy | 900 | no other check |"));
  ledger.faults[6].kills = {{"monotone", 1234}, {"accuracy", 900}};
  EXPECT_TRUE(contains(markdown(ledger), " | accuracy | 900 | monotone after 1,234 |"));
  ledger.faults.pop_back();
  EXPECT_EQ(markdown(ledger).find("hardest to catch"), std::string::npos);  // few are seen at a glance
}

}  // namespace
}  // namespace attncert
