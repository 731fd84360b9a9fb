// operator_norm against dense Jacobians whose weights are computed here in long double from the definitions, and
// against cases that are known exactly; on every instruction set.
#include "src/bounds/operator_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "src/bounds/jacobian.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/bounds/dense_jacobian.hpp"

namespace attncert::bounds {
namespace {

// Definitions in long double, written apart from the kernels.
struct Case {
  std::vector<double> z;
  double T;
  attncert_parameters parameters;
};
Vector exponentials(const Case& c, Real factor = 1) {
  Real largest = -std::numeric_limits<Real>::infinity();
  for (const double z : c.z) largest = std::max(largest, factor * z);
  Vector e;
  for (const double z : c.z) e.push_back(std::exp((factor * z - largest) / c.T));
  return e;
}
Real sigma(Real t) { return 1 / (1 + std::exp(-t)); }

Dense dense_softmax(const Case& c) { return symmetric_matrix(exponentials(c), 0, sum_of(exponentials(c)) * c.T); }
Dense dense_log_softmax(const Case& c) {
  const Vector e = exponentials(c);
  Dense J(e.size());
  for (std::size_t i = 0; i < e.size(); ++i)
    for (std::size_t j = 0; j < e.size(); ++j)
      J(i, j) = static_cast<double>(((i == j ? 1 : 0) - e[j] / sum_of(e)) / c.T);
  return J;
}
// p^(2 - alpha) from tau by bisection on the definition.
Vector entmax_slope(const Case& c, Real alpha) {
  Vector v;
  for (const double z : c.z) v.push_back((alpha - 1) * z / c.T);
  Real high = *std::max_element(v.begin(), v.end()), low = high - 1;
  const auto mass = [&](Real tau) {
    Real sum = 0;
    for (const Real x : v) sum += x > tau ? std::pow(x - tau, 1 / (alpha - 1)) : 0;
    return sum;
  };
  for (int step = 0; step < 80; ++step) (mass((low + high) / 2) > 1 ? low : high) = (low + high) / 2;
  Vector s;
  for (const Real x : v) s.push_back(x > low ? std::pow(x - low, (2 - alpha) / (alpha - 1)) : 0);
  return s;
}
Dense dense_entmax(const Case& c, Real alpha) { return symmetric_matrix(entmax_slope(c, alpha), 0, c.T); }
Dense dense_ssmax(const Case& c) {
  const Real factor = c.parameters.scale * std::log(static_cast<Real>(c.z.size()));
  const Vector e = exponentials(c, factor);
  return symmetric_matrix(e, 0, sum_of(e) * c.T / std::abs(factor));
}
Dense dense_softmax1(const Case& c) {
  Case all = c;
  all.z.push_back(0);
  Vector e = exponentials(all);
  const Real v = e.back(), sum = sum_of(e);
  e.pop_back();
  return symmetric_matrix(e, v, sum * c.T);
}
Dense dense_sigmoid(const Case& c) {
  Dense J(c.z.size());
  for (std::size_t i = 0; i < c.z.size(); ++i) {
    const Real t = c.z[i] / static_cast<Real>(c.T) + c.parameters.bias;
    J(i, i) = static_cast<double>(sigma(t) * sigma(-t) / c.T);
  }
  return J;
}
Dense dense_separable(const Case& c, const std::function<Real(Real)>& F, const std::function<Real(Real)>& slope) {
  Vector w, g;
  for (const double z : c.z) w.push_back(F(z / static_cast<Real>(c.T)));
  for (const double z : c.z) g.push_back(slope(z / static_cast<Real>(c.T)) / sum_of(w) / c.T);
  return separable_matrix(w, g);
}
Real taylor(Real t, unsigned order) {
  Real sum = 1;
  for (unsigned k = order; k > 0; --k) sum = 1 + t / static_cast<Real>(k) * sum;
  return sum;
}

Dense dense_of(const std::string& name, const Case& c) {
  if (name == "softmax") return dense_softmax(c);
  if (name == "log-softmax") return dense_log_softmax(c);
  if (name == "sparsemax") return dense_entmax(c, 2);
  if (name == "entmax-1.5") return dense_entmax(c, 1.5L);
  if (name == "entmax")
    return dense_entmax(
        c, static_cast<Real>(c.parameters.alpha_numerator) / static_cast<Real>(c.parameters.alpha_denominator));
  if (name == "ssmax") return dense_ssmax(c);
  if (name == "softmax1") return dense_softmax1(c);
  if (name == "sigmoid") return dense_sigmoid(c);
  if (name == "sigmoid-normalized") return dense_separable(c, sigma, [](Real t) { return sigma(t) * sigma(-t); });
  if (name == "relu-normalized")
    return dense_separable(
        {c.z, 1, c.parameters}, [](Real t) { return std::max<Real>(t, 0); }, [](Real t) { return t > 0 ? 1 : 0; });
  const unsigned order = c.parameters.order;
  if (name == "taylor-softmax")
    return dense_separable(
        c, [=](Real t) { return taylor(t, order); }, [=](Real t) { return taylor(t, order - 1); });
  Case top = c;  // top-k-softmax: the cell's own softmax, zeros elsewhere
  std::sort(top.z.begin(), top.z.end(), std::greater<>());
  top.z.resize(std::min<std::size_t>(top.z.size(), c.parameters.k));
  return dense_softmax(top);
}

const char* const names[] = {"softmax",        "log-softmax",  "sparsemax", "entmax-1.5",         "entmax",
                             "ssmax",          "softmax1",     "sigmoid",   "sigmoid-normalized", "relu-normalized",
                             "taylor-softmax", "top-k-softmax"};

Case random_case(std::size_t length, Random& random) {
  Case c{{}, std::exp2(uniform(random, -2, 2)), ATTNCERT_DEFAULT_PARAMETERS};
  const double spread = std::exp2(uniform(random, -2, 2.5));
  for (std::size_t i = 0; i < length; ++i) c.z.push_back(static_cast<float>(spread * gaussian(random)));
  constexpr std::uint64_t numerators[] = {5, 4, 7, 11, 5};
  const auto pick = static_cast<std::size_t>(uniform(random, 0, 5));
  c.parameters.alpha_numerator = numerators[pick];  // 5/4, 4/3, 7/4, 11/10, 5/2
  c.parameters.alpha_denominator = std::vector<std::uint64_t>{4, 3, 4, 10, 2}[pick];
  c.parameters.order = 2 * static_cast<std::uint32_t>(uniform(random, 1, 6.9));
  c.parameters.k = static_cast<std::uint64_t>(uniform(random, 1, 9));
  c.parameters.scale = uniform(random, -1.5, 1.5);
  c.parameters.bias = uniform(random, -3, 3);
  return c;
}

void check_normalizers(std::uint64_t seed, int rounds) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round)
    for (const char* name : names) {
      Case c = random_case(static_cast<std::size_t>(uniform(random, 1, 30)), random);
      const OperatorNorm got = operator_norm<double>(name, c.z, c.T, &c.parameters);
      const std::string where = std::string(name) + " round " + std::to_string(round);
      const bool flat = std::string(name) == "relu-normalized" &&
                        std::count_if(c.z.begin(), c.z.end(), [](double z) { return z > 0; }) < 2;
      if (flat || frobenius_of(dense_of(name, c)) < 1e-17) {
        EXPECT_LE(got.spectral.value, 1e-17) << where;
        continue;
      }
      const std::vector<float> single(c.z.begin(), c.z.end());
      EXPECT_EQ(operator_norm<float>(name, single, c.T, &c.parameters).spectral.value, got.spectral.value) << where;
      expect_near(got, dense_of(name, c), where);
    }
}

TEST(OperatorNorm, AgreesWithTheDenseJacobianOfEveryNormalizer) { check_normalizers(21, 40); }
TEST(OperatorNorm, OnEveryInstructionSet) {
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    check_normalizers(22, 4);
  }
}

OperatorNorm plain_norm(const char* name, std::vector<double> z, double T = 1,
                        const attncert_parameters* parameters = nullptr) {
  return operator_norm<double>(name, z, T, parameters);
}
void expect_value(const Certified& got, double truth, const char* what) {
  EXPECT_NEAR(got.value, truth, got.error + 4e-16 * truth) << what;
  EXPECT_LE(got.error, 1e-12 * truth) << what;
}

TEST(OperatorNorm, KnownExactly) {
  const double r2 = std::sqrt(2.0);
  expect_value(plain_norm("relu-normalized", {1, 2, 3}).spectral, std::sqrt(3.0 * 14) / 36, "relu");
  expect_value(plain_norm("entmax-1.5", {0, 0}).spectral, 1 / r2, "entmax-1.5");
  expect_value(plain_norm("entmax", {0, 0}).spectral, 1 / r2, "entmax of 3/2");
  expect_value(plain_norm("softmax", {0, 0}, 0.25).spectral, 2, "softmax");
  expect_value(plain_norm("softmax1", {0}).spectral, 0.25, "softmax1");
  expect_value(plain_norm("softmax1", {0, 0}).spectral, 1.0 / 3, "softmax1 tie");
  expect_value(plain_norm("sigmoid", {0, 3}, 0.5).spectral, 0.5, "sigmoid");
  expect_value(plain_norm("sparsemax", {0, 0.5, -7}, 2).spectral, 0.5, "sparsemax");
  expect_value(plain_norm("log-softmax", {1, 1, 1}, 2).spectral, 0.5, "log-softmax");
  expect_value(plain_norm("log-softmax", {1, 1, 1}, 2).frobenius, r2 / 2, "log-softmax");
  expect_value(plain_norm("taylor-softmax", {0, 0}).spectral, 0.5, "Taylor-2: kappa / 2");
  const attncert_parameters two{sizeof(attncert_parameters), 2, 3, 2, 2, 1, 0};
  expect_value(plain_norm("top-k-softmax", {3, 3, 1}, 1, &two).spectral, 0.5, "top-k");
  expect_value(plain_norm("ssmax", {1, 1}).spectral, std::log(2.0) / 2, "ssmax");
  for (const char* none : {"softmax", "log-softmax", "sparsemax", "entmax-1.5", "ssmax", "sigmoid-normalized",
                           "taylor-softmax", "relu-normalized"})
    EXPECT_EQ(plain_norm(none, {2}).spectral.value, 0) << none;
}

// The kernel's budget enters: degree 2, 2^-52 an ulp, on top of what the same weights have if they are exact.
TEST(OperatorNorm, ErrorCoversTheBudgetOfTheWeights) {
  const std::vector<double> z{0.1, 1.2, -0.7, 2.3};
  for (const double T : {1.0, 1.7}) {
    const attncert_kernel& kernel = *find_kernel("softmax", ATTNCERT_F64);
    std::vector<double> p(z.size());
    ASSERT_EQ(attncert::run<double>(kernel, z, p, 1, z.size(), T), ATTNCERT_OK);
    const SoftmaxJacobian exact = softmax_jacobian<double>(p, T);
    const OperatorNorm got = plain_norm("softmax", z, T);
    const double inputs = 2 * ulp_budget(kernel, T) * 0x1p-52;
    EXPECT_GE(got.spectral.error, exact.spectral.error + 0.999 * inputs * exact.spectral.value);
    EXPECT_GE(got.frobenius.error, exact.frobenius.error + 0.999 * inputs * exact.frobenius.value);
  }
}

// Beside the root of F_1(t) = 1 + t, left of zero at a high order, and at T -> 0, where F_2 is t^2 / 2 and T cancels.
TEST(OperatorNorm, TaylorWhereTermsCancel) {
  Case c{{-1, -1 + 0x1p-30, -1 - 0x1p-50, 0.5}, 1, ATTNCERT_DEFAULT_PARAMETERS};
  expect_near(plain_norm("taylor-softmax", c.z, c.T, &c.parameters), dense_of("taylor-softmax", c), "root");
  const OperatorNorm alone = plain_norm("taylor-softmax", {-1, -1});  // both slopes are 0: the norm is
  EXPECT_LE(alone.spectral.value, alone.spectral.error);
  c.z = {-3, -2.5, -2, 0.25};
  c.parameters.order = 20;
  expect_near(plain_norm("taylor-softmax", c.z, c.T, &c.parameters), dense_of("taylor-softmax", c), "order 20");
  c = {{1, 0.5, -0.25}, 1, c.parameters};
  c.parameters.order = 2;
  const Dense limit = dense_separable(
      c, [](Real t) { return t * t / 2; }, [](Real t) { return t; });
  expect_near(plain_norm("taylor-softmax", c.z, 1e-300, &c.parameters), limit, "T = 1e-300");
}

TEST(OperatorNorm, RefusesWhatHasNoAnswer) {
  const attncert_parameters two{sizeof(attncert_parameters), 2, 3, 2, 2, 1, 0};
  const auto is_unknown = [](const OperatorNorm& n) {
    return std::isnan(n.spectral.value) && std::isinf(n.spectral.error);
  };
  EXPECT_TRUE(is_unknown(plain_norm("top-k-softmax", {3, 1, 1}, 1, &two)));  // a tie at the edge
  EXPECT_TRUE(is_unknown(plain_norm("relu-normalized", {1, 2, 0})));         // a kink
  EXPECT_TRUE(is_unknown(plain_norm("sparsemax", {1, 0})));                  // a kink
  attncert_parameters steep = two;
  steep.alpha_numerator = 3, steep.alpha_denominator = 1;
  EXPECT_TRUE(is_unknown(plain_norm("entmax", {0.5, 0}, 1, &steep)));  // z_1 - z_2 = T / (alpha - 1)
  EXPECT_EQ(plain_norm("entmax", {0.625, 0}, 1, &steep).spectral.value, 0);
  EXPECT_TRUE(is_unknown(plain_norm("sa-softmax-v0", {1, 0})));
  EXPECT_TRUE(is_unknown(plain_norm("softmax-vjp", {1, 0})));
  EXPECT_TRUE(is_unknown(plain_norm("softmax", {})));
  for (const char* name : names) {
    EXPECT_TRUE(is_unknown(plain_norm(name, {1, 0.5}, 0))) << name;
    EXPECT_TRUE(is_unknown(plain_norm(name, {1, 0.5}, std::nan("")))) << name;
    EXPECT_TRUE(is_unknown(plain_norm(name, {1, -HUGE_VAL}))) << name;
    EXPECT_TRUE(is_unknown(plain_norm(name, {1, std::nan("")}))) << name;
  }
  const auto listed = normalizers_with_operator_norm();
  EXPECT_TRUE(std::is_permutation(listed.begin(), listed.end(), std::begin(names), std::end(names)));
}

// Far apart, far down, huge and tiny temperatures: never NaN, never a wrong claim of precision.
TEST(OperatorNorm, ExtremeLogits) {
  const OperatorNorm deep = plain_norm("softmax", {0, -1e6});
  EXPECT_LE(deep.spectral.value, 1e-300);
  EXPECT_GT(deep.spectral.error, 0);
  const OperatorNorm far = plain_norm("softmax1", {-650, -655});  // J is diag p but for e^-650
  EXPECT_NEAR(far.spectral.value / std::exp(-650.0), 1, 1e-12);
  const OperatorNorm gone = plain_norm("softmax1", {-1e5});
  EXPECT_EQ(gone.spectral.value, 0);
  EXPECT_GT(gone.spectral.error, 0);
  const OperatorNorm lonely = plain_norm("softmax1", {300, -400});  // p_0 = e^-300
  EXPECT_NEAR(lonely.spectral.value / std::exp(-300.0), 1, 1e-12);
  for (const char* name : names)
    for (const double T : {1e-300, 1e-10, 1.0, 1e10, 1e300}) {
      const OperatorNorm got = plain_norm(name, {1, 0.5, 0.25, -3}, T);
      EXPECT_TRUE(std::isinf(got.spectral.error) || std::isfinite(got.spectral.value)) << name << T;
      EXPECT_FALSE(std::isnan(got.spectral.error)) << name << T;
    }
}

// softmax1 of one logit: J = p (1 - p) / T, here below the square root of the smallest double.
TEST(OperatorNorm, OneFaintWeightOfSoftmax1) {
  const std::vector<double> logits{10.1441};
  const bounds::OperatorNorm norm = bounds::operator_norm<double>("softmax1", logits, 0.0219998);
  const long double t = 0.0219998L, e = std::exp(-static_cast<long double>(10.1441) / t);
  const auto exact = static_cast<double>(e / ((1 + e) * (1 + e)) / t);  // about 2.5e-199
  EXPECT_NEAR(norm.frobenius.value, exact, 1e-12 * exact);
  EXPECT_NEAR(norm.spectral.value, exact, 1e-12 * exact);
}

// One weight near 1, the others and p_0 in any order about and below the square root of the smallest double.
TEST(OperatorNorm, AllButOneWeightOfSoftmax1Faint) {
  for (const double largest : {200.0, 355.0, 360.0, 372.0, 500.0, 600.0}) {
    for (const double next : {0.0, 0.5, 40.0, -0.5, -1.0, -40.0, -90.0}) {
      const std::vector<double> logits{largest, next, next - 1, next - 1};
      Vector w;
      for (const double z : logits) w.push_back(std::exp(static_cast<Real>(z - largest)));
      const Real v = std::exp(static_cast<Real>(-largest)), sigma = v + sum_of(w);
      Real squares = 0;
      for (std::size_t i = 0; i < w.size(); ++i) {
        Real others = v;
        for (std::size_t j = 0; j < w.size(); ++j) others += i == j ? 0 : w[j];
        for (std::size_t j = 0; j < w.size(); ++j)
          squares += i == j ? w[i] * w[i] * others * others : w[i] * w[i] * w[j] * w[j];
      }
      expect_value(plain_norm("softmax1", logits).frobenius, static_cast<double>(std::sqrt(squares) / (sigma * sigma)),
                   "faint");
    }
    // mu = y p_0 but for p_0^2, with y = 1 + n y / (y - 1), the secular equation of n weights as small as p_0.
    for (const double n : {1.0, 3.0, 40.0}) {
      std::vector<double> logits(static_cast<std::size_t>(n), 0);
      logits.push_back(largest);
      const double y = (2 + n + std::sqrt((2 + n) * (2 + n) - 4)) / 2;
      expect_value(plain_norm("softmax1", logits).spectral, y * std::exp(-largest), "faint ties");
    }
  }
}

}  // namespace
}  // namespace attncert::bounds
