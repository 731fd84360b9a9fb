// A search of an external library's kernels finds what a sampled campaign misses, keeps the input of a crash, and is
// fast.
#include "fuzz/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>

#include "fuzz/stored_inputs.hpp"
#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/faults/faults.hpp"
#include "tests/properties/conformance/external/named.hpp"

namespace attncert {
namespace {

using testing::HasSubstr;

std::unique_ptr<ExternalLibrary> searched_kernels() {
  ExternalLimits limits;
  limits.host.run = std::chrono::milliseconds(300);
  auto opened = ExternalLibrary::open(ATTNCERT_SEARCHED_KERNELS, ATTNCERT_KERNEL_HOST, limits);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return opened ? *std::move(opened) : nullptr;
}

struct Searched {
  std::uint64_t executions = 0;
  double nearest = 0;
  std::optional<SearchFinding> finding;
};

Searched searched(ExternalLibrary& library, const char* name, std::uint64_t seed, std::uint64_t most,
                  std::span<const Tape> inputs = stored_inputs()) {
  Search search(library, *named(library, name), seed);
  for (const Tape& input : inputs) search.add(input);
  Searched result;
  while (search.executions() < most && !result.finding) result.finding = search.step(most - search.executions());
  result.executions = search.executions();
  result.nearest = search.nearest();
  if (result.finding) result.finding = search.minimised(*std::move(result.finding));
  return result;
}

const std::uint64_t of_quick = limits(Effort::quick).searched, of_normal = limits(Effort::normal).searched;

// What the campaign of the same effort and seed says of the kernel by itself.
AccuracyRow campaign(const ExternalLibrary& library, const char* name, std::uint64_t seed, Effort effort) {
  AccuracyPlan plan;
  plan.seed = seed;
  plan.effort = effort;
  plan.kernels = {named(library, name)};
  return run_accuracy(judged_normalizers(), plan).front();
}

TEST(Search, ClimbsToAnErrorThatTheCampaignMisses) {
  const auto library = searched_kernels();
  for (const std::uint64_t seed : {1, 2, 3}) {
    const AccuracyRow sampled = campaign(*library, "errs_near_a_temperature", seed, Effort::quick);
    EXPECT_EQ(sampled.outside, 0u) << seed << ": " << sampled.worst_entry;
    const Searched run = searched(*library, "errs_near_a_temperature", seed, of_normal);
    ASSERT_TRUE(run.finding) << seed << ": nearest " << run.nearest;
    // By its fault: numbers, or degenerate rows that its contract allows as much, near that temperature.
    EXPECT_NEAR(std::log2(draw_normalizer_case(run.finding->input).row.temperature / 0.37), 0, 0.5);
    std::printf("seed %d: found by %d executions, %zu bytes: %s\n", static_cast<int>(seed),
                static_cast<int>(run.executions), run.finding->input.size(), run.finding->words.c_str());
  }
}

// The faults that run in this process; tests of external libraries have the others, and the campaign the wide ones.
TEST(Search, FindsEveryFaultWithinQuickEffort) {
  for (const Fault& fault : faults()) {
    if (fault.wide) continue;
    Search search([](std::span<Execution> executions) { make_calls(executions); }, *fault.kernel, 1);
    for (const Tape& input : stored_inputs()) search.add(input);
    std::optional<SearchFinding> finding;
    while (!finding && search.executions() < of_quick) finding = search.step(of_quick - search.executions());
    EXPECT_TRUE(finding) << fault.name << ": nearest " << search.nearest();
  }
}

TEST(Search, KeepsTheInputOfACrash) {
  const auto library = searched_kernels();
  const Searched run = searched(*library, "crashes_at_a_tail", 1, of_normal);
  ASSERT_TRUE(run.finding);
  EXPECT_TRUE(run.finding->conduct.lost);
  EXPECT_THAT(run.finding->what, HasSubstr("crashed: Segmentation fault"));
  // Alone, and in another process, the input shows the same; the kernel without the fault passes it.
  const auto again = searched_kernels();
  const std::vector<Tape> input{run.finding->input};
  const Searched once = searched(*again, "crashes_at_a_tail", 1, 1, input);
  ASSERT_TRUE(once.finding);
  EXPECT_EQ(once.finding->what, run.finding->what);
  EXPECT_FALSE(searched(*again, "right_softmax", 1, 1, input).finding);
}

TEST(Search, KeepsTheInputOfAHang) {
  const auto library = searched_kernels();
  const Searched run = searched(*library, "hangs_at_a_tail", 1, of_normal);
  ASSERT_TRUE(run.finding);
  EXPECT_TRUE(run.finding->conduct.hung);
  EXPECT_THAT(run.finding->what, HasSubstr("hung"));
}

TEST(Search, PassesARightKernel) {
  const auto library = searched_kernels();
  const Searched run = searched(*library, "right_softmax", 1, of_quick);
  EXPECT_FALSE(run.finding) << run.finding->words << ": " << run.finding->what;
  EXPECT_EQ(run.executions, of_quick);
}

TEST(Search, TheSameSeedDoesTheSame) {
  const auto library = searched_kernels();
  const Searched one = searched(*library, "errs_near_a_temperature", 1, of_normal),
                 other = searched(*library, "errs_near_a_temperature", 1, of_normal),
                 third = searched(*library, "errs_near_a_temperature", 2, of_normal);
  ASSERT_TRUE(one.finding && other.finding && third.finding);
  EXPECT_EQ(one.executions, other.executions);
  EXPECT_EQ(one.finding->input, other.finding->input);
  EXPECT_NE(one.finding->input, third.finding->input);
}

// As the campaign does, on the library's record; and the input.
Tape put_on_record(ExternalLibrary& library, const char* name) {
  const Searched first = searched(library, name, 1, of_normal);
  EXPECT_TRUE(first.finding);
  const attncert_kernel& kernel = *named(library, name);
  guarded_call(kernel, draw_normalizer_case(first.finding->input).row);
  return first.finding->input;
}

TEST(Search, GoesOnBehindWhatTheLibraryShowsAlready) {
  const auto library = searched_kernels();
  put_on_record(*library, "crashes_at_a_tail");
  ASSERT_TRUE(library->shows(*named(*library, "crashes_at_a_tail"), Violation::crashed));
  EXPECT_FALSE(searched(*library, "crashes_at_a_tail", 1, of_quick).finding);
}

TEST(Search, GivesAKernelUpThatHangsAgainAndAgain) {
  const auto library = searched_kernels();
  const attncert_kernel& kernel = *named(*library, "hangs_at_a_tail");
  const Tape input = put_on_record(*library, kernel.name);
  ASSERT_TRUE(library->shows(kernel, Violation::hung));
  Search search(*library, kernel, 1);
  for (unsigned hang = 0; hang < ExternalLimits{}.hangs; ++hang) {
    EXPECT_FALSE(search.gives_up()) << hang;
    search.add(input);
    EXPECT_FALSE(search.step(1)) << hang;
  }
  EXPECT_TRUE(search.gives_up());
}

double processor_seconds(int whose) {
  rusage used{};
  getrusage(whose, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// Of this process and the library's, which counts when it has ended. Processor time does not know who else computes.
TEST(SearchSpeed, TwoThousandExecutionsASecondAndCore) {
  const double own = processor_seconds(RUSAGE_SELF), others = processor_seconds(RUSAGE_CHILDREN);
  auto library = searched_kernels();
  const Searched run = searched(*library, "right_softmax", 1, 2 * of_normal);
  library.reset();
  const double parent = processor_seconds(RUSAGE_SELF) - own, host = processor_seconds(RUSAGE_CHILDREN) - others;
  const double speed = static_cast<double>(run.executions) / (parent + host);
  std::printf("%.0f executions a second and core; %.0f%% of the time in the library's process\n", speed,
              100 * host / (parent + host));
  EXPECT_GE(speed, 2000);
}

}  // namespace
}  // namespace attncert
