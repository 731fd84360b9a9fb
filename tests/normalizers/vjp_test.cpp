// Derivatives within their budgets of the oracle on every instruction set, over lengths, temperatures and upstreams of
// all sizes; and the oracle's formulas against central differences of the forward functions. The oracle takes by far
// the longest: one truth serves all instruction sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "src/kernel/budget.hpp"
#include "tests/normalizers/oracle.hpp"
#include "tests/normalizers/vjp_call.hpp"

namespace attncert {
namespace {

// Failures within name the instruction set.
template <class Body>
void on_each_instruction_set(Body body) {
  for (const std::string& isa : instruction_sets()) {
    const ForcedInstructionSet forced(isa);
    SCOPED_TRACE(isa);
    body(isa);
  }
}

// The largest error as a fraction of its bound.
using Fractions = std::map<std::string, double>;  // by instruction set

// Several upstreams at a time: to ask what the processor can do takes longer than a short row.
template <class T>
void judge(const oracle::Derivative& what, const std::vector<T>& logits, const std::vector<std::vector<T>>& upstreams,
           Fractions* fractions = nullptr) {
  std::vector<oracle::VjpTruth<T>> truths;
  for (const std::vector<T>& upstream : upstreams) truths.emplace_back(what, logits, upstream);
  const attncert_kernel& kernel = *find_kernel(what.normalizer, kDtype<T>);
  const double bound = ulp_budget(kernel, what.temperature);
  on_each_instruction_set([&](const std::string& isa) {
    for (std::size_t k = 0; k < upstreams.size(); ++k) {
      const std::vector<T>& upstream = upstreams[k];
      const Gradient<T> gradient = derive<T>(what, logits, upstream);
      ASSERT_EQ(gradient.status, ATTNCERT_OK) << described(what);
      const oracle::VjpWorst worst = truths[k].worst(gradient.values);
      EXPECT_LE(worst.ulp, bound) << kernel.name << " " << described(what) << " L " << logits.size() << " at "
                                  << worst.index << " logit " << logits[worst.index] << " upstream "
                                  << upstream[worst.index] << " gave " << gradient.values[worst.index];
      if (fractions != nullptr) (*fractions)[isa] = std::max((*fractions)[isa], worst.ulp / bound);
    }
  });
}

template <class T>
void judge_lengths(const oracle::Derivative& what, Fractions& fractions) {
  for (const std::size_t n : {1u, 2u, 3u, 5u, 8u, 9u, 16u, 17u, 33u, 64u, 100u}) {
    for (const double sigma : {0.01, 3.0, 20.0}) {
      const std::vector<T> logits = oracle::normal_logits<T>(n, sigma, n);
      const std::vector<T> level(n, T(1) / 3);  // all cancels
      judge<T>(what, logits, {oracle::normal_logits<T>(n, 2, n + 1), level}, &fractions);
    }
  }
}

// The derivatives of one name.
class Vjp : public testing::TestWithParam<std::string> {
 protected:
  template <class Body>
  void each(Body body) {
    std::size_t count = 0;
    for (const oracle::Derivative& what : derivatives()) {
      if (what.normalizer != GetParam()) continue;
      body(what);
      ++count;
    }
    EXPECT_GE(count, 1u);
  }
};

TEST_P(Vjp, WithinBudgetAtOrdinarySizes) {
  each([](oracle::Derivative what) {
    Fractions fractions;
    for (const double temperature : {1.0, 0.1, 0.7, 3.0}) {
      what.temperature = temperature;
      judge_lengths<float>(what, fractions);
      judge_lengths<double>(what, fractions);
    }
    const bool all_zero = what.parameters.scale == 0 || std::abs(what.parameters.bias) > 1e3 ||
                          what.parameters.scale > 1 || what.parameters.k == 1;
    EXPECT_EQ(fractions.size(), instruction_sets().size());
    for (const auto& [isa, fraction] : fractions)
      EXPECT_TRUE(fraction >= 0.5 || all_zero) << isa << " " << described(what) << ": a bound that nothing comes near";
  });
}

template <class T>
std::vector<std::vector<T>> upstreams(std::size_t n) {
  using Limits = std::numeric_limits<T>;
  std::vector<std::vector<T>> rows(5, oracle::normal_logits<T>(n, 2, 3 * n));
  for (std::size_t i = 0; i < n; ++i) {
    rows[1][i] = i % 3 == 0 ? Limits::max() : -Limits::max();
    rows[2][i] = static_cast<T>(i % 4) * Limits::denorm_min();
    rows[3][i] = i % 2 == 0 ? Limits::max() : Limits::denorm_min();
    rows[4][i] = std::ldexp(rows[4][i], (static_cast<int>(i) % 7 - 3) * Limits::max_exponent / 4);
  }
  return rows;
}

template <class T>
std::vector<std::vector<T>> extreme_logits() {
  using Limits = std::numeric_limits<T>;
  const T most = Limits::max(), least = Limits::denorm_min(), small = Limits::min(), none = -Limits::infinity();
  std::vector<std::vector<T>> rows = {{most, -most, 0, 1},
                                      {most, most, -most},
                                      {-most, -most},
                                      {most, std::nextafter(most, T(0)), 0},
                                      {least, 0, -least, 2 * least},
                                      {small, least, -small, 0, 3 * small},
                                      {none, T(1e6), T(1e6) - 1, none, T(1e6) - 50, T(1e6) - 200},
                                      {T(1e30), T(1e30), T(-1e30), T(0.99e30)},
                                      {T(1e-30), T(2e-30), 0, T(-1e-30)},
                                      {0, T(-87), T(-88), T(-100), T(-103), T(-104.5), T(-300), T(-700)},
                                      {0, T(-700), T(-745), T(-746), T(-1400), T(-2100), T(-2200), none}};
  for (const T scale : {T(1), T(1e-30), T(1e30)}) {
    std::vector<T> row = oracle::normal_logits<T>(21, 3, 77);
    for (T& x : row) x *= scale;
    rows.push_back(row);
  }
  return rows;
}

TEST_P(Vjp, WithinBudgetAtTheEndsOfTheFormats) {
  constexpr double subnormal = 4.9406564584124654e-324;
  each([](oracle::Derivative what) {
    for (const double temperature : {1.0, 0.7, 1e3, 1e-30, 1e-45, 1e60, 1e-300, subnormal, 1.7976931348623157e308}) {
      what.temperature = temperature;
      for (const std::vector<float>& logits : extreme_logits<float>())
        judge<float>(what, logits, upstreams<float>(logits.size()));
      for (const std::vector<double>& logits : extreme_logits<double>())
        judge<double>(what, logits, upstreams<double>(logits.size()));
    }
  });
}

// A bound without L in it: a long row of gradients that cancel.
TEST_P(Vjp, WithinBudgetOnALongRow) {
  constexpr std::size_t n = 20000;
  each([](oracle::Derivative what) {
    what.temperature = 0.7;
    const std::vector<float> narrow = oracle::normal_logits<float>(n, 0.3, 1);
    const std::vector<double> wide(narrow.begin(), narrow.end());
    judge<float>(what, narrow, {std::vector<float>(n, 0.3f)});
    judge<double>(what, wide, {std::vector<double>(n, 0.3)});
  });
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const oracle::Derivative& what : derivatives())
    if (std::find(all.begin(), all.end(), what.normalizer) == all.end()) all.push_back(what.normalizer);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Vjp, testing::ValuesIn(names()), [](const auto& suite) {
  std::string name = suite.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return !std::isalnum(letter); }, '_');
  return name;
});

// Self-adjusted softmax far from 0: one upstream, that of the largest logit, dwarfs the others, which are the digits
// that a difference from it loses; and all of them equal.
TEST(VjpBudget, SelfAdjustedFarFromZero) {
  for (const char* name : {"sa-softmax-v0-vjp", "sa-softmax-v1-vjp", "sa-softmax-v2-vjp", "sa-softmax-v3-vjp"}) {
    const oracle::Derivative what{.normalizer = name, .temperature = 0.7};
    const std::size_t longest =
        name[12] == '0' || name[12] == '2' ? 20000 : 500;  // a mean loses digits only in long rows
    for (const double offset : {1e4, -1e12}) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{7}, longest}) {
        std::vector<double> wide = oracle::normal_logits<double>(n, 0.3, 5);
        for (double& z : wide) z += offset;
        std::vector<double> upstream = oracle::normal_logits<double>(n, 0x1p-20, 6);
        upstream[static_cast<std::size_t>(std::max_element(wide.begin(), wide.end()) - wide.begin())] = 1;
        judge<double>(what, wide, {std::vector<double>(n, 1.0 / 3), upstream});
        const std::vector<float> narrow(wide.begin(), wide.end()), slope(upstream.begin(), upstream.end());
        judge<float>(what, narrow, {std::vector<float>(n, 1.0f / 3), slope});
      }
    }
  }
}

// One far minimum stretches the range, so that the largest logits are nearly one factor; extremes attained several
// times; rows on either side of 0, where V3 clips an end; rows without range.
TEST(VjpBudget, SelfAdjustedByTheRange) {
  const std::vector<std::vector<double>> rows = {{1, 0, -0x1p30, 0.5, 1},
                                                 {1, 0, -0x1p60, 0.25},
                                                 {3, 3, -1, -1, -1, 2},
                                                 {2, 2, 2, 2, 2, 2, 2},
                                                 {-2, -2, -2},
                                                 {0, 0, 0, 0, 0},
                                                 {5, 4, 3, 4.5, 5},
                                                 {-5, -4, -3, -3, -5, -5},
                                                 {0, 1, 2, 0, 2, 1.5},
                                                 {0, -1, -2, 0, -2, -1},
                                                 {7},
                                                 {-7},
                                                 {-0.0, 0, 1, -0.0, 1, 0.25},
                                                 {1e-30, -1e30, 1e30}};
  for (const char* name : {"sa-softmax-v1-vjp", "sa-softmax-v2-vjp", "sa-softmax-v3-vjp"}) {
    for (const double temperature : {1.0, 0.7, 100.0, 1e-3}) {
      const oracle::Derivative what{.normalizer = name, .temperature = temperature};
      for (const std::vector<double>& wide : rows) {
        const std::vector<float> narrow(wide.begin(), wide.end());
        const std::size_t n = wide.size();
        judge<double>(what, wide, {oracle::normal_logits<double>(n, 2, 11), std::vector<double>(n, 1.0 / 3)});
        judge<float>(what, narrow, {oracle::normal_logits<float>(n, 2, 11), std::vector<float>(n, 1.0f / 3)});
      }
    }
  }
}

// docs/contracts.md: the derivative of an end is shared equally among the logits that attain it; without range it is 0.
TEST(VjpValue, SelfAdjustedSharesTheEndsAmongTies) {
  on_each_instruction_set([](const std::string&) {
    const std::vector<double> tied =
        derive<double>({.normalizer = "sa-softmax-v1-vjp"}, {1, 1, 1, 1}, {4, 0, 0, 0}).values;
    EXPECT_EQ(tied, (std::vector<double>{0.75, -0.25, -0.25, -0.25}));  // (g - mean g) / 4
    for (const char* name : {"sa-softmax-v2-vjp", "sa-softmax-v3-vjp"}) {
      const std::vector<double> level(3, name[12] == '2' ? 5 : 0);
      EXPECT_EQ(derive<double>({.normalizer = name}, level, {1, 2, -7}).values, std::vector<double>(3, 0)) << name;
    }
  });
}

// Budgets are in ulp of a magnitude that has the factor F_(n-1)(z / T): beside its root it must keep all its digits.
TEST(VjpBudget, TaylorBesideTheRootOfItsSlope) {
  for (const std::uint32_t order : {2u, 4u, 8u, 16u, 48u}) {
    oracle::Derivative what{.normalizer = "taylor-softmax-vjp"};
    what.parameters.order = order;
    for (const double temperature : {1.0, 0.7, 3.0, 1e-30}) {
      what.temperature = temperature;
      const double root = oracle::taylor_slope_root(order, temperature);
      std::vector<double> wide;
      std::vector<float> narrow;
      for (int k = -4; k <= 4; ++k) {
        wide.push_back(root * (1 + k * 0x1p-52));
        narrow.push_back(static_cast<float>(root * (1 + k * 0x1p-23)));
      }
      judge<double>(what, wide, {oracle::normal_logits<double>(wide.size(), 2, order)});
      judge<float>(what, narrow, {oracle::normal_logits<float>(narrow.size(), 2, order)});
    }
  }
}

// A float is as near to the root as T, a double, makes it; beside a logit beyond 2^16 T sums are scaled.
TEST(VjpBudget, TaylorOfFloatsBesideTheRootOfItsSlope) {
  constexpr float near = -0.7f, absent = -std::numeric_limits<float>::infinity();
  for (const std::uint32_t order : {2u, 8u, 48u}) {
    oracle::Derivative what{.normalizer = "taylor-softmax-vjp"};
    what.parameters.order = order;
    const double temperature = static_cast<double>(near) / oracle::taylor_slope_root(order, 1);
    for (const int k : {0, 1, 2, 3, 9, 100, -1, -7}) {
      what.temperature = temperature * (1 + k * 0x1p-52);
      for (const float far : {2.0f, 1e5f})
        judge<float>(what, {1, near, far, near, absent, -3}, {{1, 2, 3, -5, 7, 0.1f}});
    }
  }
}

// The only present logit has weight 1: nothing is left to derive, to the last digit, as under a causal mask.
TEST(VjpValue, ASingleLogitHasNoDerivative) {
  constexpr float absent = -std::numeric_limits<float>::infinity();
  for (const char* name : {"softmax-vjp", "log-softmax-vjp", "ssmax-vjp", "top-k-softmax-vjp"}) {
    on_each_instruction_set([&](const std::string&) {
      for (const float logit : {1.5f, 1e-40f, 3.3f, 1000.0f}) {
        const oracle::Derivative what{.normalizer = name, .temperature = logit < 1e-30f ? 1e-42 : 1.0};
        EXPECT_EQ(derive<float>(what, {logit}, {0.3f}).values, std::vector<float>(1, 0)) << name << logit;
        EXPECT_EQ(derive<float>(what, {absent, logit, absent}, {5, 0.3f, 7}).values[1], 0) << name << logit;
      }
    });
  }
}

TEST(VjpValue, TaylorSlopeIsZeroAtItsOnlyRationalRoot) {
  oracle::Derivative what{.normalizer = "taylor-softmax-vjp", .temperature = 0.7};
  what.parameters.order = 2;
  on_each_instruction_set([&](const std::string&) {
    const std::vector<double> values = derive<double>(what, {-0.7, 1, -0.7}, {1, 2, 5}).values;
    EXPECT_EQ(values[0], 0);
    EXPECT_NE(values[1], 0);
    EXPECT_EQ(values[2], 0);
  });
}

// What roundings leave of g - mean, 2^-64, meets 1 / T = 2^1074 here.
TEST(VjpValue, EntmaxOfEqualUpstreamsIsZeroAtAnyTemperature) {
  oracle::Derivative what{.normalizer = "entmax-vjp", .temperature = 4.9406564584124654e-324};
  for (const std::uint64_t numerator : {4u, 5u, 7u, 9u}) {
    what.parameters.alpha_numerator = numerator;
    what.parameters.alpha_denominator = 3;
    on_each_instruction_set([&](const std::string&) {
      for (const std::size_t n : {1u, 3u, 5u, 7u, 11u, 13u})
        for (const double g : {0.1, 1.0 / 3, 0.7, 1e10 / 3}) {
          const Gradient<double> gradient = derive<double>(what, std::vector<double>(n, 3), std::vector<double>(n, g));
          for (const double value : gradient.values) EXPECT_EQ(value, 0) << described(what) << " L " << n << " g " << g;
        }
    });
  }
}

// Heights (alpha - 1) (z - tau) / T far below what doubles hold at the smallest logit, and at others as near to it; the
// last upstream lifts slopes of 2^-1000 into the format, and two equal logits keep alphas above 2 from 0.
template <class T>
void judge_small_heights(oracle::Derivative what, double reach, const std::vector<double>& sizes) {
  for (const double x : sizes) {
    for (const double share : {1.0, 1 - 0x1p-20, 1 - 0x1p-9}) {
      const T most = static_cast<T>(reach * what.temperature * share), near = static_cast<T>(x);
      const T large = std::numeric_limits<T>::max() / 4;
      judge<T>(what, {most, near, 0, 0}, {{1, 2, 3, -5}, {1, large, large / 2, -large}});
      judge<T>(what, {most, near, near, near + near / 4, most - near}, {{1, 2, -3, 5, 7}, {1, large, 0, -large, 1}});
    }
  }
}

TEST(VjpBudget, EntmaxOfHeightsBelowDoubles) {
  const auto judge_at_temperatures = [](oracle::Derivative what) {
    const double reach = static_cast<double>(what.parameters.alpha_denominator) /
                         static_cast<double>(what.parameters.alpha_numerator - what.parameters.alpha_denominator);
    for (const double temperature : {1.0, 0x1p-100, 0x1p100}) {
      what.temperature = temperature;
      judge_small_heights<double>(what, reach, {0x1p-1070, 0x1p-1000, 0x1p-960, 0x1p-400, 0x1p-40});
      judge_small_heights<float>(what, reach, {0x1p-149, 0x1p-100, 0x1p-40});
    }
  };
  judge_at_temperatures({.normalizer = "entmax-1.5-vjp"});
  for (const auto& [numerator, denominator] :
       {std::pair{3u, 2u}, {5u, 3u}, {199u, 100u}, {5u, 2u}, {11u, 1u}, {65u, 1u}}) {
    oracle::Derivative what{.normalizer = "entmax-vjp"};
    what.parameters.alpha_numerator = numerator;
    what.parameters.alpha_denominator = denominator;
    judge_at_temperatures(what);
  }
}

// p_r below the range of double, and still half of the slopes.
TEST(VjpBudget, EntmaxOfTiesWithWeightsBelowDoubles) {
  oracle::Derivative what{.normalizer = "entmax-vjp", .temperature = 0x1p40};
  what.parameters.alpha_numerator = 3;
  what.parameters.alpha_denominator = 1;
  for (const double x : {0x1p-1000, 0x1p-1060})
    judge<double>(what, {what.temperature / 2, x, x}, {{1, 0x1p-300, -0x1p-300}, {0, 1, 2}});
}

TEST(VjpOracle, FormulasAreThoseOfTheDefinitions) {
  for (oracle::Derivative what : derivatives()) {
    if (std::abs(what.parameters.bias) > 20)
      continue;  // 1 - sigma below the oracle's last digit: no difference to take
    for (const double temperature : {1.0, 0.3, 4.0}) {
      what.temperature = temperature;
      for (const std::size_t n : {1u, 2u, 5u, 12u}) {
        const std::vector<double> logits = oracle::normal_logits<double>(n, 2, n + 10);
        const std::vector<double> upstream = oracle::normal_logits<double>(n, 1, n + 20);
        EXPECT_LE(oracle::finite_difference_gap(what, logits, upstream), 1e-25) << described(what) << " L " << n;
      }
    }
  }
}

}  // namespace
}  // namespace attncert
