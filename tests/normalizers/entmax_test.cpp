// alpha-entmax for alphas from 1 + 1/1000 to 64 against Arb, on every instruction set: generic rows, ties, a logit on
// the threshold, temperatures at the ends; and that 3/2 and 2 are 1.5-entmax and sparsemax bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "src/kernel/budget.hpp"
#include "src/normalizers/sparse/entmax_exact.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/entmax_oracle.hpp"

namespace attncert {
namespace {

struct Alpha {
  unsigned long numerator, denominator;
};
constexpr Alpha kAlphas[] = {{1001, 1000}, {65, 64}, {5, 4}, {4, 3}, {7, 4}, {5, 2}, {3, 1}, {64, 1}};

double worst_any_seen[2] = {};
constexpr long beyond_doubles = 5000;  // bits: what differences of doubles leave of a sum of powers

template <class T>
attncert_status entmax(const std::vector<T>& logits, std::vector<T>& out, double temperature, Alpha alpha) {
  const attncert_kernel& kernel = *find_kernel("entmax", kDtype<T>);
  attncert_parameters parameters{sizeof parameters, 2, alpha.numerator, alpha.denominator, 8, 1, 0};
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = 1;
  arguments.length = arguments.input_stride = arguments.output_stride = logits.size();
  arguments.input = logits.data();
  out.assign(logits.size(), T(-1));
  arguments.output = out.data();
  arguments.temperature = temperature;
  arguments.parameters = &parameters;
  arguments.scratch_bytes = kernel.scratch_needed(&arguments);
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> scratch(arguments.scratch_bytes / sizeof(Line) + 1);
  arguments.scratch = scratch.data();
  return kernel.run(&arguments);
}

template <class T>
void judge(const std::vector<T>& logits, double temperature, Alpha alpha, long bits = 640) {
  std::vector<T> out;
  ASSERT_EQ(entmax(logits, out, temperature, alpha), ATTNCERT_OK);
  const oracle::Worst worst = oracle::entmax<T>(logits, out, temperature, alpha.numerator, alpha.denominator, bits);
  worst_any_seen[sizeof(T) == 8] = std::max(worst_any_seen[sizeof(T) == 8], worst.ulp);
  const auto where = [&] {
    return ::testing::Message() << "alpha " << alpha.numerator << "/" << alpha.denominator << " L " << logits.size()
                                << " T " << temperature << " bytes " << sizeof(T) << std::hexfloat << " logit "
                                << logits[worst.index] << " weight " << out[worst.index];
  };
  EXPECT_TRUE(worst.same_support) << where();
  EXPECT_EQ(worst.flushed, 0u) << where();
  EXPECT_LE(worst.ulp, ulp_budget(*find_kernel("entmax", kDtype<T>), temperature)) << where();
}

class Entmax : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override {
    std::printf("  worst so far: f32 %.3f, f64 %.3f ulp\n", worst_any_seen[0], worst_any_seen[1]);
  }
  ForcedInstructionSet forced_{GetParam()};
};

TEST_P(Entmax, NormalRows) {
  unsigned long long seed = 0;
  for (const Alpha alpha : kAlphas) {
    for (const double sigma : {0.01, 3.0}) {
      for (const double temperature : {1.0, 0.3, 30.0}) {
        for (const std::size_t length : {2u, 19u}) {
          judge(oracle::normal_logits<float>(length, sigma, ++seed), temperature, alpha);
          judge(oracle::normal_logits<double>(length, sigma, seed), temperature, alpha);
        }
      }
    }
  }
}

TEST_P(Entmax, ThresholdOnALogitAndTies) {
  const SupportCounts before = support_counts(SparseFamily::entmax);
  for (const Alpha alpha : kAlphas) {
    const double step =
        static_cast<double>(alpha.numerator - alpha.denominator) / static_cast<double>(alpha.denominator);
    const float reach = static_cast<float>(1 / step);  // exact for some
    for (const float x : {-reach, std::nextafter(-reach, 9e9f), std::nextafter(-reach, -9e9f)}) {
      judge<float>({0, x, x}, 1, alpha);
      judge<double>({0, static_cast<double>(x), -1.0 - 2 * reach}, 1, alpha);
      judge<double>({0, static_cast<double>(x) * 1e-300}, 1e-300, alpha);
    }
    judge(std::vector<float>(40, 1.5f), 0.7, alpha);
    judge(std::vector<double>(33, -3.25), 1, alpha);
    judge<double>({1, 1, 0.999999, 0.5, 0.5}, 1, alpha);
    judge<double>({1, 0.5, 1e-300, 0}, 1e300, alpha);
    judge<float>({1, 0.5f, 1e-30f, 0}, 1e10, alpha);
    judge<float>({3e38f, -3e38f, 3e38f, 0}, 1e38, alpha);
    judge<double>({1.7e308, -1.7e308, 1.6e308, 0}, 1e308, alpha);
  }
  const SupportCounts after = support_counts(SparseFamily::entmax);
  EXPECT_GT(after.exact_supports, before.exact_supports);
  EXPECT_EQ(after.undecided, before.undecided);
}

// The logit x next to the threshold of the others, at which their powers sum to 1 but for a rest far below the 2^-94
// that pairs of doubles know: the weight at x is that rest.
TEST_P(Entmax, WeightsOfNextToNothing) {
  const SupportCounts before = support_counts(SparseFamily::entmax);
  for (const double x : {0x1p-60, 0x1p-110, 0x1p-149, 0x1p-300, 0x1p-1074}) {
    const long bits = x < 0x1p-500 ? beyond_doubles : 640;
    judge<double>({3, x}, 1, {4, 3}, bits);
    judge<double>({3, -x}, 1, {4, 3}, bits);
    judge<double>({x, 0.5, x}, 1, {3, 1}, bits);
    judge<double>({0.125, x, 0.125}, 1, {3, 1}, bits);  // (2 / 8)^(1/2) twice
    judge<double>({0.125 + 0x1p-55, x, 0.125}, 1, {3, 1}, bits);
    if (x < 0x1p-149) continue;
    judge<float>({static_cast<float>(x), 0.5f}, 1, {3, 1});
    judge<float>({0.125f, static_cast<float>(x), 0.125f, 0}, 1, {3, 1});
  }
  // Powers that are nothing beside 1, but not beside the gap; and b so large that 2^b is no double.
  judge<double>({1000, 0x1p-33, 0x1p-34}, 1, {1001, 1000});
  judge<float>({1000, 0x1p-60f, 0x1p-61f}, 1, {1001, 1000});
  judge<double>({64, 0x1p-300, 0x1p-301}, 1, {65, 64});
  for (const double x : {0x1p-260, 0x1p-400, 0x1p-450}) {
    judge<double>({15.0 / 16, x + x * 0x1p-52, x}, 1, {31, 15});
    judge<double>({17.0 / 16, x + x * 0x1p-52, x}, 1, {33, 17});
  }
  judge<double>({2000, 0x1p-40}, 1, {2001, 2000});
  judge<float>({2000, 0x1p-40f}, 1, {2001, 2000});
  // Three above x: 3^3 + 4^3 + 5^3 = 6^3, and (b T)^3 = 6^3 for T = 2.
  for (const double x : {0x1p-50, 0x1p-51, 0x1p-70, -0x1p-70}) judge<double>({3, 4, 5, x}, 2, {4, 3});
  EXPECT_GT(support_counts(SparseFamily::entmax).exact_gaps, before.exact_gaps);
  EXPECT_EQ(support_counts(SparseFamily::entmax).undecided, before.undecided);
  judge<double>({3, 4, 5, 0}, 2, {4, 3});  // on the threshold: outside, as nobody can tell by digits
  EXPECT_EQ(support_counts(SparseFamily::entmax).undecided, before.undecided + 1);
}

// v = a (z - tau) below 2^-960: at r alone, and at others as near to it as that, whose powers are not small where alpha
// is large.
TEST_P(Entmax, HeightsBelowDoubles) {
  for (const Alpha alpha : {Alpha{199, 100}, Alpha{5, 3}, Alpha{203, 100}, Alpha{11, 1}, Alpha{65, 1}, Alpha{300, 1}}) {
    const double reach =
        static_cast<double>(alpha.denominator) / static_cast<double>(alpha.numerator - alpha.denominator);
    for (const double temperature : {1.0, 0x1p-400, 0x1p900}) {
      const SupportCounts before = support_counts(SparseFamily::entmax);
      const double most = reach * temperature;  // exact for some
      for (const double x : {0x1p-1040, 0x1p-970, 0x1p-300}) {
        for (const double share : {1.0, 1 - 0x1p-20, 1 - 0x1p-9}) {
          judge<double>({most * share, x, 0}, temperature, alpha, beyond_doubles);
          judge<double>({most * share, x, x, 0, 0, x + x * 0x1p-20}, temperature, alpha, beyond_doubles);
          judge<double>({most * share, most * x, 0}, temperature, alpha, beyond_doubles);
        }
        judge<double>({3 * x, x, 0, 0}, temperature, alpha, beyond_doubles);
      }
      if (temperature > 1) continue;  // rests below 2^-2230 are not told
      EXPECT_EQ(support_counts(SparseFamily::entmax).undecided, before.undecided);
    }
    judge<float>({static_cast<float>(reach), 0x1p-140f, 0, 0}, 1, alpha, beyond_doubles);
    judge<float>({static_cast<float>(reach * (1 - 0x1p-9)), 0x1p-140f, 0, 0}, 1, alpha, beyond_doubles);
  }
}

// What Newton's steps alone do not find (b < 1, many logits as near to r as n), what ties add to an error, and equal
// logits that do not follow each other.
TEST_P(Entmax, ManyLogitsNextToTheSmallest) {
  const SupportCounts before = support_counts(SparseFamily::entmax);
  const auto with = [](std::vector<double> logits, std::size_t times, double x) {
    logits.insert(logits.end(), times, x);
    return logits;
  };
  for (const double x : {0x1p-972, 0x1p-600, 0x1p-300, 0x1p-100}) {
    judge<double>(with({0.1 * (1 - 0x1p-30), 0}, 50, x), 1, {11, 1}, beyond_doubles);
    judge<double>(with({0.25, 0}, 50, x), 1, {5, 1}, beyond_doubles);
    judge<double>(with({4, 0}, 60, x), 3, {7, 4}, beyond_doubles);
    judge<double>(with({4}, 60, x), 3, {7, 4}, beyond_doubles);
    judge<double>({0.5, x, x / 2, x / 3, x / 5, x / 7, x / 9, 0}, 1, {3, 1}, beyond_doubles);
  }
  std::vector<double> grouped{1.5, 0x1p-300}, mixed = grouped;
  for (int k = 0; k < 12; ++k) {
    grouped.insert(grouped.begin() + 1, 0x1p-260);
    grouped.insert(grouped.end() - 1, 0x1.8p-260);
    mixed.insert(mixed.end() - 1, {0x1p-260, 0x1.8p-260});
  }
  judge(grouped, 1, {5, 3}, beyond_doubles);
  judge(mixed, 1, {5, 3}, beyond_doubles);
  EXPECT_EQ(support_counts(SparseFamily::entmax).undecided, before.undecided);
}

TEST_P(Entmax, KnownAlphasAreTheirOwnKernels) {
  const std::vector<float> logits = oracle::normal_logits<float>(333, 0.5, 4);
  std::vector<float> out;
  ASSERT_EQ(entmax(logits, out, 0.7, {6, 4}), ATTNCERT_OK);
  EXPECT_EQ(out, row<float>("entmax-1.5", logits, 0.7));
  ASSERT_EQ(entmax(logits, out, 0.7, {6, 3}), ATTNCERT_OK);
  EXPECT_EQ(out, row<float>("sparsemax", logits, 0.7));
}

TEST_P(Entmax, OrderIsKept) {
  for (const Alpha alpha : kAlphas) {
    std::vector<float> logits = oracle::normal_logits<float>(400, 0.05, alpha.numerator);
    for (std::size_t i = 0; i < 200; ++i) logits[i] = std::nextafter(logits[i + 200], 9e9f);
    std::sort(logits.begin(), logits.end());
    std::vector<float> out;
    ASSERT_EQ(entmax(logits, out, 0.3, alpha), ATTNCERT_OK);
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
    std::vector<double> wide(logits.begin(), logits.end()), answer;
    ASSERT_EQ(entmax(wide, answer, 0.3, alpha), ATTNCERT_OK);
    EXPECT_TRUE(std::is_sorted(answer.begin(), answer.end()));
  }
}

// With d = (alpha - 1) (max - min) / T the weights lie in [(t - d)^b, t^b], t >= L^-(alpha - 1) and b = 1 / (alpha - 1)
// < 1: within d / t of 1 / L. In the first row that is 2^(104 + 5.5 - 773) 2^448 = 2^-215, in the next ones less or 0.
TEST_P(Entmax, FarTemperaturesGiveTheUniformRow) {
  const struct {
    std::size_t length;
    float logit, other;
    double temperature;
    Alpha alpha;
  } rows[] = {{995, -0x1.fffffep127f, -0x1.fffffcp127f, 0x1p773, {45, 1}},
              {65337, -0x1.1p-145f, -0x1.1p-145f, 0x1p-1050, {54, 1}},
              {131008, -0x1.1p-145f, 0, 0x1.8p1022, {4062, 89}},
              {131008, -0x1.1p-145f, 0, 0x1.8p1022, {3, 1}}};
  for (const auto& [length, logit, other, temperature, alpha] : rows) {
    std::vector<float> logits(length, logit), out;
    logits[length / 2] = other;
    ASSERT_EQ(entmax(logits, out, temperature, alpha), ATTNCERT_OK);
    for (const float weight : out) ASSERT_EQ(weight, static_cast<float>(1 / static_cast<double>(length))) << length;
  }
}

TEST(EntmaxParameters, OutsideTheRangeWriteNothing) {
  for (const Alpha alpha : {Alpha{1, 1}, Alpha{1, 2}, Alpha{3, 0}, Alpha{0, 0}}) {
    std::vector<float> out;
    EXPECT_EQ(entmax<float>({1, 2}, out, 1, alpha), ATTNCERT_BAD_PARAMETER);
    EXPECT_EQ(out, std::vector<float>(2, -1.0f));
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, Entmax, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
