// The stamp tells the state that is, not the one that ought to be.
#include "src/core/environment/environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <string>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "tests/pattern.hpp"

namespace attncert {
namespace {

TEST(Environment, NamesTheRoundingMode) {
  const int before = std::fegetround();
  EXPECT_EQ(float_state().rounding, "to nearest");
  for (const auto& [mode, name] :
       {std::pair{FE_UPWARD, "upward"}, {FE_DOWNWARD, "downward"}, {FE_TOWARDZERO, "toward zero"}}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const std::string seen = float_state().rounding;
    std::fesetround(before);
    EXPECT_EQ(seen, name);
  }
}

#if defined(__SSE2__)
TEST(Environment, SeesFlushToZero) {
  const unsigned before = _mm_getcsr();
  EXPECT_EQ(float_state().flush_to_zero, "off");
  for (const auto& [bits, name] : {std::pair{0x8000u, "FTZ"}, {0x0040u, "DAZ"}, {0x8040u, "FTZ+DAZ"}}) {
    _mm_setcsr(before | bits);
    const std::string seen = float_state().flush_to_zero;
    _mm_setcsr(before);
    EXPECT_EQ(seen, name);
  }
}
#endif

TEST(Environment, IsComplete) {
  const Environment stamp = environment("AVX2");
  EXPECT_TRUE(Pattern(R"(\A([0-9a-f]{40,64}|unknown)\z)").is_in(stamp.commit)) << stamp.commit;
  EXPECT_TRUE(Pattern(R"((g|clang)\+\+ [0-9]+\.)").is_in(stamp.compiler)) << stamp.compiler;
  EXPECT_NE(stamp.flags.find("-ffp-contract=off"), std::string::npos) << stamp.flags;
  EXPECT_FALSE(stamp.cpu.empty());
  EXPECT_GT(stamp.cores, 0u);
#if defined(__linux__)
  EXPECT_TRUE(Pattern(R"(Linux [0-9]+\.[0-9]+\S* \S+\z)").is_in(stamp.system)) << stamp.system;
#endif
  EXPECT_EQ(stamp.isa, "AVX2");
  for (const char* library : {"GMP", "MPFR", "MPFI", "Boost", "Eigen", "Highway", "CLI11", "nlohmann-json", "fmt"}) {
    ASSERT_TRUE(stamp.libraries.contains(library)) << library;
    EXPECT_TRUE(Pattern(R"(\A[0-9]+\.[0-9]+)").is_in(stamp.libraries.at(library)))
        << library << " " << stamp.libraries.at(library);
  }
}

}  // namespace
}  // namespace attncert
