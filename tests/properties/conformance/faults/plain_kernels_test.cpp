// The plain kernels without a flaw against oracles of another kind: definitions read naively on tame rows, difference
// quotients for derivatives, optimality for sparsemax and entmax. And every flaw differs from its unflawed kernel.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/faults.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"
#include "src/core/counter.hpp"

namespace attncert::plain {
namespace {

const std::map<std::string, RowFunction>& forward() {
  static const std::map<std::string, RowFunction> list{
      {"softmax", softmax()},
      {"log-softmax", log_softmax()},
      {"sparsemax", sparsemax()},
      {"entmax-1.5", entmax({closed_form_three_halves, alpha_of})},
      {"entmax", entmax()},
      {"ssmax", ssmax()},
      {"softmax1", softmax1()},
      {"top-k-softmax", top_k()},
      {"sa-softmax-v0", self_adjusted(adjustment(0))},
      {"sa-softmax-v1", self_adjusted(adjustment(1))},
      {"sa-softmax-v2", self_adjusted(adjustment(2))},
      {"sa-softmax-v3", self_adjusted(adjustment(3))},
      {"sigmoid", sigmoid()},
      {"sigmoid-normalized", sigmoid_normalized()},
      {"relu-normalized", separable(positive_parts, default_contract("relu-normalized"))},
      {"taylor-softmax", separable(taylor_values, default_contract("taylor-softmax"))},
  };
  return list;
}

const std::map<std::string, RowFunction>& derivatives() {
  static const std::map<std::string, RowFunction> list{
      {"softmax", gradient(softmax_slope)},
      {"log-softmax", log_softmax_gradient()},
      {"sparsemax", gradient(sparsemax_slope)},
      {"entmax-1.5", gradient(entmax_slope)},
      {"entmax", gradient(entmax_slope)},
      {"ssmax", gradient(ssmax_slope)},
      {"softmax1", gradient(softmax1_slope)},
      {"top-k-softmax", gradient(top_k_slope)},
      {"sa-softmax-v0", self_adjusted_gradient()},
      {"sa-softmax-v1", adjusted_gradient(1)},
      {"sa-softmax-v2", adjusted_gradient(2)},
      {"sa-softmax-v3", adjusted_gradient(3)},
      {"sigmoid", sigmoid_gradient(logistic_derivative)},
      {"sigmoid-normalized", gradient(sigmoid_normalized_slope)},
      {"relu-normalized", gradient(relu_normalized_slope)},
      {"taylor-softmax", gradient(taylor_slope)},
  };
  return list;
}

// A tame row: logits in (-3, 3), one of them masked and one -inf when `holes`.
Row row_number(std::uint64_t number, std::size_t length, bool holes) {
  Row row;
  for (std::size_t i = 0; i < length; ++i) {
    row.logits.push_back(static_cast<double>(random_below(number, i, 6000)) / 1000 - 3);
    row.upstream.push_back(static_cast<double>(random_below(number + 1000, i, 4000)) / 1000 - 2);
  }
  row.temperature = number % 2 == 0 ? 1 : 0.7;
  row.parameters = {5, 3, 3, 4, -0.75, 0.5};
  if (holes) {
    row.mask.assign(length, 1);
    row.mask[length / 2] = 0;
    row.logits[length - 1] = -HUGE_VAL;
  }
  row.out.assign(length, 0);
  return row;
}

Reals run(const RowFunction& function, Row row) {
  function(row);
  return row.out;
}

// F(z_i) / (sum F(z_j) + more), straight from the definition.
Reals quotients(const Row& row, const std::function<Real(Real)>& f, Real more = 0) {
  Real sum = more;
  Reals values(row.length(), 0);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) sum += values[i] = f(row.z(i) / row.t());
  for (Real& value : values) value /= sum;
  return values;
}

void expect_near(const Reals& a, const Reals& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  // Both sides are sums of at most 40 terms in long double: 1e-17 is 100 units of it.
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(static_cast<double>(a[i] - b[i]), 0, 1e-17) << what << " " << i;
}

TEST(PlainKernels, AreTheirDefinitions) {
  for (std::uint64_t n = 0; n < 40; ++n) {
    const Row row = row_number(n, 3 + n, n % 3 == 0);
    const auto exponential = [](Real x) { return std::exp(x); };
    expect_near(run(softmax(), row), quotients(row, exponential), "softmax");
    expect_near(run(softmax1(), row), quotients(row, exponential, 1), "softmax1");
    const Real s = -0.75L * std::log(static_cast<Real>(count_present(row)));
    expect_near(run(ssmax(), row), quotients(row, [s](Real x) { return std::exp(s * x); }), "ssmax");
    const auto quartic = [](Real x) { return 1 + x + x * x / 2 + x * x * x / 6 + x * x * x * x / 24; };
    expect_near(run(forward().at("taylor-softmax"), row), quotients(row, quartic), "taylor");
    const auto sigma = [](Real x) { return 1 / (1 + std::exp(-x)); };
    expect_near(run(sigmoid_normalized(), row), quotients(row, sigma), "sigmoid-normalized");
    const Reals logarithms = run(log_softmax(), row), weights = run(softmax(), row), sigmas = run(sigmoid(), row),
                adjusted = run(self_adjusted(adjustment(0)), row);
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.present(i)) continue;
      EXPECT_NEAR(static_cast<double>(logarithms[i] - std::log(weights[i])), 0, 1e-17);
      EXPECT_NEAR(static_cast<double>(sigmas[i] - sigma(row.z(i) / row.t() + 0.5L)), 0, 1e-17);
      EXPECT_NEAR(static_cast<double>(adjusted[i] - row.z(i) / row.t() * weights[i]), 0, 1e-17);
    }
  }
}

TEST(PlainKernels, SparseOnesAreOptimal) {
  for (std::uint64_t n = 0; n < 40; ++n) {
    Row row = row_number(n, 3 + n, n % 3 == 0);
    for (const auto& [p, q] : {std::pair{2, 1}, {3, 2}, {5, 4}, {7, 3}}) {
      row.parameters.alpha_numerator = static_cast<std::uint64_t>(p);
      row.parameters.alpha_denominator = static_cast<std::uint64_t>(q);
      const Reals weights = run(entmax(), row), other = run(entmax({bisected, alpha_of}), row);
      expect_near(weights, other, "newton and bisection");
      if (p == 2) expect_near(weights, run(sparsemax(), row), "sparsemax");
      if (p == 3) expect_near(weights, run(entmax({closed_form_three_halves, alpha_of}), row), "closed form");
      // Optimality: the weights sum to 1, and (alpha - 1) z_i / T - p_i^(alpha - 1) is the same on the support and at
      // least that much off it.
      Real sum = 0, threshold = 0;
      for (std::size_t i = 0; i < row.length(); ++i) {
        sum += weights[i];
        const Real alpha = alpha_of(row), level = (alpha - 1) * row.z(i) / row.t() - std::pow(weights[i], alpha - 1);
        if (weights[i] > 0.01L) threshold = level;
      }
      EXPECT_NEAR(static_cast<double>(sum - 1), 0, 1e-17);
      for (std::size_t i = 0; i < row.length(); ++i) {
        if (!row.present(i)) continue;
        const Real alpha = alpha_of(row), level = (alpha - 1) * row.z(i) / row.t() - std::pow(weights[i], alpha - 1);
        if (weights[i] > 0.01L) EXPECT_NEAR(static_cast<double>(level - threshold), 0, 1e-16);
        else EXPECT_LE(static_cast<double>(level - threshold), 1e-16);
      }
    }
  }
}

TEST(PlainKernels, DerivativesAreDifferenceQuotients) {
  for (const auto& [name, function] : forward()) {
    for (std::uint64_t n = 0; n < 12; ++n) {
      Row row = row_number(n, 3 + n, n % 3 == 0);
      row.parameters.alpha_numerator = name == "entmax" ? 5 : 3;
      row.parameters.alpha_denominator = name == "entmax" ? 3 : 2;
      const Reals slope = run(derivatives().at(name), row);
      for (std::size_t j = 0; j < row.length(); ++j) {
        if (!row.present(j)) {
          EXPECT_EQ(slope[j], 0) << name;
          continue;
        }
        constexpr double h = 0x1p-17;  // error h^2 f''' / 6 and 2^-63 / h: both near 1e-11
        Row up = row, down = row;
        up.upstream.clear(), down.upstream.clear();
        up.logits[j] += h, down.logits[j] -= h;
        const Reals above = run(function, up), below = run(function, down);
        Real quotient = 0;
        for (std::size_t i = 0; i < row.length(); ++i)
          if (row.present(i)) quotient += row.g(i) * (above[i] - below[i]) / (2 * static_cast<Real>(h));
        EXPECT_NEAR(static_cast<double>(slope[j] - quotient), 0, 1e-8) << name << " row " << n << " entry " << j;
      }
    }
  }
}

TEST(PlainKernels, NamesAreApart) {
  std::set<std::string_view> names;
  for (const Fault& fault : faults()) EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
  for (const Fault& fault : isolated_flaws()) EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
  for (const Fault& kernel : unusual_kernels()) EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
  EXPECT_GE(faults().size(), 60u);
  EXPECT_GE(unusual_kernels().size(), 20u);
  for (const Fault& fault : faults()) EXPECT_FALSE(fault.text.empty() || fault.imitates.empty()) << fault.name;
}

}  // namespace
}  // namespace attncert::plain
