// Classes of budgets: what their names mean, what small rows are allowed by hand, and that every row has an answer.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/budget_classes/allowances.hpp"
#include "properties/conformance/subjects.hpp"

namespace attncert {
namespace {

constexpr long double u = 0x1p-24L;

Arithmetic of(std::string_view name, attncert_dtype dtype = ATTNCERT_F32) {
  const Result<Arithmetic> made = arithmetic_named(name, dtype);
  EXPECT_TRUE(bool(made)) << (made ? "" : made.error().message);
  return made ? *made : Arithmetic{};
}

std::vector<long double> allowed(std::string_view normalizer, const LogitRow& row, std::string_view name = "plain") {
  return allowances(*find_subject(normalizer), row, of(name));
}

TEST(BudgetClasses, NamesAreReadAndOthersRefused) {
  EXPECT_EQ(of("three-pass").roundings_of_exponent(1), 3);
  EXPECT_EQ(of("plain").roundings_of_exponent(1), 1);
  EXPECT_EQ(of("plain").roundings_of_exponent(0.5), 3);
  EXPECT_EQ(of("plain+exp=0.5+running").exponential_error(), 1);
  EXPECT_EQ(of("plain", ATTNCERT_F64).u, 0x1p-53L);
  EXPECT_TRUE(of("plain", ATTNCERT_BF16).narrowed);
  for (const char* bad :
       {"", "Plain", "plain+", "plain+online", "plain+online=0", "plain+online=1.5", "plain+exp=nan", "plain+running=2",
        "plain running", "running", "three-pass+running", "plain+exp=1e99", "plain+running+pairwise",
        "plain+lanes=4+compensated", "plain+exp=1+exp=2", "plain+running+running", "plain+plain"})
    EXPECT_FALSE(bool(arithmetic_named(bad, ATTNCERT_F32))) << bad;
}

TEST(BudgetClasses, AdditionsAreCounted) {
  EXPECT_EQ(of("plain").additions(1024, 1024), 10);
  EXPECT_EQ(of("plain").additions(1025, 1025), 11);
  EXPECT_EQ(of("plain").additions(1024, 3), 2) << "what is absent rounds nothing off";
  EXPECT_EQ(of("plain").additions(1024, 1), 0);
  EXPECT_EQ(of("plain+running").additions(1024, 1000), 999);
  EXPECT_EQ(of("plain+lanes=8").additions(1024, 1024), 127 + 3);
  // 7 within a block, 7 blocks more, and 7 + 7 scalings by an exponential and a product.
  EXPECT_EQ(of("plain+online=128").additions(1024, 1024), 7 + 7 + 14 * 3);
}

// Logits 0 and -1 at T = 1: p_1 = 0.26894142. Exponentials err by 2 and 2 + 1, their mean is 2.26894142, one addition.
TEST(BudgetClasses, TwoLogitsByHand) {
  const LogitRow row{{0, -1}, 1, {}};
  const auto softmax = allowed("softmax", row);
  EXPECT_NEAR(double(softmax[0] / (0.73105858 * u)), 2 + 2.26894142 + 1 + 2, 1e-5);
  EXPECT_NEAR(double(softmax[1] / (0.26894142 * u)), 3 + 2.26894142 + 1 + 2, 1e-5);
  // log S = 0.31326169, off by S's 3.26894142 and by 2 of itself; then y is rounded: at 0, log S again.
  EXPECT_NEAR(double(allowed("log-softmax", row)[0] / u), 3.26894142 + 3 * 0.31326169, 1e-5);
  // The rest is exp(-1), off by 3: log1p of it by 3 + 2 of itself.
  EXPECT_NEAR(double(allowed("log-softmax", row, "plain+log1p")[0] / u), (3 + 1 + 2 + 1) * 0.31326169, 1e-5);
}

// Logits 0 and -1/2 under sparsemax: tau = -3/4, off by (1 + 1 + 2) 3/4; p_1 = 1/4 by that, by x_1's 1/2, and its own.
TEST(BudgetClasses, AThresholdByHand) {
  const LogitRow row{{0, -0.5}, 1, {}};
  EXPECT_NEAR(double(allowed("sparsemax", row)[1] / u), 3 + 0.5 + 0.25, 1e-5);
  const LogitRow outside{{0, -3}, 1, {}};
  EXPECT_EQ(allowed("sparsemax", outside)[1], 0) << "far below the threshold nothing else is right";
}

// An option is a normalizer's where some row is allowed something else with it, and where none is, it is said to be
// unread.
TEST(BudgetClasses, WhatNoBudgetReadsIsNamed) {
  EXPECT_EQ(unread_option("plain+running+saved", "softmax"), "saved");
  EXPECT_EQ(unread_option("plain+running", "softmax"), "");
  EXPECT_EQ(unread_option("three-pass", "sigmoid"), "");
  for (const Subject* subject : subjects())
    for (const ArithmeticOption& option : arithmetic_options()) {
      const std::string name = "plain+" + std::string(option.name) + (option.least == 0 ? "" : "=7");
      // Of pairwise sums, which every class has that names no others, a second word tells.
      const std::string other = option.name == "pairwise" ? "plain+running" : "plain";
      bool reads = false;
      for (std::uint64_t n = 0; n < 200 && !reads; ++n) {
        const AccuracyCase which{"regime:" + std::to_string(n), AccuracyCase::Source::regime, 0, 0, 0, n};
        LogitRow row = case_row(which, 5, Effort::quick, ATTNCERT_F32);
        add_parameters(row, which, 5, ATTNCERT_F32, *subject);
        reads = kind(row) == RowKind::ordinary &&
                allowances(*subject, row, of(name)) != allowances(*subject, row, of(other));
      }
      EXPECT_EQ(reads, unread_option(name, subject->name).empty()) << subject->name << " " << name;
    }
}

TEST(BudgetClasses, EveryRowHasAnAnswer) {
  for (const Subject* subject : subjects())
    for (const char* name : {"plain", "plain+online=1+unshifted", "plain+running+threshold=0.01+log1p+saved"})
      for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64})
        for (std::uint64_t n = 0; n < 60; ++n) {
          const AccuracyCase which{"regime:" + std::to_string(n), AccuracyCase::Source::regime, 0, 0, 0, n};
          LogitRow row = case_row(which, 5, Effort::quick, dtype);
          add_parameters(row, which, 5, dtype, *subject);
          if (n % 3 == 1) row.temperature = n % 2 == 0 ? 5e-324 : 1.7e308;
          if (n % 4 == 1) row.parameters = {100001 + n, 100000, n, 48, 1e300, -1e300};  // alpha next to 1
          if (n % 4 == 2) row.parameters = {1 << 20, 1, 1, 48, -1e-300, 1e-300};        // and large
          if (kind(row) != RowKind::ordinary) continue;
          const auto each = allowances(*subject, row, of(name, dtype));
          for (std::size_t i = 0; i < each.size(); ++i)
            ASSERT_TRUE(row.present(i) ? std::isfinite(each[i]) && each[i] >= 0 : each[i] == 0)
                << subject->name << " " << name << " " << which.name << " entry " << i << ": " << double(each[i]);
        }
}

}  // namespace
}  // namespace attncert
