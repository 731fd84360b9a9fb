// Half kernels: the bits are those of the f32 kernel on the widened row, narrowed, whatever the block, the strides and
// the other rows; the contract of arguments; and, against long double, the budget with its half ulp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "src/kernel/budget.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

constexpr attncert_dtype kHalves[] = {ATTNCERT_F16, ATTNCERT_BF16};
constexpr std::uint16_t kUntouched = 0xABCD;

bool is_derivative(const attncert_kernel& kernel) { return std::string_view(kernel.normalizer).ends_with("-vjp"); }

struct alignas(64) ScratchLine {
  unsigned char bytes[64];
};

attncert_status run_with_scratch(const attncert_kernel& kernel, attncert_arguments arguments) {
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  std::vector<ScratchLine> scratch(arguments.scratch_bytes / sizeof(ScratchLine) + 1);
  arguments.scratch = scratch.data();
  return kernel.run(&arguments);
}

attncert_arguments dense(std::size_t rows, std::size_t length) {
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = arguments.output_stride = arguments.mask_stride = arguments.upstream_stride = length;
  arguments.temperature = 0.7;
  return arguments;
}

std::vector<std::uint16_t> narrowed(attncert_dtype half, const std::vector<float>& values) {
  std::vector<std::uint16_t> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) store_element(half, out.data(), i, static_cast<double>(values[i]));
  return out;
}

std::vector<float> widened(attncert_dtype half, const std::vector<std::uint16_t>& values) {
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(load_element(half, values.data(), i));
  return out;
}

bool same_half(attncert_dtype half, std::uint16_t a, std::uint16_t b) {
  return a == b || (std::isnan(load_element(half, &a, 0)) && std::isnan(load_element(half, &b, 0)));
}

// softmax-half-ulp.f16 of softmax-half-ulp.f32.
const attncert_kernel* namesake(const attncert_kernel& single, attncert_dtype half) {
  const std::string_view name = single.name;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    const std::string_view other = kernel->name;
    if (kernel->dtype_in == half && other.substr(0, other.rfind('.')) == name.substr(0, name.rfind('.'))) return kernel;
  }
  return nullptr;
}

class Half : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};

  template <class Body>
  void each(Body body) {
    for (const attncert_kernel* single : built_in_kernels()) {
      if (single->dtype_in != ATTNCERT_F32) continue;
      for (const attncert_dtype half : kHalves) {
        const attncert_kernel* kernel = namesake(*single, half);
        ASSERT_NE(kernel, nullptr) << single->name;
        SCOPED_TRACE(kernel->name);
        body(*single, *kernel, half);
      }
    }
  }
};

// rows x length logits with a few of every special value, and a mask.
struct Rows {
  std::vector<float> logits, upstream;
  std::vector<std::uint8_t> mask;
};

Rows special_rows(std::size_t rows, std::size_t length, std::uint64_t seed) {
  Rows made{oracle::normal_logits<float>(rows * length, 3, seed),
            oracle::normal_logits<float>(rows * length, 2, seed + 1), std::vector<std::uint8_t>(rows * length, 1)};
  const float infinity = std::numeric_limits<float>::infinity();
  const float wild[] = {-infinity, 1e-6f, -infinity, 6e4f, infinity, std::nanf(""), 1e-39f};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = r % 5; i < length; i += 7 + r % 3) made.mask[r * length + i] = 0;
    if (r % 4 == 3) made.logits[r * length + (5 * r) % length] = wild[r / 4 % 7];
  }
  return made;
}

TEST_P(Half, BitsAreTheF32KernelsNarrowed) {
  each([](const attncert_kernel& single, const attncert_kernel& kernel, attncert_dtype half) {
    for (const auto& [rows, length] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {9, 3}, {70, 17}, {70, 33}, {70, 65}, {5, 1025}, {2, 5000}}) {
      const Rows made = special_rows(rows, length, length);
      const std::vector<std::uint16_t> logits = narrowed(half, made.logits), upstream = narrowed(half, made.upstream);
      const std::vector<float> wide = widened(half, logits), wide_upstream = widened(half, upstream);
      for (const bool masked : {false, true}) {
        attncert_arguments arguments = dense(rows, length);
        arguments.mask = masked ? made.mask.data() : nullptr;
        std::vector<float> expected(rows * length);
        arguments.input = wide.data();
        arguments.output = expected.data();
        arguments.upstream = is_derivative(single) ? wide_upstream.data() : nullptr;
        ASSERT_EQ(run_with_scratch(single, arguments), ATTNCERT_OK);
        std::vector<std::uint16_t> got(rows * length, kUntouched);
        arguments.input = logits.data();
        arguments.output = got.data();
        arguments.upstream = is_derivative(single) ? upstream.data() : nullptr;
        ASSERT_EQ(run_with_scratch(kernel, arguments), ATTNCERT_OK);
        const std::vector<std::uint16_t> wanted = narrowed(half, expected);
        for (std::size_t i = 0; i < got.size(); ++i) {
          ASSERT_TRUE(same_half(half, got[i], wanted[i])) << rows << " x " << length << " masked " << masked << " at "
                                                          << i << ": " << got[i] << " for " << wanted[i];
        }
      }
    }
  });
}

TEST_P(Half, LayoutChangesNothing) {
  each([](const attncert_kernel&, const attncert_kernel& kernel, attncert_dtype half) {
    for (const std::size_t length : {std::size_t{3}, std::size_t{33}, std::size_t{2100}}) {
      constexpr std::size_t rows = 6;
      const Rows made = special_rows(rows, length, 3 * length);
      const std::vector<std::uint16_t> logits = narrowed(half, made.logits), upstream = narrowed(half, made.upstream);
      const std::size_t in = length + 3, out = length + 5, up = length + 1;
      std::vector<std::uint16_t> input(1 + rows * in), g(3 + rows * up), got(1 + rows * out, kUntouched);
      for (std::size_t r = 0; r < rows; ++r) {
        std::memcpy(&input[1 + r * in], &logits[r * length], 2 * length);
        std::memcpy(&g[3 + r * up], &upstream[r * length], 2 * length);
      }
      attncert_arguments arguments = dense(rows, length);
      arguments.input = input.data() + 1;
      arguments.output = got.data() + 1;
      arguments.upstream = is_derivative(kernel) ? g.data() + 3 : nullptr;
      arguments.input_stride = in;
      arguments.output_stride = out;
      arguments.upstream_stride = up;
      ASSERT_EQ(run_with_scratch(kernel, arguments), ATTNCERT_OK);
      for (std::size_t r = 0; r < rows; ++r) {
        std::vector<std::uint16_t> alone(length);
        attncert_arguments one = dense(1, length);
        one.input = &logits[r * length];
        one.output = alone.data();
        one.upstream = is_derivative(kernel) ? &upstream[r * length] : nullptr;
        ASSERT_EQ(run_with_scratch(kernel, one), ATTNCERT_OK);
        for (std::size_t i = 0; i < out; ++i) {
          const std::uint16_t bits = got[1 + r * out + i];
          ASSERT_TRUE(i < length ? same_half(half, bits, alone[i]) : bits == kUntouched) << length << " row " << r;
        }
      }
    }
  });
}

TEST_P(Half, BadArgumentsWriteNothing) {
  each([](const attncert_kernel&, const attncert_kernel& kernel, attncert_dtype) {
    const std::vector<std::uint16_t> logits(20, 0x3C00);
    std::vector<std::uint16_t> out(20, kUntouched);
    attncert_arguments good = dense(2, 10);
    good.input = logits.data();
    good.output = out.data();
    good.upstream = is_derivative(kernel) ? logits.data() : nullptr;
    const auto status_after = [&](auto change) {
      attncert_arguments arguments = good;
      change(arguments);
      return run_with_scratch(kernel, arguments);
    };
    EXPECT_EQ(kernel.run(nullptr), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.size = 8; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.input = nullptr; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.output = nullptr; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.input_stride = 9; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.output_stride = 9; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.temperature = 0; }), ATTNCERT_BAD_TEMPERATURE);
    EXPECT_EQ(status_after([&](auto& a) { a.upstream = a.upstream == nullptr ? logits.data() : nullptr; }),
              ATTNCERT_BAD_ARGUMENT);
    good.scratch_bytes = kernel.scratch_needed(&good) - 1;
    std::vector<ScratchLine> scratch(good.scratch_bytes / sizeof(ScratchLine) + 1);
    good.scratch = scratch.data();
    EXPECT_EQ(kernel.run(&good), ATTNCERT_SHORT_SCRATCH);
    for (const std::uint16_t bits : out) EXPECT_EQ(bits, kUntouched);
    EXPECT_EQ(status_after([](auto& a) { a.rows = 0; }), ATTNCERT_OK);
    EXPECT_EQ(status_after([](auto& a) { a.length = 0; }), ATTNCERT_OK);
    for (const std::uint16_t bits : out) EXPECT_EQ(bits, kUntouched);
    EXPECT_EQ(status_after([](auto&) {}), ATTNCERT_OK);
    for (const std::uint16_t bits : out) EXPECT_NE(bits, kUntouched);
  });
}

// Spacing of the format at |value|: below the smallest normal number that of the subnormals.
double ulp_of(attncert_dtype half, long double value) {
  const Format& f = format(half);
  const int exponent = value == 0 ? f.min_exponent - 1 : std::max(std::ilogb(value), f.min_exponent - 1);
  return std::ldexp(1.0, exponent - f.digits + 1);
}

TEST_P(Half, SoftmaxWithinItsBudget) {
  for (const attncert_dtype half : kHalves) {
    const attncert_kernel& kernel = *find_kernel("softmax", half);
    double worst = 0;
    for (const std::size_t length : {1u, 7u, 100u, 3000u, 70000u}) {
      const std::vector<std::uint16_t> logits = narrowed(half, oracle::normal_logits<float>(length, 4, length));
      std::vector<std::uint16_t> out(length);
      attncert_arguments arguments = dense(1, length);
      arguments.input = logits.data();
      arguments.output = out.data();
      ASSERT_EQ(run_with_scratch(kernel, arguments), ATTNCERT_OK);
      std::vector<long double> exact(length);
      long double sum = 0;
      for (std::size_t i = 0; i < length; ++i) {  // |z| < 24: no overflow
        sum += exact[i] = std::exp(static_cast<long double>(load_element(half, logits.data(), i)) / 0.7L);
      }
      for (std::size_t i = 0; i < length; ++i) {
        const long double share = exact[i] / sum, got = load_element(half, out.data(), i);
        worst = std::max(worst, static_cast<double>(std::abs(got - share)) / ulp_of(half, share));
      }
    }
    EXPECT_LE(worst, ulp_budget(kernel, 0.7)) << kernel.name;
    EXPECT_GE(worst, 0.4) << "a bound that nothing comes near";
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Half, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
