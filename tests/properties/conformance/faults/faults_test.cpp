// Every fault is caught, by a check that is named, and every right kernel of unusual form passes. One test each.
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert {
namespace {

std::string kernel_test_name(std::string_view name) {
  std::string text;
  for (const char c : name.substr(name.find('.') + 1)) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

std::string described(const std::vector<Kill>& kills) {
  std::string text;
  for (const Kill& kill : kills)
    text += "  " + kill.check + ": " + std::to_string(kill.cases) + " cases" +
            (kill.caught ? ", caught: " + kill.witness : "") + "\n";
  return text;
}

// Cases that a test may try before the fault counts as a survivor: all of the quick effort, 200 tapes for every law.
KillPlan plan() {
  KillPlan plan;
  plan.tapes = 200;
  plan.first_only = true;
  return plan;
}

// GoogleTest makes one test of each of these.
class FaultIsCaught : public testing::Test {
 public:
  explicit FaultIsCaught(const Fault& fault) : fault_(fault) {}
  void TestBody() override {
    if (!judgeable(fault_)) GTEST_SKIP() << "no reference or no budget for " << fault_.kernel->name;
    const std::vector<Kill> kills = kills_of(fault_, plan());
    const KillSummary summary{&fault_, kills};
    ASSERT_NE(summary.first(), nullptr) << fault_.text << " survives\n" << described(kills);
    RecordProperty("check", summary.first()->check);
    RecordProperty("cases", std::to_string(summary.first()->cases));
    std::printf("caught by %s after %llu cases: %s\n", summary.first()->check.c_str(),
                static_cast<unsigned long long>(summary.first()->cases), summary.first()->witness.c_str());
    // What no single row shows must be shown by the check that the entry names, so that the entry does not deceive.
    if (!fault_.check.empty()) {
      EXPECT_EQ(summary.first()->check, fault_.check) << described(kills);
    }
  }

 private:
  const Fault& fault_;
};

class PassesEveryCheck : public testing::Test {
 public:
  explicit PassesEveryCheck(const Fault& kernel) : kernel_(kernel) {}
  void TestBody() override {
    if (!judgeable(kernel_)) GTEST_SKIP() << "no reference or no budget for " << kernel_.kernel->name;
    KillPlan every = plan();
    every.tapes = 30;
    every.first_only = false;
    const KillSummary summary{&kernel_, kills_of(kernel_, every)};
    EXPECT_TRUE(summary.as_expected()) << kernel_.text << "\n" << described(summary.kills);
  }

 private:
  const Fault& kernel_;
};

template <class Test, class Entry>
void register_all(const char* suite, std::span<const Entry> list) {
  for (const Entry& entry : list)
    testing::RegisterTest(suite, kernel_test_name(entry.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&entry]() -> testing::Test* { return new Test(entry); });
}

const bool kernels_registered = [] {
  register_all<FaultIsCaught>("Fault", faults());
  register_all<PassesEveryCheck>("FalseAlarm", unusual_kernels());
  return true;
}();

TEST(Faults, AreManyOverAllNormalizers) {
  EXPECT_TRUE(kernels_registered);
  EXPECT_GE(faults().size(), 60u);
  EXPECT_GE(unusual_kernels().size(), 20u);
}

// A skipped fault is a fault that nobody looks at: only normalizers that the suite has no kernel of, hence no budget
// for.
TEST(Faults, AreSkippedOnlyWhereTheSuiteHasNoKernel) {
  const std::set<std::string_view> without_kernel{};
  for (const Fault& fault : faults())
    EXPECT_TRUE(judgeable(fault) || without_kernel.contains(fault.kernel->normalizer)) << fault.name;
  for (const Fault& right : unusual_kernels())
    EXPECT_TRUE(judgeable(right) || without_kernel.contains(right.kernel->normalizer)) << right.name;
}

TEST(Faults, AWrongKernelAmongTheRightOnesIsAnAlarm) {  // the judge of the judges
  const KillPlan quick = plan();
  for (const Fault& fault : faults())
    if (fault.name == "fault.zeros" && judgeable(fault)) {
      Fault disguised = fault;
      disguised.wrong = false;
      EXPECT_FALSE((KillSummary{&disguised, kills_of(disguised, quick)}.as_expected()));
    }
}

}  // namespace
}  // namespace attncert
