// The ends of the formats: logits up to the largest float, subnormals, temperatures over all magnitudes, every length.
#include <gtest/gtest.h>

#include <limits>

#include "src/kernel/budget.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/entmax_oracle.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

class Extremes : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

template <class T>
void judge_row(const std::vector<T>& logits, double temperature) {
  for (const std::string& normalizer : kNormalizers) {
    const std::vector<T> out = row<T>(normalizer, logits, temperature);
    const std::span<const T> x(logits), y(out);
    const oracle::Worst worst = normalizer == "softmax"       ? oracle::softmax<T>(x, y, temperature)
                                : normalizer == "softmax1"    ? oracle::softmax1<T>(x, y, temperature)
                                : normalizer == "ssmax"       ? oracle::ssmax<T>(x, y, temperature, 1)
                                : normalizer == "log-softmax" ? oracle::log_softmax<T>(x, y, temperature)
                                : normalizer == "sparsemax"   ? oracle::sparsemax<T>(x, y, temperature)
                                                              : oracle::entmax15<T>(x, y, temperature);
    const attncert_kernel& kernel = *find_kernel(normalizer, kDtype<T>);
    const auto where = [&] {
      return testing::Message() << kernel.name << " T " << temperature << " L " << logits.size() << " at "
                                << worst.index << " logit " << logits[worst.index] << " gave " << out[worst.index];
    };
    EXPECT_LE(worst.ulp, ulp_budget(kernel, temperature)) << where();
    EXPECT_EQ(worst.flushed, 0u) << where();
    EXPECT_TRUE(worst.same_support) << where();
  }
}

template <class T>
std::vector<std::vector<T>> extreme_rows() {
  using Limits = std::numeric_limits<T>;
  const T most = Limits::max(), least = Limits::denorm_min(), small = Limits::min();
  std::vector<std::vector<T>> rows = {
      {most, -most, 0, 1},
      {most, most, -most},
      {most, most / 2, most / 4, 0},
      {-most, -most, -most / 2},
      {-most, -most},
      {most, std::nextafter(most, T(0)), std::nextafter(std::nextafter(most, T(0)), T(0))},
      {least, 0, -least, 2 * least},
      {small, least, -small, 0, 3 * small},
      {T(1e6), T(1e6) - 1, T(1e6) - 50, T(1e6) - 200},
      {T(-1e6), T(-1e6) - 1, T(-1e6) - 50, T(-1e6) - 200},
      {T(1e30), T(1e30), T(-1e30), T(0.99e30)},
      {T(1e-30), T(2e-30), 0, T(-1e-30)},
      {T(0), T(-0.0)},
      {T(255.9), T(200), T(256.1), T(150)},
      {T(-255.9), T(-300), T(-256.1), T(-355)},
      {0, T(-87), T(-88), T(-100), T(-103), T(-103.9), T(-104.5), T(-110)},
      {0, T(-700), T(-708.3), T(-709), T(-740), T(-744.4), T(-745), T(-746)}};
  for (const T scale : {T(1), T(1e-30), T(1e30)}) {
    std::vector<T> row = oracle::normal_logits<T>(45, 3, 77);
    for (T& x : row) x *= scale;
    rows.push_back(row);
  }
  return rows;
}

TEST_P(Extremes, LogitsAndTemperaturesOfAllSizes) {
  constexpr double subnormal = 4.9406564584124654e-324;
  for (const double temperature : {1.0, 1e-30, 1e-10, 1e-3, 0.5, 2.0, 1.999999, 1e3, 1e10, 1e30, 1e-45, 1e-48, 1e-60,
                                   1e45, 1e60, 1e-300, 1e300, subnormal, 1.7976931348623157e308}) {
    for (const std::vector<float>& logits : extreme_rows<float>()) judge_row(logits, temperature);
    for (const std::vector<double>& logits : extreme_rows<double>()) judge_row(logits, temperature);
  }
}

TEST_P(Extremes, EveryLengthTo130) {
  for (std::size_t n = 1; n <= 130; ++n) {
    judge_row(oracle::normal_logits<float>(n, 3, n), 1);
    judge_row(oracle::normal_logits<double>(n, 20, n), n % 2 == 0 ? 1 : 0.7);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Extremes, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
