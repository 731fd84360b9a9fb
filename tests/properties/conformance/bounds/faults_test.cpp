// Every wrong bound kernel is noticed and every right one passes, on the rows of two seeds. One test each.
#include "properties/conformance/bounds/faults.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "properties/conformance/bounds/subject.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert {
namespace {

std::string test_name(std::string_view name) {
  std::string text;
  for (const char c : name.substr(name.find('.') + 1)) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

class BoundKernelIsAsExpected : public testing::Test {
 public:
  explicit BoundKernelIsAsExpected(const Fault& fault) : fault_(fault) {}
  void TestBody() override {
    for (const std::uint64_t seed : {1u, 2u}) {
      KillPlan plan;
      plan.seed = seed;
      const KillSummary summary{&fault_, kills_of(fault_, plan)};
      EXPECT_TRUE(summary.as_expected()) << fault_.text << ": " << summary.checks();
      if (!fault_.wrong) {  // one that was judged on nothing would pass as well
        const Kill& bounds = summary.kills.front();
        EXPECT_GE(bounds.cases, 40u);
        EXPECT_GT(bounds.elements, bounds.cases);
        EXPECT_EQ(bounds.undecided, 0u);
      }
      if (summary.first() != nullptr)
        std::printf("%s: %s\n", summary.checks().c_str(), summary.first()->witness.c_str());
    }
  }

 private:
  const Fault& fault_;
};

const bool registered = [] {
  for (const Fault& fault : bound_faults())
    testing::RegisterTest(fault.wrong ? "BoundFault" : "RightBound", test_name(fault.name).c_str(), nullptr, nullptr,
                          __FILE__, __LINE__,
                          [&fault]() -> testing::Test* { return new BoundKernelIsAsExpected(fault); });
  return true;
}();

TEST(BoundFaults, AreManyOverAllSubjects) {
  EXPECT_TRUE(registered);
  std::set<std::string_view> names, right;
  for (const BoundSubject* subject : bound_subjects()) names.insert(subject->name);
  std::size_t wrong = 0;
  for (const Fault& fault : bound_faults()) {
    EXPECT_TRUE(names.contains(fault.bound)) << fault.name;
    if (fault.wrong) ++wrong;
    else right.insert(fault.bound);
  }
  EXPECT_GE(wrong, 18u);
  EXPECT_EQ(right.size(), bound_subjects().size());
}

}  // namespace
}  // namespace attncert
