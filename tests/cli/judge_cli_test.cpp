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
const std::string one_row = "accuracy --quick --case normal:s=3:T=0.7:L=257 ";
const std::string by_a_device = " of them by a device: ";

// The table, without the lines that name a device or the folder.
std::string table_of(const Ran& ran, const std::string& folder) {
  std::string table;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);)
    if (line.find(by_a_device) == std::string::npos && line.find(folder) == std::string::npos) table += line + "\n";
  return table;
}

nlohmann::json ledger_of(const std::filesystem::path& folder) {
  return nlohmann::json::parse(contents(folder / "ledger.json"));
}

TEST(JudgeOnADevice, SaysWhatToDoWhereThereIsNone) {
  const Ran none = run_attncert(judged_run + "--judge device", "ATTNCERT_DEVICE=none");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.output, "");
  EXPECT_EQ(
      none.errors,
      "attncert: --judge device: none is wanted (ATTNCERT_DEVICE); leave it out, and the processor judges alone\n");
}

// The run with a judging device, and that the run without says the same; skipped where there is none.
void compare_judges(const std::string& run, const std::filesystem::path& folder, Ran& device) {
  device = run_attncert(run + "--judge device --out " + (folder / "device").string());
  if (device.status == 2 && device.errors.find("--judge device: ") != std::string::npos) GTEST_SKIP() << device.errors;
  ASSERT_EQ(device.status, 0) << device.errors;
  const Ran processor = run_attncert(run + "--out " + (folder / "processor").string());
  ASSERT_EQ(processor.status, 0) << processor.errors;
  EXPECT_EQ(table_of(device, folder.string()), table_of(processor, folder.string()));
  nlohmann::json with = ledger_of(folder / "device"), alone = ledger_of(folder / "processor");
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
  EXPECT_FALSE(alone["environment"]["libraries"].contains("judge:"));
}

TEST(JudgeOnADevice, ChangesNoFigure) {
  const std::filesystem::path folder = fresh_folder("judge-device");
  Ran device;
  compare_judges(judged_run, folder, device);
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  const std::string name = ledger_of(folder / "device")["environment"]["libraries"]["judge:"];
  EXPECT_NE(device.output.find(by_a_device + name + "\n"), std::string::npos) << device.output;
  EXPECT_NE(contents(folder / "device" / "report.md").find("judge:"), std::string::npos);
}

TEST(JudgeOnADevice, ChangesNoFigureOfALibrary) {
  const std::filesystem::path folder = fresh_folder("judge-device-library");
  Ran device;
  compare_judges(one_row + "--library " ATTNCERT_PLAIN_C_KERNEL " ", folder, device);
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  EXPECT_NE(device.output.find(by_a_device), std::string::npos) << device.output;
}

TEST(JudgeOnADevice, ChangesNoFigureOfTheDevicesOwnKernels) {
  const std::filesystem::path folder = fresh_folder("judge-device-device");
  Ran device;
  compare_judges(one_row + "--normalizer softmax --dtype f32 --isa device ", folder, device);
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  EXPECT_NE(device.output.find(by_a_device), std::string::npos) << device.output;
}

TEST(JudgeOnADevice, SaysWhereItJudgesNothing) {
  const std::filesystem::path folder = fresh_folder("judge-device-nothing");
  const Ran ran = run_attncert(one_row + "--normalizer log-softmax --dtype f32 --judge device --out " +
                               (folder / "device").string());
  if (ran.status == 2 && ran.errors.find("--judge device: ") != std::string::npos) GTEST_SKIP() << ran.errors;
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(
      ran.output.find("the device judged none of these rows: it serves ordinary ones of softmax, ssmax, softmax1, "
                      "top-k-softmax of f32, f16 and bf16, but those of a second opinion\n"),
      std::string::npos)
      << ran.output;
  EXPECT_FALSE(ledger_of(folder / "device")["environment"]["libraries"].contains("judge:"));
  const Ran without = run_attncert(one_row + "--normalizer log-softmax --dtype f32");
  EXPECT_EQ(without.output.find("the device judged none"), std::string::npos) << without.output;
}

}  // namespace
}  // namespace attncert
