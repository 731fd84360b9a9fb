// How much of its class (docs/budgets.md) every kernel uses whose roundings all go the wrong way: what keeps its class
// uses at least half of it on some row, and what exceeds it does so by less than twice, or keeps one twice as wide.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "properties/conformance/faults/faults.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/conformance/suite/suite.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

constexpr std::string_view of_class = ".class.";

AccuracyRow judged(const Fault& one) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.subjects = {std::string(one.subject())};
  plan.kernels = {one.kernel};
  return run_accuracy(judged_subjects(), plan).at(0);
}

TEST(ClassKernels, MembersUseHalfOfTheirClassAndNoMoreThanAllOfIt) {
  std::size_t members = 0;
  for (const Fault& one : unusual_kernels()) {
    if (one.name.find(of_class) == std::string_view::npos) continue;
    if (!is_taken(members++)) continue;
    const AccuracyRow row = judged(one);
    EXPECT_EQ(row.outside + row.undecided, 0u) << one.name << ": " << row.worst_entry;
    EXPECT_GE(row.worst_fraction, 0.5) << one.name;
    std::printf("%s: %.3f of its class, vacuity %.1e\n", row.kernel.c_str(), row.worst_fraction, row.vacuity);
  }
  EXPECT_GE(members, 40u);
}

// An entry that a threshold lets in or not is 0 to its class, so no fraction says how much it exceeds that by.
bool of_threshold(const Fault& one) {
  return std::string_view(one.kernel->budget).find("+threshold=") != std::string_view::npos;
}

TEST(ClassKernels, WhatExceedsAThresholdKeepsOneTwiceAsFar) {
  const std::pair<std::string_view, const char*> twice[] = {{"sparsemax", "plain+threshold=2e-5"},
                                                            {"entmax", "plain+threshold=2e-4"}};
  std::size_t faulty = 0;
  for (const Fault& one : faults()) {
    if (one.name.find(of_class) == std::string_view::npos || !of_threshold(one)) continue;
    attncert_kernel kernel = *one.kernel;
    kernel.budget = std::ranges::find(twice, one.subject(), &std::pair<std::string_view, const char*>::first)->second;
    Fault wider = one;
    wider.kernel = &kernel;
    const AccuracyRow row = judged(wider);
    EXPECT_EQ(row.outside + row.undecided, 0u) << one.name << ": " << row.worst_entry;
    ++faulty;
  }
  EXPECT_EQ(faulty, std::size(twice));
}

TEST(ClassKernels, WhatExceedsAClassOnlyJustDoes) {
  std::size_t faulty = 0;
  for (const Fault& one : faults()) {
    if (one.name.find(of_class) == std::string_view::npos) continue;
    if (!is_taken(faulty++)) continue;
    const AccuracyRow row = judged(one);
    EXPECT_GT(row.outside, 0u) << one.name;
    if (of_threshold(one)) continue;
    EXPECT_LT(row.worst_fraction, 2) << one.name << ": " << row.worst_entry;
  }
  EXPECT_GE(faulty, 40u);
}

TEST(ClassKernels, EveryNormalizerHasAMemberOfThePlainClass) {
  for (const Subject* subject : subjects())
    EXPECT_TRUE(std::ranges::any_of(unusual_kernels(), [&](const Fault& one) {
      return one.subject() == subject->name && one.kernel->budget != nullptr &&
             std::string_view(one.kernel->budget) == "plain";
    })) << subject->name;
}

// Each option stands in the name of the class of some member.
TEST(ClassKernels, EveryOptionHasAMember) {
  for (const ArithmeticOption& option : arithmetic_options()) {
    const bool named = std::ranges::any_of(unusual_kernels(), [&](const Fault& one) {
      return one.kernel->budget != nullptr &&
             std::string_view(one.kernel->budget).find("+" + std::string(option.name)) != std::string_view::npos;
    });
    EXPECT_TRUE(named) << option.name;
  }
}

}  // namespace
}  // namespace attncert
