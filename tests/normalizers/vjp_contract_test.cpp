// The contract of derivatives, on every instruction set: what is masked or -inf gets 0 and its upstream is ignored,
// what is not finite makes the row NaN, bad calls write nothing, and a row's bits are its own.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/normalizers/oracle.hpp"
#include "tests/normalizers/vjp_call.hpp"

namespace attncert {
namespace {

constexpr std::size_t kVjpLengths[] = {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100, 513};

class VjpContract : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};

  template <class Body>
  void each(Body body) {
    for (const oracle::Derivative& what : derivatives()) {
      SCOPED_TRACE(described(what));
      body(what, float{});
      body(what, double{});
    }
  }
};

TEST_P(VjpContract, NothingPresentGivesZeros) {
  each([](const oracle::Derivative& what, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kVjpLengths) {
      const std::vector<T> wild(n, kNaN<T>);
      const std::vector<T> masked = derive<T>(what, wild, wild, std::vector<std::uint8_t>(n, 0)).values;
      const std::vector<T> absent = derive<T>(what, std::vector<T>(n, -kInfinity<T>), wild).values;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same(masked[i], T(0))) << n;
        ASSERT_TRUE(same(absent[i], T(0))) << n;
      }
    }
  });
}

TEST_P(VjpContract, WhatIsMaskedIsIgnored) {
  each([](const oracle::Derivative& what, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kVjpLengths) {
      std::vector<T> logits = oracle::normal_logits<T>(n, 3, n), upstream = oracle::normal_logits<T>(n, 1, n + 1);
      std::vector<T> wild = logits, wild_upstream = upstream, absent = logits;
      std::vector<std::uint8_t> mask(n, 1);
      const T wildlings[] = {kNaN<T>, kInfinity<T>, -kInfinity<T>, T(1e30), std::numeric_limits<T>::max()};
      for (std::size_t i = 1; i < n; i += 1 + i % 3) {
        mask[i] = 0;
        wild[i] = wildlings[i % 5];
        wild_upstream[i] = wildlings[(i + 2) % 5];
        absent[i] = -kInfinity<T>;
      }
      const std::vector<T> masked = derive<T>(what, logits, upstream, mask).values;
      const std::vector<T> ignored = derive<T>(what, wild, wild_upstream, mask).values;
      const std::vector<T> unmasked = derive<T>(what, absent, wild_upstream).values;
      const oracle::VjpWorst worst = oracle::VjpTruth<T>(what, absent, upstream).worst(masked);
      ASSERT_LE(worst.ulp, 1) << n;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same(masked[i], ignored[i])) << n << " at " << i;
        ASSERT_TRUE(same(masked[i], unmasked[i])) << n << " at " << i;
        if (mask[i] == 0) {
          ASSERT_TRUE(same(masked[i], T(0))) << n;
        }
      }
    }
  });
}

TEST_P(VjpContract, WhatIsNotFiniteMakesTheRowNaN) {
  each([](const oracle::Derivative& what, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kVjpLengths) {
      for (std::size_t at = 0; at < n; at += n < 40 ? 1 : 37) {
        const std::vector<T> logits = oracle::normal_logits<T>(n, 3, n), upstream = oracle::normal_logits<T>(n, 1, n);
        for (const T bad : {kNaN<T>, kInfinity<T>, std::numeric_limits<T>::signaling_NaN()}) {
          std::vector<T> spoiled = logits;
          spoiled[at] = bad;
          for (const T value : derive<T>(what, spoiled, upstream).values) ASSERT_TRUE(value != value) << n;
        }
        for (const T bad : {kNaN<T>, kInfinity<T>, -kInfinity<T>}) {
          std::vector<T> spoiled = upstream;
          spoiled[at] = bad;
          for (const T value : derive<T>(what, logits, spoiled).values) ASSERT_TRUE(value != value) << n;
        }
      }
    }
  });
}

TEST_P(VjpContract, BadCallsWriteNothing) {
  each([](const oracle::Derivative& what, auto zero) {
    using T = decltype(zero);
    const std::vector<T> row(10, T(1));
    for (const double temperature : {0.0, -1.0, std::nan(""), kInfinity<double>}) {
      oracle::Derivative bad = what;
      bad.temperature = temperature;
      const Gradient<T> gradient = derive<T>(bad, row, row);
      EXPECT_EQ(gradient.status, ATTNCERT_BAD_TEMPERATURE);
      for (const T value : gradient.values) EXPECT_EQ(value, T(kGuard));
    }
    const attncert_kernel& kernel = *find_kernel(what.normalizer, kDtype<T>);
    std::vector<T> out(10, T(kGuard));
    attncert_arguments good{};
    good.size = sizeof good;
    good.rows = 2;
    good.length = good.input_stride = good.output_stride = good.upstream_stride = 5;
    good.input = good.upstream = row.data();
    good.output = out.data();
    good.temperature = 1;
    good.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&good) : 0;
    struct alignas(64) Line {
      unsigned char bytes[64];
    };
    std::vector<Line> scratch(good.scratch_bytes / sizeof(Line) + 1);
    good.scratch = scratch.data();
    const auto status_after = [&](auto change) {
      attncert_arguments arguments = good;
      change(arguments);
      return kernel.run(&arguments);
    };
    EXPECT_EQ(kernel.run(nullptr), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.upstream = nullptr; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.upstream_stride = 4; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.input = nullptr; }), ATTNCERT_BAD_ARGUMENT);
    if (good.scratch_bytes > 0) {
      EXPECT_EQ(status_after([](auto& a) { --a.scratch_bytes; }), ATTNCERT_SHORT_SCRATCH);
    }
    EXPECT_EQ(status_after([](auto& a) { a.rows = 0; }), ATTNCERT_OK);
    for (const T value : out) EXPECT_EQ(value, T(kGuard));
    EXPECT_EQ(kernel.run(&good), ATTNCERT_OK);
    for (const T value : out) EXPECT_NE(value, T(kGuard));
  });
}

// Rows in a batch with strides, unaligned, between guards: the bits of each row alone, nothing written between.
TEST_P(VjpContract, LayoutChangesNothing) {
  each([](const oracle::Derivative& what, auto zero) {
    using T = decltype(zero);
    const attncert_kernel& kernel = *find_kernel(what.normalizer, kDtype<T>);
    for (std::size_t n = 1; n <= 70; n += 1 + n / 9) {
      constexpr std::size_t rows = 4;
      const std::size_t in = n + 3, out = n + 2, up = n + 1;
      std::vector<T> input(rows * in + 1), upstream(rows * up + 2), output(rows * out + 64, T(kGuard));
      std::vector<T> alone;
      for (std::size_t r = 0; r < rows; ++r) {
        std::vector<T> x = oracle::normal_logits<T>(n, 3, n + r), g = oracle::normal_logits<T>(n, 1, n + r + 9);
        if (r == 1) x[n / 2] = kNaN<T>;
        std::copy(x.begin(), x.end(), input.begin() + static_cast<std::ptrdiff_t>(1 + r * in));
        std::copy(g.begin(), g.end(), upstream.begin() + static_cast<std::ptrdiff_t>(2 + r * up));
        const std::vector<T> values = derive<T>(what, x, g).values;
        alone.insert(alone.end(), values.begin(), values.end());
      }
      attncert_arguments arguments{};
      arguments.size = sizeof arguments;
      arguments.rows = rows;
      arguments.length = n;
      arguments.input_stride = in;
      arguments.output_stride = out;
      arguments.upstream_stride = up;
      arguments.input = input.data() + 1;
      arguments.upstream = upstream.data() + 2;
      arguments.output = output.data();
      arguments.temperature = what.temperature;
      arguments.parameters = &what.parameters;
      alignas(64) unsigned char scratch[8192];
      arguments.scratch = scratch;
      arguments.scratch_bytes = sizeof scratch;
      ASSERT_EQ(kernel.run(&arguments), ATTNCERT_OK);
      for (std::size_t i = 0; i < output.size(); ++i) {
        const std::size_t r = i / out, at = i % out;
        ASSERT_TRUE(same(output[i], r < rows && at < n ? alone[r * n + at] : T(kGuard))) << n << " row " << r;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, VjpContract, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
