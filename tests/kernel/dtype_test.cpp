// f16 and bf16 against the conversions of other people: Eigen's, which round from float, on values that float holds.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

template <class Half>
void every_pattern_widens(attncert_dtype dtype) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    Half half;
    std::memcpy(static_cast<void*>(&half), &pattern, sizeof pattern);
    const double expected = static_cast<double>(static_cast<float>(half)), got = load_element(dtype, &pattern, 0);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      continue;
    }
    ASSERT_EQ(got, expected) << bits;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
    std::uint16_t back = 0;
    store_element(dtype, &back, 0, got);
    ASSERT_EQ(back, pattern);
  }
}

template <class Half>
void floats_narrow(attncert_dtype dtype) {
  std::mt19937 random(1);
  for (int n = 0; n < 2000000; ++n) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    if (n % 2 == 0) bits &= 0xFFFFF000u;  // ties and their neighbours
    if (n % 4 == 0) bits |= 0x00001000u * static_cast<std::uint32_t>(random() & 1);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    const Half expected(value);
    std::uint16_t wanted = 0, got = 0;
    std::memcpy(&wanted, &expected, sizeof wanted);
    store_element(dtype, &got, 0, static_cast<double>(value));
    ASSERT_EQ(got, wanted) << value;
  }
}

TEST(Dtype, EveryF16PatternWidens) { every_pattern_widens<Eigen::half>(ATTNCERT_F16); }
TEST(Dtype, EveryBf16PatternWidens) { every_pattern_widens<Eigen::bfloat16>(ATTNCERT_BF16); }
TEST(Dtype, FloatsNarrowToF16) { floats_narrow<Eigen::half>(ATTNCERT_F16); }
TEST(Dtype, FloatsNarrowToBf16) { floats_narrow<Eigen::bfloat16>(ATTNCERT_BF16); }

TEST(Dtype, RoundsOnceFromDouble) {
  // Just above a tie of f16 between 1 and 1 + 2^-10: through float it would become the tie, and 1.
  EXPECT_EQ(rounded(ATTNCERT_F16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(rounded(ATTNCERT_F16, 1 + 0x1p-11), 1.0);
  EXPECT_EQ(rounded(ATTNCERT_BF16, 1 + 0x1p-8 + 0x1p-50), 1 + 0x1p-7);
  EXPECT_EQ(rounded(ATTNCERT_F16, 65519.99), 65504.0);
  EXPECT_EQ(rounded(ATTNCERT_F16, 65520.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(rounded(ATTNCERT_F16, 0x1p-25), 0.0);
  EXPECT_EQ(rounded(ATTNCERT_F16, -0x1.8p-25), -0x1p-24);
  EXPECT_TRUE(std::isnan(rounded(ATTNCERT_F16, std::nan(""))));
}

}  // namespace
}  // namespace attncert
