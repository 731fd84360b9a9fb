// The kernels of src/bounds on every instruction set against the enclosures, and the judge itself on answers made by hand.
#include "properties/bounds/judge.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "properties/bounds/campaign.hpp"

namespace attncert {
namespace {

class BoundKernels : public testing::TestWithParam<std::string> {};

TEST_P(BoundKernels, KeepTheErrorsTheyState) {
  for (const std::uint64_t seed : {11, 12, 13}) {
    BoundPlan plan;
    plan.seed = seed;
    plan.rows = 120;
    plan.subjects = {GetParam()};
    for (const BoundReport& report : run_bounds(plan)) {
      EXPECT_EQ(report.judgement.outside, 0u) << report.isa << " " << report.dtype << " " << report.judgement.witness;
      EXPECT_EQ(report.judgement.weak, 0u) << report.isa << " " << report.dtype << " " << report.judgement.witness;
      EXPECT_EQ(report.judgement.undecided, 0u) << report.isa << " " << report.dtype;
      EXPECT_GT(report.judgement.elements, 100u);
    }
  }
}

std::string subject_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(EverySubject, BoundKernels,
                         testing::Values("distance", "separability", "softmax-jacobian", "operator-norm",
                                         "head-statistics", "difference-quotient"),
                         subject_name);

}  // namespace
}  // namespace attncert
