// attncert accuracy --judge device: the same report and figures as without, but for the lines that say who judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {

const std::string judged_run = "accuracy --quick --normalizer softmax --dtype f16 --kernel softmax.f16 ";
const std::string by_a_device = " of them by a device: ";

// The table, without the lines that name a device or the folder.
std::string table_of(const Ran& ran, const std::string& folder) {
  std::string table;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);)
    if (line.find(by_a_device) == std::string::npos && line.find(folder) == std::string::npos) table += line + "\n";
  return table;
}

TEST(JudgeOnADevice, SaysWhatToDoWhereThereIsNone) {
  const Ran none = run_attncert(judged_run + "--judge device", "ATTNCERT_DEVICE=none");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.output, "");
  EXPECT_EQ(
      none.errors,
      "attncert: --judge device: none is wanted (ATTNCERT_DEVICE); leave it out, and the processor judges alone\n");
}

TEST(JudgeOnADevice, ChangesNoFigure) {
  const std::filesystem::path folder = fresh_folder("judge-device");
  const Ran device = run_attncert(judged_run + "--judge device --out " + (folder / "device").string());
  if (device.status == 2 && device.errors.find("--judge device: ") != std::string::npos) GTEST_SKIP() << device.errors;
  ASSERT_EQ(device.status, 0) << device.errors;
  const Ran processor = run_attncert(judged_run + "--out " + (folder / "processor").string());
  ASSERT_EQ(processor.status, 0) << processor.errors;
  EXPECT_NE(device.output.find(by_a_device), std::string::npos) << device.output;
  EXPECT_EQ(table_of(device, folder.string()), table_of(processor, folder.string()));
  const auto ledger = [&](const char* name) { return nlohmann::json::parse(contents(folder / name / "ledger.json")); };
  nlohmann::json with = ledger("device"), alone = ledger("processor");
  ASSERT_FALSE(alone["kernels"].empty());
  ASSERT_EQ(with["kernels"].size(), alone["kernels"].size());
  for (std::size_t n = 0; n < alone["kernels"].size(); ++n) {
    nlohmann::json &one = with["kernels"][n], &other = alone["kernels"][n];
    // Bounds of one error by two judges: the last digits of doubles differ.
    for (const char* figure : {"worst_ulp", "worst_fraction", "budget_ulp"}) {
      const double a = one[figure], b = other[figure];
      EXPECT_NEAR(a, b, 1e-12 * b) << figure;
      one.erase(figure), other.erase(figure);
    }
    one.erase("errors"), other.erase("errors");  // the same of their parts: device_tier_test.cpp
    EXPECT_EQ(one, other);
  }
  EXPECT_TRUE(with["environment"]["libraries"].contains("judge:"));
  EXPECT_FALSE(alone["environment"]["libraries"].contains("judge:"));
  EXPECT_NE(contents(folder / "device" / "report.md").find("judge:"), std::string::npos);
}

}  // namespace
}  // namespace attncert
