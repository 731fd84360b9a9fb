// The vector conversions against dtype.hpp's scalar ones, which tests/kernel holds to Eigen's, on every instruction
// set: every half; and every pattern of a float's upper half with lower halves around each tie of both formats.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "src/normalizers/half/half_convert.hpp"

namespace attncert {
namespace {

class HalfConvert : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

TEST_P(HalfConvert, EveryPatternWidens) {
  std::vector<std::uint16_t> halves(0x10000);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> got(halves.size());
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    widen(half, halves.data(), got.data(), got.size());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const double expected = load_element(half, halves.data(), i);
      ASSERT_EQ(std::isnan(got[i]), std::isnan(expected)) << i;
      if (std::isnan(expected)) continue;
      ASSERT_EQ(static_cast<double>(got[i]), expected) << i;
      ASSERT_EQ(std::signbit(got[i]), std::signbit(expected)) << i;
    }
  }
}

TEST_P(HalfConvert, FloatsNarrow) {
  std::vector<float> floats(0x10000);
  std::vector<std::uint16_t> got(floats.size());
  for (const std::uint32_t low : {0u, 1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu, 0xFFFu, 0x1000u, 0x1001u, 0x2FFFu,
                                  0x3000u, 0x3001u, 0xF000u, 0x5A5Au, 0xC3D2u}) {
    for (std::uint32_t high = 0; high < 0x10000; ++high) floats[high] = std::bit_cast<float>(high << 16 | low);
    for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
      narrow(half, floats.data(), got.data(), got.size());
      for (std::size_t i = 0; i < floats.size(); ++i) {
        if (std::isnan(floats[i])) {
          ASSERT_TRUE(std::isnan(load_element(half, got.data(), i))) << i << " low " << low;
          continue;
        }
        std::uint16_t expected = 0;
        store_element(half, &expected, 0, static_cast<double>(floats[i]));
        ASSERT_EQ(got[i], expected) << floats[i];
      }
    }
  }
}

// Ties among f16's subnormals need low bits of a float that the sweep above does not reach.
TEST_P(HalfConvert, SubnormalTiesOfF16) {
  for (int units = 0; units <= 1025; ++units) {
    const float tie = std::ldexp(static_cast<float>(2 * units + 1), -25);
    for (const float value : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1.0f), -tie}) {
      std::uint16_t got = 0, expected = 0;
      narrow(ATTNCERT_F16, &value, &got, 1);
      store_element(ATTNCERT_F16, &expected, 0, static_cast<double>(value));
      ASSERT_EQ(got, expected) << value;
    }
  }
}

TEST_P(HalfConvert, NothingBeyondTheCountIsWritten) {
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    for (std::size_t count = 0; count <= 70; ++count) {
      const std::vector<std::uint16_t> halves(count, 0x3C00);
      std::vector<float> wide(count + 16, -7.0f);
      widen(half, halves.data(), wide.data(), count);
      std::vector<std::uint16_t> back(count + 16, 0xABCD);
      narrow(half, wide.data(), back.data(), count);
      for (std::size_t i = 0; i < count + 16; ++i) {
        ASSERT_EQ(wide[i] == -7.0f, i >= count) << count;
        ASSERT_EQ(back[i], i < count ? 0x3C00 : 0xABCD) << count;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, HalfConvert, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
