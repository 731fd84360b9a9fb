// Kernels whose rows lie in memory of their library's own (device_kernels.c): what each does wrong there is named, and
// a right one is judged as any other, by whole campaigns too.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "properties/conformance/external/external_library.hpp"
#include "src/core/files.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/conformance/external/named.hpp"

namespace attncert {
namespace {

std::unique_ptr<ExternalLibrary> library_of_rows_elsewhere() {
  auto opened = ExternalLibrary::open(ATTNCERT_ROWS_ELSEWHERE, ATTNCERT_KERNEL_HOST, {});
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return opened ? *std::move(opened) : nullptr;
}

// What the kernel makes of three rows of five logits.
std::vector<float> computed(const attncert_kernel& kernel) {
  constexpr std::size_t rows = 3, length = 5;
  std::vector<float> input(rows * length), output(rows * length);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = std::sin(static_cast<float>(i));
  EXPECT_EQ(run<float>(kernel, input, output, rows, length, 1), ATTNCERT_OK) << kernel.name;
  return output;
}

TEST(DeviceMemory, WhatAKernelDoesWrongThereIsNamed) {
  using enum Violation;
  const std::map<std::string, std::set<Violation>> expected{
      {"good", {}},
      {"writes_behind_its_rows", {wrote_outside}},
      {"writes_before_its_rows", {wrote_outside}},
      {"writes_between_its_rows", {wrote_outside}},
      {"writes_far_behind_its_rows", {wrote_outside}},
      {"changes_its_input", {changed_input}},
      {"forgets_to_compute", {left_unwritten}},
      {"writes_behind_its_scratch", {wrote_outside}},
      {"good_with_scratch", {}},
  };
  const auto library = library_of_rows_elsewhere();
  ASSERT_NE(library, nullptr);
  for (const auto& [name, violations] : expected) {
    const attncert_kernel* kernel = named(*library, name);
    ASSERT_NE(kernel, nullptr) << name;
    computed(*kernel);
    std::set<Violation> seen;
    for (const ViolationRow& row : library->violations())
      if (row.kernel == name) seen.insert(row.violation);
    EXPECT_EQ(seen, violations) << name;
  }
}

// Rows of a length that only the conduct checks have.
TEST(DeviceMemory, ConductChecksLookAtTheRedZones) {
  const auto library = library_of_rows_elsewhere();
  ASSERT_NE(library, nullptr);
  for (const char* name : {"writes_behind_long_rows", "good"}) library->run_conduct(*named(*library, name));
  ASSERT_EQ(library->violations().size(), 1u);
  EXPECT_EQ(library->violations().front().kernel, "writes_behind_long_rows");
  EXPECT_EQ(library->violations().front().violation, Violation::wrote_outside);
}

// A device that fails from then on, as after an illegal address, costs no other kernel anything.
TEST(DeviceMemory, AFailureOfTheDeviceIsNamedAndTheNextKernelIsJudged) {
  const auto library = library_of_rows_elsewhere();
  ASSERT_NE(library, nullptr);
  const std::vector<float> input{1, 2, 3};
  std::vector<float> output(3);
  EXPECT_NE(run<float>(*named(*library, "breaks_the_device"), input, output, 1, 3, 1), ATTNCERT_OK);
  computed(*named(*library, "good"));
  ASSERT_EQ(library->violations().size(), 1u);
  const ViolationRow row = library->violations().front();
  EXPECT_EQ(row.kernel, "breaks_the_device");
  EXPECT_EQ(row.violation, Violation::device_failed);
  EXPECT_NE(row.first.find("after the kernel was called, with status 5"), std::string::npos) << row.first;
}

// No page is there to fault; what lies behind a buffer is NaN.
TEST(DeviceMemory, AReadBehindTheRowsMeetsNaN) {
  const auto library = library_of_rows_elsewhere();
  ASSERT_NE(library, nullptr);
  const std::vector<float> right = computed(*named(*library, "good")),
                           wrong = computed(*named(*library, "reads_behind_its_rows"));
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_EQ(std::isnan(wrong[i]), i == 10) << i;
}

TEST(DeviceMemory, ACampaignOfARightKernelPassesAndNamesTheDevice) {
  const auto folder = fresh_folder("device-memory") / "report";
  const Ran ran =
      run_attncert("accuracy --effort quick --kernel good_with_scratch --library " ATTNCERT_ROWS_ELSEWHERE " --out '" +
                   folder.string() + "'");
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
  EXPECT_NE(ran.output.find("no violation"), std::string::npos) << ran.output;
  EXPECT_NE(read_text(folder / "ledger.json")->find("OpenCL:1"), std::string::npos);
}

}  // namespace
}  // namespace attncert
