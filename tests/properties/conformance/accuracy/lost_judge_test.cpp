// A device that judges first and fails, where several campaigns have it: as `attncert accuracy` runs one for each
// normalizer and type.
#include <gtest/gtest.h>

#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/device/forwarded.hpp"
#include "src/device/kernel_texts.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/device/mistaken.hpp"

namespace attncert {
namespace {

// Counts how often it is asked to run anything.
class CountingDevice final : public device::ForwardedDevice {
 public:
  using ForwardedDevice::ForwardedDevice;
  Result<Done> launch(const device::Launch& launch) const override {
    ++launches;
    return to_.launch(launch);
  }

  mutable std::size_t launches = 0;
};

TEST(LostDeviceJudge, IsToldOfOnceAndAskedNoMore) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  const MistakenDevice failing(**device, device::judge_text, "no kernel at all");
  const CountingDevice counted(failing);
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.isas = {instruction_sets().front()};
  plan.dtypes = {ATTNCERT_F32};
  plan.only_case = "normal:s=3:T=0.7:L=257";
  plan.judge = &counted;
  std::size_t told = 0, asked = 0;
  plan.judge_failed = [&](const Error&) { ++told; };
  for (const char* subject : {"softmax", "softmax1"}) {
    AccuracyPlan one = plan;
    one.subjects = {subject};
    for (const AccuracyRow& row : run_accuracy(judged_normalizers(), one)) {
      EXPECT_EQ(row.device_elements, 0u) << subject;
      EXPECT_GT(row.elements, 0u) << subject;
    }
    if (asked == 0) asked = counted.launches;
  }
  EXPECT_EQ(told, 1u);
  EXPECT_GT(asked, 0u);
  EXPECT_EQ(counted.launches, asked);
}

}  // namespace
}  // namespace attncert
