// SARIF 2.1.0: what the standard requires of each object that is written, by its sections. The published schema is in
// no Debian package; tests/python/reports_test.py holds a report against it where it is named.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reports/ledger.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
namespace {

using Json = nlohmann::json;

Json log_of(const Ledger& ledger) { return Json::parse(sarif(ledger)); }

TEST(Sarif, HasWhatTheStandardRequires) {
  const Json log = log_of(sample_ledger());
  EXPECT_EQ(log.at("version"), "2.1.0");  // 3.13.2
  ASSERT_EQ(log.at("runs").size(), 1u);   // 3.13.4
  const Json& run = log["runs"][0];
  const Json& driver = run.at("tool").at("driver");                   // 3.14.6, 3.18.2
  EXPECT_EQ(driver.at("name"), "attncert");                           // 3.19.8
  for (const Json& rule : driver.at("rules")) {                       // 3.19.23, 3.49
    EXPECT_TRUE(rule.at("id").is_string());                           // 3.49.3
    EXPECT_TRUE(rule.at("shortDescription").at("text").is_string());  // 3.49.9, 3.12.3
  }
  for (const Json& result : run.at("results")) {      // 3.14.23
    const std::size_t rule = result.at("ruleIndex");  // 3.27.6: of the rule that 3.27.5 names
    EXPECT_EQ(driver["rules"].at(rule)["id"], result.at("ruleId"));
    EXPECT_TRUE(result.at("message").at("text").is_string());  // 3.27.11, 3.11.8
    // 3.27.10: where the kind is anything but "fail", the level is "none".
    EXPECT_EQ(result.at("kind") == "fail", result.at("level") == "error");
    EXPECT_EQ(result.at("kind") == "open", result.at("level") == "none");
    ASSERT_EQ(result.at("locations").size(), 1u);                      // 3.27.12
    const Json& file = result["locations"][0].at("physicalLocation");  // code scanning takes no result without one
    EXPECT_NE(file.at("artifactLocation").at("uri"), "");
    EXPECT_EQ(file.at("region").at("startLine"), 1);                         // 3.30.5: lines begin with 1
    for (const Json& place : result["locations"][0].at("logicalLocations"))  // 3.28.4, 3.33
      for (const char* key : {"name", "fullyQualifiedName", "kind"}) EXPECT_TRUE(place.at(key).is_string()) << key;
    for (const auto& [key, value] : result.at("partialFingerprints").items()) EXPECT_TRUE(value.is_string()) << key;
  }
}

TEST(Sarif, HasAResultForEachRowThatIsNotAsExpected) {
  const Ledger ledger = sample_ledger();
  const Json results = log_of(ledger)["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3u);  // "open", sparsemax.f64 and a dump that differs
  EXPECT_EQ(results[0]["locations"][0]["logicalLocations"][0]["name"], "open");
  EXPECT_EQ(results[0]["kind"], "open");
  EXPECT_EQ(results[1]["ruleId"], "kernel");
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "ledger.json");
  EXPECT_EQ(results[1]["properties"]["replay"], "attncert accuracy sparsemax.f64");
  EXPECT_NE(results[1]["message"]["text"].get<std::string>().find("2 of 5 elements outside"), std::string::npos);
  EXPECT_EQ(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "wrong%20%3C%26%3E.safetensors");
  Ledger refused = ledger;
  refused.claims[1].checker = "rejected: no";
  EXPECT_EQ(log_of(refused)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "witnesses/theorem1-upper.json");
  EXPECT_TRUE(log_of(Ledger{})["runs"][0]["results"].empty());
}

}  // namespace
}  // namespace attncert
