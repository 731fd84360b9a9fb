// Every wrong bound kernel is noticed and every right one passes. One test each.
#include "properties/conformance/bounds/faults.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "properties/conformance/bounds/campaign.hpp"

namespace attncert {
namespace {

std::string test_name(std::string_view name) {
  std::string text;
  for (const char c : name.substr(name.find('.') + 1)) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

// Rows of a seed, of both types, that a fault may hide on before it counts as a survivor.
BoundPlan plan(std::uint64_t seed) {
  BoundPlan plan;
  plan.seed = seed;
  plan.rows = 60;
  return plan;
}

class BoundFaultIsCaught : public testing::Test {
 public:
  explicit BoundFaultIsCaught(const BoundFault& fault) : fault_(fault) {}
  void TestBody() override {
    const BoundCatch found = hunt(fault_.subject, fault_.kernel, plan(1), true);
    ASSERT_TRUE(found.caught) << fault_.text << " survives " << found.rows << " rows";
    std::printf("caught after %llu rows: %s\n", static_cast<unsigned long long>(found.rows), found.witness.c_str());
  }

 private:
  const BoundFault& fault_;
};

class RightBoundPasses : public testing::Test {
 public:
  explicit RightBoundPasses(const BoundFault& right) : right_(right) {}
  void TestBody() override {
    for (const std::uint64_t seed : {1u, 2u}) {
      const BoundCatch found = hunt(right_.subject, right_.kernel, plan(seed), false);
      EXPECT_FALSE(found.caught) << found.witness;
      EXPECT_GT(found.judgement.elements, 50u);
      EXPECT_EQ(found.judgement.undecided, 0u);
    }
  }

 private:
  const BoundFault& right_;
};

const bool registered = [] {
  for (const BoundFault& fault : bound_faults())
    testing::RegisterTest("BoundFault", test_name(fault.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&fault]() -> testing::Test* { return new BoundFaultIsCaught(fault); });
  for (const BoundFault& right : right_bound_kernels())
    testing::RegisterTest("RightBound", test_name(right.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&right]() -> testing::Test* { return new RightBoundPasses(right); });
  return true;
}();

TEST(BoundFaults, AreManyOverAllSubjects) {
  EXPECT_TRUE(registered);
  EXPECT_GE(bound_faults().size(), 18u);
  EXPECT_EQ(right_bound_kernels().size(), bound_subjects().size());
  for (const BoundFault& fault : bound_faults()) EXPECT_NE(find_bound_subject(fault.subject), nullptr) << fault.name;
}

}  // namespace
}  // namespace attncert
