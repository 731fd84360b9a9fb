// The judge of rows on a device gives the bits of the sequential program in every shape and batch, and shares no text
// with what it judges. Against Interval and the processor's tier: device_judge_test.cpp and device_tier_test.cpp.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/device/arithmetic_rule.hpp"
#include "tests/device/judge_rows.hpp"
#include "tests/device/sequential_device.hpp"

namespace attncert {
namespace {

class DeviceJudges : public testing::Test {
 protected:
  void SetUp() override {
    if (!device::f64_device()) GTEST_SKIP() << device::f64_device().error().message;
  }
  static const device::Device& device() { return **device::f64_device(); }
};

// What another device, in another place, is compared with; the sequential program prints what a changed formula gives.
// One entry, one tile, two, five.
constexpr struct {
  std::size_t length;
  std::uint64_t bits;
} judged_hashes[] = {
    {1, 0x32542725a37194f8u}, {7, 0x18b79e334bf08b81u}, {300, 0xf9c80880549d9860u}, {1100, 0x6f011b7f936e83fu}};

TEST(DeviceJudgeAlone, TheSequentialProgramHasTheStoredBits) {
  for (const auto& [length, bits] : judged_hashes) {
    const std::uint64_t found = judged_bits(SequentialDevice(), length);
    EXPECT_EQ(found, bits) << "{" << length << ", 0x" << std::hex << found << "u}";
    EXPECT_EQ(judged_bits(SequentialDevice(), length, {}, true), found) << length << ", one by one";
  }
}

TEST_F(DeviceJudges, EveryShapeAndBatchHasTheStoredBits) {
  for (const auto& [length, bits] : judged_hashes) {
    if (device().interprets() && length != 7) continue;  // minutes
    EXPECT_EQ(judged_bits(device(), length, {256, 1}), bits) << length;
    EXPECT_EQ(judged_bits(device(), length, {64, 4}, true), bits) << length;
  }
}

// A mistake in what both include would be seen by neither.
TEST(DeviceJudgeAlone, SharesNothingWithTheKernelsThatItJudges) {
  const auto included = [](const std::string& kernel) {
    std::set<std::string> files, left{kernel};
    while (!left.empty()) {
      const std::string file = left.extract(left.begin()).value();
      if (!files.insert(file).second) continue;
      for (const std::string& next :
           all_of(text_of(device_kernels_folder() / file), "#include \"src/device/kernels/([a-z0-9_]+[.]cl)\""))
        left.insert(next);
    }
    return files;
  };
  std::set<std::string> of_judge = included("truths.cl");
  of_judge.merge(included("judge.cl"));
  EXPECT_TRUE(of_judge.contains("double_double.cl"));
  std::size_t judged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(device_kernels_folder())) {
    if (text_of(entry.path()).find("\nKERNEL(GROUP)") == std::string::npos &&
        text_of(entry.path()).find("KERNEL(GROUP)\n") == std::string::npos)
      continue;
    ++judged;
    for (const std::string& file : included(entry.path().filename().string())) {
      EXPECT_TRUE(file == "dialect.cl" || !of_judge.contains(file)) << entry.path() << " has " << file;
    }
  }
  EXPECT_GE(judged, 20u);
}

}  // namespace
}  // namespace attncert
