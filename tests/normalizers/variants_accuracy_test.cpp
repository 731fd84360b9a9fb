// Every normalizer of variants.hpp within its budget on every instruction set, against Arb.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "src/kernel/budget.hpp"
#include "tests/normalizers/oracle.hpp"
#include "tests/normalizers/variants.hpp"

namespace attncert {
namespace {

class VariantsAccuracy : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

template <class T>
double judge(const KernelVariant& variant, const std::vector<T>& logits, double temperature) {
  const std::vector<T> computed = weigh(variant, logits, temperature);
  const oracle::Error error = oracle::error(variant, logits, computed, temperature);
  const attncert_kernel& kernel = *find_kernel(variant.normalizer, sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64);
  EXPECT_LE(error.ulp, ulp_budget(kernel, temperature))
      << kernel.name << " " << variant.label << " T " << temperature << " L " << logits.size() << std::hexfloat
      << " logit " << logits[error.index] << " weight " << computed[error.index];
  return error.ulp;
}

template <class T>
void judge_all(const KernelVariant& variant) {
  double worst = 0;
  for (const double sigma : {0.3, 3.0, 20.0, 300.0}) {
    for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
      for (const double offset : {0.0, -40.0, 1000.0}) {
        for (const std::size_t length : {1u, 5u, 67u}) {
          std::vector<T> logits = oracle::normal_logits<T>(length, sigma, length);
          for (T& x : logits) x += static_cast<T>(offset);
          worst = std::max(worst, judge(variant, logits, temperature));
        }
      }
    }
  }
  worst = std::max(worst, judge(variant, oracle::normal_logits<T>(1000, 3, 11), 0.7));
  std::printf("  %-24s %s worst %.3f ulp\n", variant.label.c_str(), sizeof(T) == 4 ? "f32" : "f64", worst);
}

TEST_P(VariantsAccuracy, Sample) {
  for (const KernelVariant& variant : variants()) {
    judge_all<float>(variant);
    judge_all<double>(variant);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, VariantsAccuracy, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
