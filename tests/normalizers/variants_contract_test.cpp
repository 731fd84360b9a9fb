// docs/contracts.md for the normalizers of variants.hpp, sentence by sentence, on every instruction set of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"
#include "tests/normalizers/variants.hpp"

namespace attncert {
namespace {

const std::size_t kVariantLengths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 100, 300};

class VariantsContract : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};

  template <class Body>
  void each(Body body) {
    for (const KernelVariant& variant : variants()) {
      SCOPED_TRACE(variant.label);
      body(variant, float{});
      body(variant, double{});
    }
  }
};

TEST_P(VariantsContract, NothingPresentGivesZeros) {
  each([](const KernelVariant& variant, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kVariantLengths) {
      const std::vector<T> masked = weigh(variant, std::vector<T>(n, T(1)), 1, std::vector<std::uint8_t>(n, 0));
      const std::vector<T> absent = weigh(variant, std::vector<T>(n, -kInfinity<T>));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same(masked[i], T(0))) << n;
        ASSERT_TRUE(same(absent[i], T(0))) << n;
      }
    }
  });
}

TEST_P(VariantsContract, NaNAnywhereMakesTheRowNaN) {
  each([](const KernelVariant& variant, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kVariantLengths) {
      for (std::size_t at = 0; at < n; at += 1 + n / 12) {
        for (const T nan : {kNaN<T>, std::copysign(kNaN<T>, T(-1)), std::numeric_limits<T>::signaling_NaN()}) {
          for (const T other : {T(0), T(-5), kInfinity<T>, -kInfinity<T>, std::numeric_limits<T>::max()}) {
            std::vector<T> logits = oracle::normal_logits<T>(n, 3, n);
            logits[(at + n / 2) % n] = other;
            logits[at] = nan;
            for (const T value : weigh(variant, logits)) ASSERT_TRUE(value != value) << n << " at " << at;
          }
        }
      }
    }
  });
}

TEST_P(VariantsContract, WhatIsMaskedIsIgnoredAndZero) {
  each([](const KernelVariant& variant, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : kVariantLengths) {
      std::vector<T> logits = oracle::normal_logits<T>(n, 3, n), wild = logits, absent = logits, dense;
      std::vector<std::uint8_t> mask(n, 1);
      const T wildlings[] = {kNaN<T>, kInfinity<T>, -kInfinity<T>, T(1e30), T(-1e30)};
      for (std::size_t i = 1; i < n; i += 1 + i % 3) {
        mask[i] = 0;
        wild[i] = wildlings[i % 5];
        absent[i] = -kInfinity<T>;
      }
      for (std::size_t i = 0; i < n; ++i)
        if (mask[i] != 0) dense.push_back(logits[i]);
      const std::vector<T> masked = weigh(variant, wild, 0.7, mask), unmasked = weigh(variant, absent, 0.7);
      const oracle::Error error = oracle::error(variant, absent, unmasked, 0.7);
      EXPECT_LE(error.ulp, 6) << n;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(same(masked[i], unmasked[i])) << n << " at " << i;
        if (mask[i] == 0) {
          ASSERT_TRUE(same(masked[i], T(0))) << n;
        }
      }
    }
  });
}

// m entries of +inf: what each normalizer gives there and elsewhere.
template <class T>
void expect_at_infinity(const KernelVariant& variant, const std::vector<T>& logits, const std::vector<T>& out) {
  const std::string& name = variant.normalizer;
  const auto many = static_cast<std::uint64_t>(std::count(logits.begin(), logits.end(), kInfinity<T>));
  const std::uint64_t shared = name == "top-k-softmax" ? std::min(many, variant.parameters.k) : many;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool infinite = logits[i] == kInfinity<T>;
    if (name.rfind("sa-", 0) == 0) {
      ASSERT_TRUE(out[i] != out[i]);
    } else if (name == "sigmoid") {
      const std::vector<T> alone = weigh(variant, std::vector<T>{logits[i]}, 2);
      ASSERT_EQ(out[i], infinite ? T(1) : alone[0]);
    } else if (name == "sigmoid-normalized") {
      std::vector<T> instead = logits;  // sigma is 1 to the last bit at both
      std::replace(instead.begin(), instead.end(), kInfinity<T>, T(1e6));
      ASSERT_EQ(out[i], weigh(variant, instead, 2)[i]);
    } else {
      const bool takes = infinite && seen++ < shared;
      ASSERT_EQ(out[i], takes ? static_cast<T>(1 / static_cast<double>(shared)) : T(0)) << i;
    }
  }
}

TEST_P(VariantsContract, PlusInfinity) {
  each([](const KernelVariant& variant, auto zero) {
    using T = decltype(zero);
    for (const std::size_t n : {1u, 2u, 9u, 17u, 100u}) {
      for (const std::size_t step : {std::size_t{1}, std::size_t{3}, n}) {
        std::vector<T> logits = oracle::normal_logits<T>(n, 3, n);
        logits[n - 1] = -kInfinity<T>;
        for (std::size_t i = 0; i < n; i += step) logits[i] = kInfinity<T>;
        expect_at_infinity(variant, logits, weigh(variant, logits, 2));
      }
    }
  });
}

template <class T>
attncert_status status_of(const KernelVariant& variant, double temperature, std::size_t scratch, std::vector<T>& out) {
  const attncert_kernel& kernel = *find_kernel(variant.normalizer, kDtype<T>);
  const std::vector<T> logits(out.size(), T(1));
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = 1;
  arguments.length = arguments.input_stride = arguments.output_stride = out.size();
  arguments.input = logits.data();
  arguments.output = out.data();
  arguments.temperature = temperature;
  arguments.parameters = &variant.parameters;
  alignas(64) unsigned char room[1024];
  arguments.scratch = room;
  arguments.scratch_bytes = std::min(scratch, sizeof room);
  EXPECT_LE(kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0, sizeof room);
  return kernel.run(&arguments);
}

template <class T>
void expect_refused(const KernelVariant& variant, attncert_status expected, double temperature = 1,
                    std::size_t scratch = 1024) {
  std::vector<T> out(5, T(-7));
  EXPECT_EQ(status_of(variant, temperature, scratch, out), expected) << variant.label << " T " << temperature;
  EXPECT_EQ(out, std::vector<T>(5, T(-7))) << variant.label;
}

TEST_P(VariantsContract, BadParametersWriteNothing) {
  std::vector<KernelVariant> bad = {top_k(0), sigmoid(std::nan("")), sigmoid(kInfinity<double>),
                                    sigmoid(-kInfinity<double>)};
  for (const std::uint32_t order : {0u, 1u, 3u, 47u, 49u, 50u, 64u, 4294967294u}) bad.push_back(taylor(order));
  for (const KernelVariant& variant : bad) {
    expect_refused<float>(variant, ATTNCERT_BAD_PARAMETER);
    expect_refused<double>(variant, ATTNCERT_BAD_PARAMETER);
  }
}

TEST_P(VariantsContract, BadTemperatureAndShortScratchWriteNothing) {
  each([](const KernelVariant& variant, auto zero) {
    using T = decltype(zero);
    for (const double temperature : {0.0, -0.0, -1.0, std::nan(""), kInfinity<double>, -kInfinity<double>})
      expect_refused<T>(variant, ATTNCERT_BAD_TEMPERATURE, temperature);
    const attncert_kernel& kernel = *find_kernel(variant.normalizer, kDtype<T>);
    if (kernel.scratch_needed != nullptr) expect_refused<T>(variant, ATTNCERT_SHORT_SCRATCH, 1, 16);
  });
}

TEST_P(VariantsContract, DefaultsStandForAbsentParameters) {
  const std::vector<double> logits = oracle::normal_logits<double>(20, 2, 5);
  for (const std::string name : {"taylor-softmax", "top-k-softmax", "sigmoid"}) {
    const CallOutcome<double> outcome = call<double>(name, logits, {.rows = 1, .length = 20}, 1);
    EXPECT_EQ(outcome.rows, weigh(KernelVariant{name, kDefaults, name}, logits));
  }
}

TEST_P(VariantsContract, StridesAlignmentAndOtherRowsDoNotMatter) {
  for (const char* name : {"sigmoid", "sigmoid-normalized", "relu-normalized", "taylor-softmax", "sa-softmax-v0",
                           "sa-softmax-v3", "top-k-softmax"}) {
    SCOPED_TRACE(name);
    const auto judge = [&](auto zero) {
      using T = decltype(zero);
      for (const std::size_t n : {1u, 5u, 16u, 37u}) {
        std::vector<T> logits = oracle::normal_logits<T>(3 * n, 3, n);
        std::fill_n(logits.begin(), n, kInfinity<T>);  // a row beside it that takes another path
        for (const std::size_t offset : {0u, 1u, 3u}) {
          const CallOutcome<T> outcome = call<T>(name, logits, {3, n, n + offset, n + 2 * offset, offset}, 0.7);
          EXPECT_TRUE(outcome.outside_kept);
          for (std::size_t r = 1; r < 3; ++r) {
            const auto start = logits.begin() + static_cast<std::ptrdiff_t>(r * n);
            const std::vector<T> alone = row<T>(name, {start, start + static_cast<std::ptrdiff_t>(n)}, 0.7);
            for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(same(alone[i], outcome.rows[r * n + i])) << n << " " << i;
          }
        }
      }
    };
    judge(float{});
    judge(double{});
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, VariantsContract, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
