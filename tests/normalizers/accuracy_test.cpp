// Every kernel within its budget on every instruction set: a small sample (accuracy_sweep_test.cpp has the rest).
#include <gtest/gtest.h>

#include "src/kernel/kernel.hpp"
#include "tests/normalizers/accuracy.hpp"

namespace attncert {
namespace {

class Accuracy : public testing::TestWithParam<std::string> {};

TEST_P(Accuracy, Sample) {
  const ForcedInstructionSet forced(GetParam());
  for (const double sigma : {3.0, 20.0}) {
    for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
      for (const Case& c : {Case{sigma, temperature, 1, 2}, Case{sigma, temperature, 5, 8},
                            Case{sigma, temperature, 67, 4}, Case{sigma, temperature, 1000, 1}}) {
        expect_within_budget(c, c.length);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Accuracy, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
