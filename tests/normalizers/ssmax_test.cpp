// ssmax with its parameter, and softmax1 at its edges; oracle.hpp judges both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include "src/kernel/budget.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

class Ssmax : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { forced_ = std::make_unique<ForcedInstructionSet>(GetParam()); }

 private:
  std::unique_ptr<ForcedInstructionSet> forced_;
};

template <class T>
attncert_status scaled(const std::vector<T>& logits, double s, double temperature, std::vector<T>& out,
                       std::size_t rows = 1, const std::uint8_t* mask = nullptr) {
  out.assign(logits.size(), static_cast<T>(kGuard));
  attncert_parameters parameters{};
  parameters.size = sizeof parameters;
  parameters.scale = s;
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = arguments.input_stride = arguments.output_stride = logits.size() / rows;
  arguments.mask = mask;
  arguments.mask_stride = arguments.length;
  arguments.input = logits.data();
  arguments.output = out.data();
  arguments.temperature = temperature;
  arguments.parameters = &parameters;
  return find_kernel("ssmax", kDtype<T>)->run(&arguments);
}

template <class T>
void expect_within_budget() {
  const attncert_kernel& kernel = *find_kernel("ssmax", kDtype<T>);
  for (const double s : {1.0, 0.43, -0.7, 5.0, 1e-3}) {
    for (const double temperature : {1.0, 0.3}) {
      for (const std::size_t n : {2u, 3u, 64u, 65u, 1000u}) {
        const std::vector<T> logits = oracle::normal_logits<T>(n, 3, n);
        std::vector<T> out;
        ASSERT_EQ(scaled(logits, s, temperature, out), ATTNCERT_OK);
        const oracle::Worst found = oracle::ssmax<T>(logits, out, temperature, s);
        EXPECT_LE(found.ulp, ulp_budget(kernel, temperature)) << kernel.name << " s " << s << " n " << n;
      }
    }
  }
}

TEST_P(Ssmax, AnyScaleWithinBudget) {
  expect_within_budget<float>();
  expect_within_budget<double>();
}

// Depths of hundreds: were c = T / (s log n) rounded to double, f64 would lose hundreds of ulp.
TEST_P(Ssmax, DeepLogitsKeepTheirDigits) {
  const attncert_kernel& kernel = *find_kernel("ssmax", ATTNCERT_F64);
  std::vector<double> logits, out;
  for (int i = 0; i < 30; ++i) logits.push_back(-5.0 * i - 1 / 3.0);
  ASSERT_EQ(scaled(logits, 1.3, 1, out), ATTNCERT_OK);
  EXPECT_LE(oracle::ssmax<double>(logits, out, 1, 1.3).ulp, ulp_budget(kernel, 1));
}

template <class T>
void expect_edges() {
  std::vector<T> out;
  // n = 1 and s = 0 are uniform over what is present.
  ASSERT_EQ(scaled<T>({T(-7)}, 1, 1, out), ATTNCERT_OK);
  EXPECT_EQ(out[0], T(1));
  ASSERT_EQ(scaled<T>({-kInfinity<T>, T(3), -kInfinity<T>}, -2, 1, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{0, 1, 0}));
  ASSERT_EQ(scaled<T>({T(1e30), T(-4), T(0), -kInfinity<T>, T(2)}, 0, 1e-3, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{T(0.25), T(0.25), T(0.25), 0, T(0.25)}));
  ASSERT_EQ(scaled<T>({kInfinity<T>, T(-4), -kInfinity<T>}, 0, 1, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{T(0.5), T(0.5), 0}));
  ASSERT_EQ(scaled<T>({kInfinity<T>, kNaN<T>}, 0, 1, out), ATTNCERT_OK);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  // +inf: the whole weight for s > 0, no row for s < 0.
  ASSERT_EQ(scaled<T>({kInfinity<T>, T(-4), kInfinity<T>}, 3, 1, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{T(0.5), 0, T(0.5)}));
  ASSERT_EQ(scaled<T>({kInfinity<T>, T(-4), T(1)}, -3, 1, out), ATTNCERT_OK);
  for (const T value : out) EXPECT_TRUE(std::isnan(value));
  // Reversed: the smallest logit has most; nothing present gives nothing.
  ASSERT_EQ(scaled<T>({T(5), T(-900), T(0)}, -1e9, 1, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{0, 1, 0}));
  ASSERT_EQ(scaled<T>({-kInfinity<T>, -kInfinity<T>}, -1, 1, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{0, 0}));
  // Scales beyond every temperature.
  ASSERT_EQ(scaled<T>({T(5), T(4), T(5)}, 1e300, 1e-300, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{T(0.5), 0, T(0.5)}));
  ASSERT_EQ(scaled<T>({T(5), T(4)}, 1e-300, 1e300, out), ATTNCERT_OK);
  EXPECT_EQ(out, (std::vector<T>{T(0.5), T(0.5)}));
  ASSERT_EQ(scaled<T>({T(-7)}, 1e300, 1e-308, out), ATTNCERT_OK);
  EXPECT_EQ(out[0], T(1));
  // Only T / s counts, where neither T nor s has an f32's size and s log n none of a double.
  std::vector<T> plain;
  ASSERT_EQ(scaled<T>({T(1), T(0.25), T(-2)}, 1, 1, plain), ATTNCERT_OK);
  for (const double same : {1.7e308, 1e-310}) {
    ASSERT_EQ(scaled<T>({T(1), T(0.25), T(-2)}, same, same, out), ATTNCERT_OK);
    EXPECT_EQ(out, plain) << same;
  }
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(scaled<T>({T(1), T(2)}, bad, 1, out), ATTNCERT_BAD_PARAMETER);
    EXPECT_EQ(out[0], static_cast<T>(kGuard));
  }
}

TEST_P(Ssmax, Edges) {
  expect_edges<float>();
  expect_edges<double>();
}

// One logit present has all of the weight, to the last bit, among absent ones and alone.
template <class T>
void expect_one_is_all() {
  const std::vector<T> logits = oracle::normal_logits<T>(200, 3, 8);
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{3}, std::size_t{70}, std::size_t{600}, std::size_t{70000}}) {
    for (std::size_t i = 0; i < (length > 600 ? 3 : logits.size()); ++i) {
      std::vector<T> row(length, -kInfinity<T>), out, expected(length, T(0));
      row[i % length] = logits[i];
      expected[i % length] = 1;
      ASSERT_EQ(scaled(row, i % 3 == 0 ? -0.8 : 1, i % 2 == 0 ? 1 : 0.7, out), ATTNCERT_OK);
      ASSERT_EQ(out, expected) << "length " << length << " logit " << logits[i];
    }
  }
}

TEST_P(Ssmax, OneLogitIsAll) {
  expect_one_is_all<float>();
  expect_one_is_all<double>();
}

// Rows of one call with different numbers of logits present: each has its own scale.
TEST_P(Ssmax, EveryRowCountsItsOwn) {
  std::vector<double> logits = oracle::normal_logits<double>(5 * 40, 2, 1), out, alone;
  for (std::size_t i = 40; i < 60; ++i) logits[i] = -kInfinity<double>;
  for (std::size_t i = 80; i < 119; ++i) logits[i] = -kInfinity<double>;
  ASSERT_EQ(scaled(logits, 0.8, 1, out, 5), ATTNCERT_OK);
  for (std::ptrdiff_t r = 0; r < 5; ++r) {
    ASSERT_EQ(scaled<double>({logits.begin() + 40 * r, logits.begin() + 40 * (r + 1)}, 0.8, 1, alone), ATTNCERT_OK);
    EXPECT_EQ(alone, (std::vector<double>{out.begin() + 40 * r, out.begin() + 40 * (r + 1)})) << r;
  }
}

// Causal rows: as many scales as rows, more than a call holds at a time, beside logits out of the exponent's reach and,
// in every ninth row, one of +inf, which keeps its block from going as one, and in every seventh a NaN, deep rows among
// them.
template <class T>
void expect_causal(std::size_t length, double s, double sigma) {
  const attncert_kernel& kernel = *find_kernel("ssmax", kDtype<T>);
  std::vector<T> logits, out, alone;
  std::vector<std::uint8_t> mask(length * length, 0);
  for (std::size_t r = 0; r < length; ++r) {
    const std::vector<T> row = oracle::normal_logits<T>(length, sigma, r);
    logits.insert(logits.end(), row.begin(), row.end());
    for (std::size_t i = 0; i < length; ++i) {
      if (r % 5 == 3) logits[r * length + i] += T(3000);
      if (r % 9 == 8 && i == 2) logits[r * length + i] = kInfinity<T>;
      if (r % 7 == 6 && r % 9 != 8 && i == 1) logits[r * length + i] = kNaN<T>;
      mask[r * length + i] = i <= r ? 1 : 0;
    }
  }
  ASSERT_EQ(scaled(logits, s, 1, out, length, mask.data()), ATTNCERT_OK);
  for (std::size_t r = 0; r < length; ++r) {
    const auto first = static_cast<std::ptrdiff_t>(r * length), last = first + static_cast<std::ptrdiff_t>(length);
    std::vector<T> row(logits.begin() + first, logits.begin() + last);
    const std::vector<T> weights(out.begin() + first, out.begin() + last);
    ASSERT_EQ(scaled(row, s, 1, alone, 1, mask.data() + first), ATTNCERT_OK);
    ASSERT_EQ(std::memcmp(alone.data(), weights.data(), length * sizeof(T)), 0) << length << " row " << r;
    const auto nan = std::count_if(weights.begin(), weights.end(), [](T weight) { return std::isnan(weight); });
    const bool expected = r % 9 == 8 ? s < 0 : r % 7 == 6;
    ASSERT_EQ(nan, expected ? static_cast<std::ptrdiff_t>(length) : 0) << length << " row " << r;
    if (nan > 0 || r % 9 == 8) continue;  // degenerate: Edges
    for (std::size_t i = r + 1; i < length; ++i) row[i] = -kInfinity<T>;
    EXPECT_LE(oracle::ssmax<T>(row, weights, 1, s).ulp, ulp_budget(kernel, 0.5)) << length << " row " << r;
  }
}

TEST_P(Ssmax, CausalRows) {
  for (const double s : {1.0, -0.7}) {
    for (const double sigma : {3.0, 40.0}) {
      for (const std::size_t length : {7u, 64u, 130u}) {
        expect_causal<float>(length, s, sigma);
        expect_causal<double>(length, s, sigma);
      }
    }
  }
}

template <class T>
void expect_softmax1_edges() {
  EXPECT_EQ(row<T>("softmax1", {T(0)}), (std::vector<T>{T(0.5)}));
  EXPECT_EQ(row<T>("softmax1", {T(0), T(0), -kInfinity<T>, T(0)}), (std::vector<T>{T(0.25), T(0.25), 0, T(0.25)}));
  EXPECT_EQ(row<T>("softmax1", {T(-1e30), T(-3e30)}), (std::vector<T>{0, 0}));  // the logit 0 takes everything
  EXPECT_EQ(row<T>("softmax1", {T(1e30), T(3e30)}), (std::vector<T>{0, 1}));
  EXPECT_EQ(row<T>("softmax1", {-kInfinity<T>, -kInfinity<T>}), (std::vector<T>{0, 0}));
  EXPECT_EQ(row<T>("softmax1", {kInfinity<T>, T(1)}), (std::vector<T>{1, 0}));
  EXPECT_TRUE(std::isnan(row<T>("softmax1", {kNaN<T>, T(1)})[1]));
  // Weights that are all tiny, beside a denominator of nearly 1.
  for (const T shift : {T(-80), T(-300), T(40)}) {
    std::vector<T> logits = oracle::normal_logits<T>(70, 3, 9);
    for (T& z : logits) z += shift;
    const std::vector<T> out = row<T>("softmax1", logits);
    EXPECT_LE(oracle::softmax1<T>(logits, out, 1).ulp, ulp_budget(*find_kernel("softmax1", kDtype<T>), 1)) << shift;
  }
}

TEST_P(Ssmax, Softmax1Edges) {
  expect_softmax1_edges<float>();
  expect_softmax1_edges<double>();
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Ssmax, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
