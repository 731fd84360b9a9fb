// Each kernel of tests/properties/conformance/external/invalid_call_kernels.c fails the invalid-call tests that it is
// named after, and no other.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "properties/conformance/external/external_library.hpp"
#include "properties/conformance/external/invalid_calls.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/properties/conformance/external/named.hpp"

namespace attncert {
namespace {

using external::case_name;
using external::Demand;
using external::invalid_calls;
using external::InvalidCall;

std::unique_ptr<ExternalLibrary> opened(const char* file, const ExternalLimits& limits = {}) {
  auto library = ExternalLibrary::open(file, ATTNCERT_KERNEL_HOST, limits);
  EXPECT_TRUE(library) << (library ? "" : library.error().message);
  return library ? *std::move(library) : nullptr;
}

std::map<Violation, std::uint64_t> calls(const ExternalLibrary& library) {
  std::map<Violation, std::uint64_t> calls;
  for (const ViolationRow& row : library.violations()) calls[row.violation] = row.calls;
  return calls;
}

// "no-rows invalid-call test failed" for each test that a kernel fails.
std::set<std::string> found(ExternalLibrary& library, const attncert_kernel& kernel) {
  std::set<std::string> found;
  for (const InvalidCall& test : invalid_calls) {
    auto before = calls(library);
    library.run_invalid_calls(kernel, case_name(test));
    for (const auto& [violation, count] : calls(library))
      if (count > before[violation]) found.insert(std::string(test.name) + " " + std::string(name(violation)));
  }
  return found;
}

struct ExpectedFailures {
  const char* kernel;
  std::set<std::string> found;
};

void PrintTo(const ExpectedFailures& expected, std::ostream* stream) {
  *stream << expected.found.size() << " expected";
}

class InvalidCallTest : public testing::TestWithParam<ExpectedFailures> {};

TEST_P(InvalidCallTest, FailsWhereTheKernelIsWrong) {
  const auto library = opened(ATTNCERT_INVALID_CALL_KERNELS);
  const attncert_kernel* kernel = named(*library, GetParam().kernel);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(found(*library, *kernel), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Every, InvalidCallTest,
    testing::Values(
        ExpectedFailures{"right", {}}, ExpectedFailures{"right_with_scratch", {}},
        ExpectedFailures{"right_gradient", {}}, ExpectedFailures{"right_top_k", {}},
        ExpectedFailures{"takes_a_null_input", {"null-input invalid-call test failed"}},
        ExpectedFailures{"writes_to_null", {"null-output crashed"}},
        ExpectedFailures{"overlaps_its_inputs", {"short-input-stride invalid-call test failed"}},
        ExpectedFailures{"overlaps_its_outputs",
                         {"short-output-stride invalid-call test failed", "short-output-stride wrote outside"}},
        ExpectedFailures{"overlaps_its_masks", {"short-mask-stride invalid-call test failed"}},
        ExpectedFailures{"takes_any_temperature",
                         {"zero-temperature invalid-call test failed", "negative-temperature invalid-call test failed",
                          "infinite-temperature invalid-call test failed", "nan-temperature invalid-call test failed"}},
        ExpectedFailures{"takes_no_upstream", {"null-upstream invalid-call test failed"}},
        ExpectedFailures{"overlaps_its_upstreams", {"short-upstream-stride invalid-call test failed"}},
        ExpectedFailures{"works_without_scratch",
                         {"no-scratch invalid-call test failed", "short-scratch invalid-call test failed"}},
        ExpectedFailures{"takes_a_k_of_zero", {"bad-parameter invalid-call test failed"}},
        ExpectedFailures{"reads_all_of_older_arguments", {"older-arguments read outside"}},
        ExpectedFailures{"takes_older_arguments", {"older-arguments invalid-call test failed"}},
        ExpectedFailures{"wants_its_own_version", {"newer-arguments invalid-call test failed"}},
        ExpectedFailures{"wants_its_own_parameters",
                         {"older-parameters invalid-call test failed", "newer-parameters invalid-call test failed"}},
        ExpectedFailures{"reads_all_of_older_parameters", {"older-parameters read outside"}},
        ExpectedFailures{"computes_with_other_defaults",
                         {"older-parameters invalid-call test failed", "newer-parameters invalid-call test failed"}},
        ExpectedFailures{"refuses_no_rows",
                         {"no-rows invalid-call test failed", "no-rows-no-buffers invalid-call test failed"}},
        ExpectedFailures{"refuses_no_entries",
                         {"no-entries invalid-call test failed", "no-entries-no-buffers invalid-call test failed"}},
        ExpectedFailures{
            "wants_buffers_for_nothing",
            {"no-rows-no-buffers invalid-call test failed", "no-entries-no-buffers invalid-call test failed"}},
        ExpectedFailures{"writes_for_nothing",
                         {"no-rows invalid-call test failed", "no-entries invalid-call test failed"}},
        ExpectedFailures{"refuses_strides_of_one_row", {"strides-of-one-row invalid-call test failed"}},
        ExpectedFailures{"strides_over_one_row", {"strides-of-one-row invalid-call test failed"}},
        ExpectedFailures{"counts_scratch_in_elements", {"short-scratch invalid-call test failed"}},
        ExpectedFailures{"takes_zero", {"zero-temperature invalid-call test failed"}},
        ExpectedFailures{"takes_a_negative", {"negative-temperature invalid-call test failed"}},
        ExpectedFailures{"takes_infinity", {"infinite-temperature invalid-call test failed"}},
        ExpectedFailures{"takes_nan", {"nan-temperature invalid-call test failed"}},
        ExpectedFailures{"calls_temperatures_arguments",
                         {"zero-temperature invalid-call test failed", "negative-temperature invalid-call test failed",
                          "infinite-temperature invalid-call test failed", "nan-temperature invalid-call test failed"}},
        ExpectedFailures{"refuses_a_short_stride_of_no_mask", {"short-stride-of-no-mask invalid-call test failed"}},
        ExpectedFailures{"refuses_a_huge_stride_of_no_mask", {"huge-stride-of-no-mask invalid-call test failed"}},
        ExpectedFailures{"takes_a_stride_for_a_mask",
                         {"short-stride-of-no-mask crashed", "huge-stride-of-no-mask crashed"}},
        ExpectedFailures{"refuses_a_short_stride_of_no_upstream",
                         {"short-stride-of-no-upstream invalid-call test failed"}},
        ExpectedFailures{"refuses_a_huge_stride_of_no_upstream",
                         {"huge-stride-of-no-upstream invalid-call test failed"}},
        ExpectedFailures{
            "wants_scratch_for_nothing",
            {"no-rows-no-scratch invalid-call test failed", "no-entries-no-scratch invalid-call test failed"}},
        ExpectedFailures{"right_with_64_bytes", {}},
        ExpectedFailures{
            "wants_by_its_first_logit",
            {"scratch-without-buffers crashed", "scratch-of-no-rows crashed", "scratch-of-no-entries crashed"}},
        ExpectedFailures{"wants_nothing_yet", {"scratch-without-buffers invalid-call test failed"}},
        ExpectedFailures{"wants_more_without_an_upstream", {"scratch-without-buffers invalid-call test failed"}},
        ExpectedFailures{"wants_rows", {"scratch-of-no-rows crashed"}},
        ExpectedFailures{"wants_entries", {"scratch-of-no-entries crashed"}},
        ExpectedFailures{"wants_long_strides", {"scratch-of-short-strides crashed"}},
        ExpectedFailures{"wants_a_number", {"scratch-of-bad-temperature crashed"}},
        ExpectedFailures{"wants_a_positive_k", {"scratch-of-bad-parameter crashed"}},
        ExpectedFailures{"wants_its_version", {"scratch-of-older-arguments read outside"}},
        ExpectedFailures{"rounds_upwards", {"scratch-of-no-rows environment changed"}}),
    [](const auto& which) { return std::string(which.param.kernel); });

// A refused call leaves its outputs as they were, whatever is wrong with it.
TEST(InvalidCalls, ARefusedCallWritesNothing) {
  const auto library = opened(ATTNCERT_INVALID_CALL_KERNELS);
  const attncert_kernel& kernel = *named(*library, "fills_before_it_looks");
  std::set<std::string> refused;
  for (const InvalidCall& test : invalid_calls) {
    const bool applied = external::applies(test, {false, false}) && test.only != external::Only::with_scratch;
    if (applied && external::status_of(test.demand) != ATTNCERT_OK && test.name != "null-output")
      refused.insert(std::string(test.name) + " wrote despite an error status");
  }
  EXPECT_GE(refused.size(), 9u);
  EXPECT_EQ(found(*library, kernel), refused);
}

std::uint64_t calls(const ExternalLibrary& library, Violation violation) { return calls(library)[violation]; }

attncert_status an_ordinary_call(const attncert_kernel& kernel) {
  const std::vector<float> input{1, 0};
  std::vector<float> output(2);
  return run<float>(kernel, input, output, 1, 2, 1);
}

// Three hangs in changed calls end the invalid-call tests of a kernel and not the campaign; in valid calls they end
// both.
TEST(InvalidCalls, AHangInAChangedCallEndsTheseTestsOnly) {
  ExternalLimits brisk;
  brisk.host.run = std::chrono::milliseconds(200);
  const auto library = opened(ATTNCERT_INVALID_CALL_KERNELS, brisk);
  const attncert_kernel& kernel = *named(*library, "hangs_on_bad_temperatures");
  library->run_invalid_calls(kernel);
  EXPECT_EQ(calls(*library, Violation::hung), 3u);
  EXPECT_EQ(an_ordinary_call(kernel), ATTNCERT_OK);
  ASSERT_EQ(library->violations().size(), 1u);
  const std::string first = library->violations()[0].first;
  EXPECT_NE(first.find("invalid-call tests left out after 3 losses"), std::string::npos) << first;
  EXPECT_EQ(first.find("not called again"), std::string::npos) << first;
}

TEST(InvalidCalls, AHangInAValidCallEndsAll) {
  ExternalLimits brisk;
  brisk.host.run = std::chrono::milliseconds(200);
  const auto library = opened(ATTNCERT_INVALID_CALL_KERNELS, brisk);
  const attncert_kernel& kernel = *named(*library, "hangs");
  library->run_invalid_calls(kernel);
  EXPECT_EQ(calls(*library, Violation::hung), 3u);
  EXPECT_EQ(static_cast<int>(an_ordinary_call(kernel)), 7);
  EXPECT_EQ(library->calls(), 3u);
}

// Whether bad-parameter and the tests of an upstream are run follows from the list of normalizers; the kernels agree
// with it.
TEST(InvalidCalls, ThereIsABadParameterWhereTheKernelsReadOne) {
  const attncert_parameters bad{sizeof bad, 3, 1, 1, 0, NAN, NAN};
  attncert_arguments nothing{};
  nothing.size = sizeof nothing;
  nothing.temperature = 1;
  nothing.parameters = &bad;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    const Subject* subject = find_subject(kernel->normalizer);
    ASSERT_NE(subject, nullptr) << kernel->name;
    EXPECT_EQ(kernel->run(&nothing) == ATTNCERT_BAD_PARAMETER, subject->parameter != ReadsParameter::none)
        << kernel->name;
    EXPECT_EQ(std::string_view(kernel->normalizer).ends_with("-vjp"), subject->derivative) << kernel->name;
  }
}

TEST(InvalidCalls, TheVerdictNamesItsCase) {
  const auto library = opened(ATTNCERT_INVALID_CALL_KERNELS);
  library->run_invalid_calls(*named(*library, "takes_zero"));
  ASSERT_EQ(library->violations().size(), 1u);
  EXPECT_EQ(library->violations()[0].calls, 1u);
  const std::string first = library->violations()[0].first;
  EXPECT_NE(first.find("status 0, not 1"), std::string::npos) << first;
  EXPECT_NE(first.find("case invalid-call:zero-temperature"), std::string::npos) << first;
}

}  // namespace
}  // namespace attncert
