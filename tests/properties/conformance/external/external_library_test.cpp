// Each kernel of tests/properties/conformance/external/bad_kernels.c gets the verdict that its fault deserves, and the
// kernels beside it are judged as before.
#include "properties/conformance/external/external_library.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <thread>
#include <vector>

#include "src/kernel/kernel.hpp"
#include "tests/properties/conformance/external/named.hpp"

namespace attncert {
namespace {

ExternalLimits brisk() {
  ExternalLimits limits;
  limits.host.run = std::chrono::milliseconds(300);
  limits.hangs = 2;
  return limits;
}

std::unique_ptr<ExternalLibrary> bad_library() {
  auto opened = ExternalLibrary::open(ATTNCERT_BAD_KERNELS, ATTNCERT_KERNEL_HOST, brisk());
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return opened ? *std::move(opened) : nullptr;
}

std::vector<float> logits(std::size_t count) {
  std::vector<float> row(count);
  for (std::size_t i = 0; i < count; ++i) row[i] = std::sin(static_cast<float>(i + count));
  return row;
}

// Single rows and batches of two, of lengths 1 to 12 (the faults look at the length modulo 7), and a bad temperature.
void campaign(const attncert_kernel& kernel) {
  for (std::size_t length = 1; length <= 12; ++length)
    for (const std::size_t rows : {std::size_t{1}, std::size_t{2}}) {
      const std::vector<float> input = logits(rows * length);
      std::vector<float> output(input.size());
      std::ignore = run<float>(kernel, input, output, rows, length, 1);
    }
  const std::vector<float> input = logits(4);
  std::vector<float> output(4);
  std::ignore = run<float>(kernel, input, output, 1, 4, -1);
}

std::set<Violation> violations_of(const ExternalLibrary& library, std::string_view kernel) {
  std::set<Violation> seen;
  for (const ViolationRow& row : library.violations())
    if (row.kernel == kernel) seen.insert(row.violation);
  return seen;
}

struct Expected {
  const char* kernel;
  std::set<Violation> violations;
};

void PrintTo(const Expected& expected, std::ostream* stream) { *stream << expected.violations.size() << " expected"; }

class AbiViolation : public testing::TestWithParam<Expected> {};

TEST_P(AbiViolation, IsNamed) {
  const auto library = bad_library();
  ASSERT_NE(library, nullptr);
  const attncert_kernel* kernel = named(*library, GetParam().kernel);
  ASSERT_NE(kernel, nullptr);
  campaign(*kernel);
  EXPECT_EQ(violations_of(*library, kernel->name), GetParam().violations);
  // The kernels beside it are judged as before.
  const std::uint64_t before = library->calls();
  campaign(*named(*library, "good"));
  EXPECT_TRUE(violations_of(*library, "good").empty());
  EXPECT_EQ(library->calls() - before, 25u);
}

using enum Violation;
INSTANTIATE_TEST_SUITE_P(
    Bad, AbiViolation,
    testing::Values(
        Expected{"good", {}}, Expected{"good_with_scratch", {}}, Expected{"crashes", {crashed}},
        Expected{"divides_by_zero", {crashed}}, Expected{"aborts", {crashed}},
        Expected{"overflows_its_stack", {crashed}}, Expected{"exits", {ended_process}}, Expected{"hangs", {hung}},
        Expected{"writes_behind_its_rows", {wrote_outside}}, Expected{"writes_before_its_rows", {wrote_outside}},
        Expected{"writes_between_its_rows", {wrote_outside}}, Expected{"writes_behind_its_scratch", {wrote_outside}},
        Expected{"reads_behind_its_rows", {read_outside}}, Expected{"changes_its_input", {changed_input}},
        Expected{"unlocks_its_input", {changed_input}}, Expected{"opens_pages_behind_its_rows", {read_outside}},
        Expected{"leaves_the_last_unwritten", {left_unwritten}}, Expected{"writes_and_refuses", {wrote_despite_error}},
        Expected{"depends_on_alignment", {layout_dependent, batch_dependent}},
        Expected{"depends_on_the_batch", {batch_dependent}}, Expected{"leaves_rounding_changed", {environment_changed}},
        Expected{"leaves_flushing_on", {environment_changed}}, Expected{"invents_a_status", {bad_status}},
        Expected{"wants_all_the_memory", {bad_scratch}}, Expected{"relies_on_aligned_elements", {}},
        Expected{"relies_on_aligned_vectors", {crashed}}),
    [](const auto& which) { return std::string(which.param.kernel); });

// The bits of this kernel change from call to call, so other comparisons may fail as well.
TEST(ExternalLibrary, SeesThatACallIsNotRepeatable) {
  const auto library = bad_library();
  campaign(*named(*library, "counts_its_calls"));
  EXPECT_TRUE(violations_of(*library, "counts_its_calls").contains(not_repeatable));
}

// Rows of lengths 1 to 12 for `crashes`, which does so at 3 and 10, and between them for `good`, in one message.
TEST(ExternalLibrary, ACrashAmongManyCallsCostsNoOther) {
  const auto library = bad_library();
  constexpr std::size_t lengths = 12;
  std::vector<std::vector<float>> inputs, outputs;
  std::vector<attncert_arguments> arguments(2 * lengths);
  std::vector<LibraryCall> calls;
  for (std::size_t n = 0; n < 2 * lengths; ++n) {
    const std::size_t length = 1 + n / 2;
    inputs.push_back(logits(length));
    outputs.emplace_back(length, -1.0f);
  }
  for (std::size_t n = 0; n < 2 * lengths; ++n) {
    const std::size_t length = inputs[n].size();
    attncert_arguments& a = arguments[n];
    a.size = sizeof a;
    a.rows = 1;
    a.length = a.input_stride = a.output_stride = length;
    a.input = inputs[n].data();
    a.output = outputs[n].data();
    a.temperature = 1;
    calls.push_back({named(*library, n % 2 == 0 ? "crashes" : "good"), &a, false});
  }
  library->run_all(calls);
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const bool lost = n % 2 == 0 && inputs[n].size() % 7 == 3;
    EXPECT_EQ(calls[n].status == ATTNCERT_OK, !lost) << n;
    ASSERT_EQ(calls[n].violations.size(), lost ? 1u : 0u) << n;
    if (lost) {
      EXPECT_EQ(calls[n].violations.front().first, crashed);
    }
    if (n % 2 == 1 && calls[n - 1].status == ATTNCERT_OK) {  // both compute the same, each output in its own place
      EXPECT_EQ(outputs[n], outputs[n - 1]) << n;
    }
    EXPECT_EQ(outputs[n].front() == -1, lost) << n;
  }
  EXPECT_EQ(library->calls(), 2 * lengths);
  EXPECT_TRUE(library->violations().empty());  // whoever asks for many keeps his own record
}

TEST(ExternalLibrary, OnlyTheFirstRunUnlessAllAreAskedFor) {
  const auto library = bad_library();
  const std::vector<float> input = logits(5);
  std::vector<float> output(5);
  attncert_arguments a{};
  a.size = sizeof a;
  a.rows = 1;
  a.length = a.input_stride = a.output_stride = 5;
  a.input = input.data();
  a.output = output.data();
  a.temperature = 1;
  const attncert_kernel* const kernel = named(*library, "counts_its_calls");
  std::vector<LibraryCall> calls{{kernel, &a, false}, {kernel, &a, false}, {kernel, &a, true}};
  library->run_all(calls);
  EXPECT_TRUE(calls[0].violations.empty() && calls[1].violations.empty());
  ASSERT_FALSE(calls[2].violations.empty());
  EXPECT_EQ(calls[2].violations.front().first, not_repeatable);
}

TEST(ExternalLibrary, GivesTheSameBitsAsTheKernelItself) {
  const auto library = bad_library();
  const std::size_t rows = 3, length = 37;
  const std::vector<float> input = logits(rows * length);
  std::vector<float> output(input.size(), -1);
  std::vector<std::uint8_t> mask(input.size(), 1);
  mask[5] = 0;
  ASSERT_EQ(run<float>(*named(*library, "good"), input, output, rows, length, 0.7, mask), ATTNCERT_OK);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += static_cast<double>(output[r * length + i]);
    EXPECT_NEAR(sum, 1, 37 * 0x1p-25);  // each weight is rounded once: half an ulp of a value below 1
  }
  EXPECT_EQ(output[5], 0);
}

TEST(ExternalLibrary, StopsCallingAKernelThatIsLostTooOften) {
  const auto library = bad_library();
  const attncert_kernel& kernel = *named(*library, "hangs");
  const std::vector<float> input = logits(3);
  std::vector<float> output(3, 0.25f);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(static_cast<int>(run<float>(kernel, input, output, 1, 3, 1)), 7);
  EXPECT_EQ(output[0], 0.25f);
  ASSERT_EQ(library->violations().size(), 1u);
  EXPECT_EQ(library->violations()[0].calls, 2u);
  EXPECT_NE(library->violations()[0].first.find("not called again"), std::string::npos);
}

// A host that waits while its parent judges is no kernel that hangs, though the limit of a run is over: 12 s here on
// two cores.
TEST(ExternalLibraryAtRest, OutlivesTheLimitOfARun) {
  const auto library = bad_library();
  const std::vector<float> input = logits(3);
  std::vector<float> output(3);
  ASSERT_EQ(run<float>(*named(*library, "good"), input, output, 1, 3, 1), ATTNCERT_OK);
  const auto limit = std::chrono::seconds(11 + std::thread::hardware_concurrency());
  std::this_thread::sleep_for(limit + std::chrono::seconds(1));
  EXPECT_EQ(run<float>(*named(*library, "good"), input, output, 1, 3, 1), ATTNCERT_OK);
  EXPECT_TRUE(library->violations().empty());
}

TEST(ExternalLibrary, SaysWhereAndWhen) {
  const auto library = bad_library();
  library->note("normal:s=3:T=1:L=3");
  const std::vector<float> input = logits(3);
  std::vector<float> output(3);
  std::ignore = run<float>(*named(*library, "leaves_the_last_unwritten"), input, output, 1, 3, 1);
  ASSERT_EQ(library->violations().size(), 1u);
  const std::string first = library->violations()[0].first;
  EXPECT_NE(first.find("entry 2"), std::string::npos) << first;
  EXPECT_NE(first.find("f32, 1 x 3"), std::string::npos) << first;
  EXPECT_NE(first.find("normal:s=3:T=1:L=3"), std::string::npos) << first;
}

TEST(ExternalLibrary, RefusesWhatIsNoLibraryOfKernels) {
  const auto error = [](const std::string& file) {
    const auto opened = ExternalLibrary::open(file, ATTNCERT_KERNEL_HOST, brisk());
    return opened ? std::string("opened") : opened.error().message;
  };
  const auto faulty = [&](int fault) {
    return error(std::string(ATTNCERT_UNLOADABLE) + std::to_string(fault) + ".so");
  };
  EXPECT_NE(error("no/such/file.so").find("no such file"), std::string::npos);
  EXPECT_NE(error(ATTNCERT_SOURCE_DIR "/README.md").find("README.md"), std::string::npos);
  EXPECT_NE(faulty(1).find("has no function attncert_kernels"), std::string::npos) << faulty(1);
  EXPECT_NE(faulty(2).find("abi 99"), std::string::npos) << faulty(2);
  EXPECT_NE(faulty(3).find("size 16"), std::string::npos) << faulty(3);
  EXPECT_NE(faulty(4).find("lacks a name"), std::string::npos) << faulty(4);
  EXPECT_NE(faulty(6).find("no function to run"), std::string::npos) << faulty(6);
  EXPECT_NE(faulty(7).find("gives 0 kernels"), std::string::npos) << faulty(7);
  EXPECT_NE(faulty(8).find("two kernels are named one"), std::string::npos) << faulty(8);
  EXPECT_NE(faulty(9).find("brings its process down while it is loaded"), std::string::npos) << faulty(9);
  EXPECT_NE(faulty(10).find("flags that this program does not know"), std::string::npos) << faulty(10);
  EXPECT_NE(faulty(12).find("attncert_version gives no text"), std::string::npos) << faulty(12);
  EXPECT_NE(faulty(14).find("attncert_device_memory has abi 99"), std::string::npos) << faulty(14);
  EXPECT_NE(faulty(15).find("attncert_device_memory has size 16"), std::string::npos) << faulty(15);
  EXPECT_NE(faulty(16).find("lacks one of its six functions"), std::string::npos) << faulty(16);
  const auto opened = ExternalLibrary::open(ATTNCERT_BAD_KERNELS, "no/such/host", brisk());
  EXPECT_NE(opened.error().message.find("attncert-kernel-host"), std::string::npos);
}

}  // namespace
}  // namespace attncert
