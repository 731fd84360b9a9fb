// A kernel leaves the control bits of the floating-point unit as it found them, whatever they were.
#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace attncert {
namespace {

class Environment : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

template <class T, class Control>
void expect_kept(Control control) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<std::vector<T>> rows = {{infinity, 1}, {nan, 1, 2}, {-infinity, -infinity}, {T(0.5), T(0.25), T(-0.5)}};
  rows.push_back(oracle::normal_logits<T>(300, 20, 3));
  for (const std::string& normalizer : kNormalizers) {
    for (const std::vector<T>& logits : rows) {
      for (const double temperature : {1.0, 0.7, 1e30, -1.0}) {
        const auto before = control();
        row<T>(normalizer, logits, temperature);
        ASSERT_EQ(control(), before) << normalizer;
      }
    }
  }
}

TEST_P(Environment, RoundingModeIsKept) {
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    expect_kept<float>([] { return std::fegetround(); });
    expect_kept<double>([] { return std::fegetround(); });
    std::fesetround(FE_TONEAREST);
  }
}

#if defined(__x86_64__)
TEST_P(Environment, ControlRegisterIsKept) {
  const unsigned original = _mm_getcsr();
  for (const unsigned extra : {0u, 0x8000u, 0x0040u, 0x8040u}) {  // FTZ, DAZ
    _mm_setcsr((original & ~0x8040u) | extra);
    const auto control = [] { return _mm_getcsr() & ~0x3fu; };  // without the status flags
    expect_kept<float>(control);
    expect_kept<double>(control);
    _mm_setcsr(original);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(InstructionSet, Environment, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
