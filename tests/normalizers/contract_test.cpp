// docs/contracts.md, sentence by sentence, for every built-in kernel on every instruction set of the machine.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

// What stands where a normalizer gives no weight, and at each of m positions that share all of it.
template <class T>
T nothing(const std::string& normalizer) {
  return normalizer == "log-softmax" ? -kInfinity<T> : T(0);
}
template <class T>
T share(const std::string& normalizer, double m) {
  return static_cast<T>(normalizer == "log-softmax" ? -std::log(m) : 1 / m);
}

class Contract : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};

  // Runs `body` for every normalizer and type.
  template <class Body>
  void each(Body body) {
    for (const std::string& normalizer : kNormalizers) {
      SCOPED_TRACE(normalizer);
      body(normalizer, float{});
      body(normalizer, double{});
    }
  }
};

const std::size_t kContractLengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 130, 513, 1000};

TEST_P(Contract, FullyMaskedRowAndRowOfMinusInfinity) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kContractLengths) {
      const std::vector<T> masked = row<T>(normalizer, std::vector<T>(n, T(1)), 1, std::vector<std::uint8_t>(n, 0));
      const std::vector<T> absent = row<T>(normalizer, std::vector<T>(n, -kInfinity<T>));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same(masked[i], nothing<T>(normalizer))) << n;
        ASSERT_TRUE(same(absent[i], nothing<T>(normalizer))) << n;
      }
    }
  });
}

TEST_P(Contract, EmptyRowsWriteNothing) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    const CallOutcome<T> no_length = call<T>(normalizer, {}, {.rows = 3, .length = 0, .output_stride = 5}, 1);
    EXPECT_EQ(no_length.status, ATTNCERT_OK);
    EXPECT_TRUE(no_length.outside_kept);
    const CallOutcome<T> no_rows = call<T>(normalizer, {}, {.rows = 0, .length = 7}, 1);
    EXPECT_EQ(no_rows.status, ATTNCERT_OK);
    EXPECT_TRUE(no_rows.outside_kept);
  });
}

TEST_P(Contract, NaNAnywhereMakesTheRowNaN) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    const T negative = std::copysign(kNaN<T>, T(-1)), signaling = std::numeric_limits<T>::signaling_NaN();
    for (const std::size_t n : kContractLengths) {
      for (std::size_t at = 0; at < n; at += n < 140 ? 1 : 37) {
        for (const T nan : {kNaN<T>, negative, signaling}) {
          for (const T other : {T(0), T(5), kInfinity<T>, -kInfinity<T>, std::numeric_limits<T>::max()}) {
            std::vector<T> logits = oracle::normal_logits<T>(n, 3, n);
            logits[(at + n / 2) % n] = other;
            logits[at] = nan;
            for (const T value : row<T>(normalizer, logits)) ASSERT_TRUE(value != value) << n << " at " << at;
          }
        }
      }
    }
  });
}

TEST_P(Contract, WhatIsMaskedIsIgnored) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kContractLengths) {
      std::vector<T> logits = oracle::normal_logits<T>(n, 3, n), wild = logits, absent = logits;
      std::vector<std::uint8_t> mask(n, 1);
      const T wildlings[] = {kNaN<T>, kInfinity<T>, -kInfinity<T>, T(1e30), T(0)};
      for (std::size_t i = 1; i < n; i += 1 + i % 3) {
        mask[i] = 0;
        wild[i] = wildlings[i % 5];
        absent[i] = -kInfinity<T>;
      }
      const std::vector<T> masked = row<T>(normalizer, logits, 0.7, mask);
      const std::vector<T> ignored = row<T>(normalizer, wild, 0.7, mask);
      const std::vector<T> unmasked = row<T>(normalizer, absent, 0.7);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same(masked[i], ignored[i])) << n << " at " << i;
        ASSERT_TRUE(same(masked[i], unmasked[i])) << n << " at " << i;
        if (mask[i] == 0) {
          ASSERT_TRUE(same(masked[i], nothing<T>(normalizer)));
        }
      }
    }
  });
}

TEST_P(Contract, PlusInfinityTakesAll) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kContractLengths) {
      for (const std::size_t step : {std::size_t{1}, std::size_t{3}, n}) {
        std::vector<T> logits = oracle::normal_logits<T>(n, 3, n);
        logits[n - 1] = -kInfinity<T>;
        double count = 0;
        for (std::size_t i = 0; i < n; i += step, ++count) logits[i] = kInfinity<T>;
        const std::vector<T> out = row<T>(normalizer, logits, 2);
        for (std::size_t i = 0; i < n; ++i) {
          const T expected = i % step == 0 ? share<T>(normalizer, count) : nothing<T>(normalizer);
          ASSERT_EQ(out[i], expected) << n << " at " << i;
        }
      }
    }
  });
}

TEST_P(Contract, BadTemperatureWritesNothing) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    const std::vector<T> logits(20, T(1));
    for (const double temperature : {0.0, -0.0, -1.0, std::nan(""), kInfinity<double>, -kInfinity<double>}) {
      const CallOutcome<T> outcome = call<T>(normalizer, logits, {.rows = 2, .length = 10}, temperature);
      EXPECT_EQ(outcome.status, ATTNCERT_BAD_TEMPERATURE) << temperature;
      for (const T value : outcome.rows) EXPECT_EQ(value, T(kGuard));
    }
  });
}

TEST_P(Contract, BadArgumentsWriteNothing) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    const attncert_kernel& kernel = *find_kernel(normalizer, kDtype<T>);
    const std::vector<T> logits(20, T(1));
    std::vector<T> out(20, T(kGuard));
    alignas(64) unsigned char scratch[4096];
    attncert_arguments good{};
    good.size = sizeof good;
    good.rows = 2;
    good.length = good.input_stride = good.output_stride = good.mask_stride = 10;
    good.input = logits.data();
    good.output = out.data();
    good.temperature = 1;
    good.scratch = scratch;
    good.scratch_bytes = sizeof scratch;
    const auto status_after = [&](auto change) {
      attncert_arguments arguments = good;
      change(arguments);
      return kernel.run(&arguments);
    };
    const std::uint8_t mask[20] = {};
    EXPECT_EQ(kernel.run(nullptr), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.size = 8; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.input = nullptr; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.output = nullptr; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.input_stride = 9; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([](auto& a) { a.output_stride = 9; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([&](auto& a) { a.mask = mask, a.mask_stride = 9; }), ATTNCERT_BAD_ARGUMENT);
    EXPECT_EQ(status_after([&](auto& a) { a.upstream = logits.data(); }), ATTNCERT_BAD_ARGUMENT);
    if (kernel.scratch_needed != nullptr && kernel.scratch_needed(&good) > 0) {
      EXPECT_EQ(status_after([](auto& a) { a.scratch = nullptr; }), ATTNCERT_SHORT_SCRATCH);
      EXPECT_EQ(status_after([&](auto& a) { a.scratch_bytes = kernel.scratch_needed(&a) - 1; }),
                ATTNCERT_SHORT_SCRATCH);
    }
    for (const T value : out) EXPECT_EQ(value, T(kGuard));
    EXPECT_EQ(kernel.run(&good), ATTNCERT_OK);
    for (const T value : out) EXPECT_NE(value, T(kGuard));
  });
}

// Strides, alignment and the other rows of the batch change no bit, and nothing is written between rows.
TEST_P(Contract, LayoutChangesNothing) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    for (std::size_t n = 1; n <= 130; ++n) {
      const std::size_t rows = 1 + n % 7;
      const std::vector<T> logits = oracle::normal_logits<T>(rows * n, 3, n);
      const CallOutcome<T> spread = call<T>(
          normalizer, logits,
          {.rows = rows, .length = n, .input_stride = n + 3, .output_stride = n + 1 + n % 5, .offset = 1 + n % 3}, 1);
      ASSERT_EQ(spread.status, ATTNCERT_OK);
      ASSERT_TRUE(spread.outside_kept) << n;
      for (std::size_t r = 0; r < rows; ++r) {
        const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(r * n);
        const std::vector<T> alone = row<T>(normalizer, {begin, begin + static_cast<std::ptrdiff_t>(n)});
        for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(same(spread.rows[r * n + i], alone[i])) << n << " row " << r;
      }
    }
  });
}

// One row in need of scaling does not change its neighbours' bits.
TEST_P(Contract, RowsDoNotDisturbEachOther) {
  each([](const std::string& normalizer, auto zero) {
    using T = decltype(zero);
    constexpr std::size_t n = 37;
    const std::vector<T> quiet = oracle::normal_logits<T>(n, 3, 5);
    for (const T wild : {T(1e20), kNaN<T>, kInfinity<T>, -kInfinity<T>}) {
      for (std::size_t at = 0; at < 5; ++at) {
        std::vector<T> logits;
        for (std::size_t r = 0; r < 5; ++r) logits.insert(logits.end(), quiet.begin(), quiet.end());
        std::fill_n(logits.begin() + static_cast<std::ptrdiff_t>(at * n), n, wild);
        const CallOutcome<T> together = call<T>(normalizer, logits, {.rows = 5, .length = n}, 1);
        const std::vector<T> alone = row<T>(normalizer, quiet);
        for (std::size_t i = 0; i < 5 * n; ++i) {
          if (i / n == at) continue;
          ASSERT_TRUE(same(together.rows[i], alone[i % n])) << wild << " in row " << at;
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Contract, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
