// Half rows on the ways that small batches do not take: past the caches (other blocks, streamed stores, misaligned and in
// place) the bits are those of small batches; and rows of every sign, with NaN at every place, are the f32 kernel's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "src/normalizers/half_convert.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

constexpr std::uint16_t kGuardBits = 0xABCD;

struct alignas(64) Line {
  unsigned char bytes[64];
};

void run_rows(const attncert_kernel& kernel, const void* input, void* output, std::size_t rows, std::size_t length,
              std::size_t stride) {
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = arguments.output_stride = stride;
  arguments.input = input;
  arguments.output = output;
  arguments.temperature = 1;
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  std::vector<Line> scratch(arguments.scratch_bytes / sizeof(Line) + 1);
  arguments.scratch = scratch.data();
  ASSERT_EQ(kernel.run(&arguments), ATTNCERT_OK);
}

class HalfRows : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

// count logits of spread 3, every 97th thousand of spread 60 (weights of subnormal f32), now and then -inf or NaN.
std::vector<std::uint16_t> many_logits(attncert_dtype half, std::size_t count) {
  std::vector<float> period = oracle::normal_logits<float>(99991, 3, 5);  // a prime: no two rows are alike
  for (std::size_t i = 0; i < 3000; ++i) period[i] *= 20;
  period[50000] = std::nanf("");
  period[70000] = -std::numeric_limits<float>::infinity();
  std::vector<std::uint16_t> halves(count);
  narrow(half, period.data(), halves.data(), period.size());
  for (std::size_t i = period.size(); i < count; ++i) halves[i] = halves[i - period.size()];
  return halves;
}

TEST_P(HalfRows, PastTheCachesAsInThem) {
  constexpr std::size_t beyond = (std::size_t{1} << 23) + 5000;  // more elements than softmax_sizes.hpp's caches hold
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    const std::vector<std::uint16_t> input = many_logits(half, beyond + 8192);
    for (const auto& [normalizer, length, stride] :
         {std::tuple<const char*, std::size_t, std::size_t>{"softmax", 1001, 1003},
          {"softmax", 63, 64},
          {"log-softmax", 129, 129}}) {
      const attncert_kernel& kernel = *find_kernel(normalizer, half);
      const std::size_t rows = beyond / length;
      std::vector<std::uint16_t> expected(rows * stride + 1, kGuardBits), got = expected;
      std::vector<std::uint16_t> logits(rows * stride + 1, kGuardBits);
      for (std::size_t r = 0; r < rows; ++r) std::memcpy(&logits[r * stride + 1], &input[r * length], 2 * length);
      for (std::size_t r = 0; r < rows; r += 500) {  // few enough to stay in cache
        run_rows(kernel, &logits[r * stride + 1], &expected[r * stride + 1], std::min<std::size_t>(500, rows - r),
                 length, stride);
      }
      run_rows(kernel, &logits[1], &got[1], rows, length, stride);
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), 2 * got.size()), 0) << kernel.name << " L " << length;
      run_rows(kernel, &logits[1], &logits[1], rows, length, stride);
      EXPECT_EQ(std::memcmp(logits.data(), expected.data(), 2 * got.size()), 0) << kernel.name << " in place";
    }
  }
}

// Softmax of one row as the f32 kernel has it, narrowed; any NaN for any other.
void expect_f32_narrowed(attncert_dtype half, const std::vector<std::uint16_t>& row) {
  std::vector<float> wide(row.size()), weights(row.size());
  std::vector<std::uint16_t> got(row.size(), kGuardBits);
  for (std::size_t i = 0; i < row.size(); ++i) wide[i] = static_cast<float>(load_element(half, row.data(), i));
  run_rows(*find_kernel("softmax", ATTNCERT_F32), wide.data(), weights.data(), 1, row.size(), row.size());
  run_rows(*find_kernel("softmax", half), row.data(), got.data(), 1, row.size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::uint16_t expected = 0;
    store_element(half, &expected, 0, static_cast<double>(weights[i]));
    if (std::isnan(weights[i])) {
      ASSERT_TRUE(std::isnan(load_element(half, got.data(), i))) << i;
    } else {
      ASSERT_EQ(got[i], expected) << i;
    }
  }
}

TEST_P(HalfRows, EverySignAndNanEverywhere) {
  constexpr std::size_t length = 203;
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    SCOPED_TRACE(half == ATTNCERT_F16 ? "f16" : "bf16");
    const std::vector<float> logits = oracle::normal_logits<float>(length, 3, 11);
    const std::uint16_t minus_infinity = half == ATTNCERT_F16 ? 0xFC00 : 0xFF80;
    std::vector<std::uint16_t> row(length), negative(length), depths(length);
    narrow(half, logits.data(), row.data(), length);
    for (std::size_t i = 0; i < length; ++i) negative[i] = static_cast<std::uint16_t>(row[i] | 0x8000);
    std::vector<float> deep(length);
    for (std::size_t i = 0; i < length; ++i) deep[i] = -0.6f * static_cast<float>(i);  // down to e^-122
    narrow(half, deep.data(), depths.data(), length);
    expect_f32_narrowed(half, row);
    expect_f32_narrowed(half, negative);
    expect_f32_narrowed(half, depths);
    expect_f32_narrowed(half, std::vector<std::uint16_t>(length, 0x8000));
    expect_f32_narrowed(half, std::vector<std::uint16_t>(length, minus_infinity));
    for (std::size_t i = 0; i < length; ++i) {
      for (const std::uint16_t special : {std::uint16_t{0x7FFF}, std::uint16_t{0xFFFF}, minus_infinity,
                                          static_cast<std::uint16_t>(minus_infinity & 0x7FFF), std::uint16_t{0x8000}}) {
        std::vector<std::uint16_t> changed = i % 2 == 0 ? row : negative;
        changed[i] = special;
        expect_f32_narrowed(half, changed);
        if (HasFatalFailure()) FAIL() << "place " << i << " of " << special;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, HalfRows, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
