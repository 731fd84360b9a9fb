// JSON lines for Tyche: what its reader (github.com/tyche-pbt/tyche-extension, datatypes.ts) demands of a line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "reports/ledger.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const Ledger& ledger) {
  std::vector<Json> lines;
  std::istringstream text(tyche(ledger));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(Tyche, EveryLineHasWhatItsReaderDemands) {
  const std::set<std::string> statuses{"passed", "failed", "gave_up"};
  const std::vector<Json> lines = lines_of(sample_ledger());
  for (const Json& line : lines) {
    EXPECT_EQ(line.at("run_start"), 1761048000) << line;  // date -u -d 2025-10-21T12:00:00Z +%s
    EXPECT_TRUE(line.at("property").is_string());
    if (line.at("type") == "info") {
      EXPECT_TRUE(line.at("title").is_string() && line.at("content").is_string()) << line;
      continue;
    }
    EXPECT_EQ(line["type"], "test_case");
    EXPECT_EQ(statuses.count(line.at("status")), 1u) << line;
    EXPECT_TRUE(line.at("status_reason").is_string() && line.at("representation").is_string());
    EXPECT_TRUE(line.at("features").is_object());
    EXPECT_TRUE(line.at("coverage").is_null());
    EXPECT_TRUE(line.contains("metadata"));
  }
}

TEST(Tyche, AViolatedInstanceFailsAndAnInfiniteShareIsAText) {
  std::size_t violated = 0, infinite = 0;
  for (const Json& line : lines_of(sample_ledger())) {
    if (line["type"] != "test_case") continue;
    violated += line["property"] == "theorem1-upper" && line["status"] == "failed";
    infinite +=
        line["property"] == "sparsemax" && line["features"]["share of budget"] == "inf" && line["status"] == "failed";
  }
  EXPECT_EQ(violated, 1u);
  EXPECT_EQ(infinite, 1u);
}

}  // namespace
}  // namespace attncert
