// Order, bit for bit: z_i = z_j gives equal weights, z_i > z_j never gives w_i < w_j. The places to fear are where
// rint(z log2(e) / T) steps: all of them, with all floats around.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

class Order : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

template <class T>
void expect_order(std::vector<T> logits, double temperature) {
  std::sort(logits.begin(), logits.end());
  for (const std::string& normalizer : kNormalizers) {
    const std::vector<T> out = row<T>(normalizer, logits, temperature);
    for (std::size_t i = 1; i < out.size(); ++i) {
      const bool kept = logits[i] == logits[i - 1] ? same(out[i], out[i - 1]) : out[i] >= out[i - 1];
      ASSERT_TRUE(kept) << normalizer << " T " << temperature << std::hexfloat << " at " << logits[i - 1] << " "
                        << logits[i] << " weights " << out[i - 1] << " " << out[i];
    }
  }
}

// The floats around every step of rint between -75 and 75, in units of ln2 / parts.
template <class T>
std::vector<T> around_steps(double temperature, int each_side, int parts = 1) {
  std::vector<T> logits;
  for (int n = -108 * parts; n < 108 * parts; ++n) {
    T x = static_cast<T>((n + 0.5) * 0.69314718055994531 / parts * temperature);
    for (int k = 0; k < each_side; ++k) x = std::nextafter(x, T(-1e30));
    for (int k = 0; k < 2 * each_side; ++k) {
      logits.push_back(x);
      x = std::nextafter(x, T(1e30));
    }
  }
  return logits;
}

TEST_P(Order, AroundEveryStep) {
  for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
    expect_order(around_steps<float>(temperature, 200), temperature);
    expect_order(around_steps<double>(temperature, 200), temperature);
    expect_order(around_steps<float>(temperature, 20, 16), temperature);
  }
}

TEST_P(Order, TiesAndNeighbours) {
  for (const double temperature : {1.0, 0.7}) {
    for (const double sigma : {0.01, 3.0, 20.0}) {
      std::vector<float> f = oracle::normal_logits<float>(300, sigma, 1);
      std::vector<double> d = oracle::normal_logits<double>(300, sigma, 2);
      for (std::size_t i = 0; i < 300; ++i) {
        f.push_back(f[i]);
        f.push_back(std::nextafter(f[i], 1e30f));
        d.push_back(d[i]);
        d.push_back(std::nextafter(d[i], 1e30));
      }
      expect_order(f, temperature);
      expect_order(d, temperature);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Order, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
