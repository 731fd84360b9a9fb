// Slow: the budgets of docs/budgets.md on rows up to 2^20.
#include <gtest/gtest.h>

#include "src/kernel/kernel.hpp"
#include "tests/normalizers/accuracy.hpp"

namespace attncert {
namespace {

class AccuracySweep : public testing::TestWithParam<std::string> {};

TEST_P(AccuracySweep, LengthsTo2To20) {
  const ForcedInstructionSet forced(GetParam());
  for (const double sigma : {3.0, 20.0}) {
    for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
      for (const Case& c :
           {Case{sigma, temperature, 2, 500}, Case{sigma, temperature, 16, 200}, Case{sigma, temperature, 64, 100},
            Case{sigma, temperature, 1024, 20}, Case{sigma, temperature, 65536, 1}}) {
        expect_within_budget(c, c.length + 7);
      }
    }
    expect_within_budget({sigma, 1, std::size_t{1} << 20, 1}, 99);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, AccuracySweep, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
