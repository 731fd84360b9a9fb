// Gradients of attention: the truth against Arb, and simulated backward passes whose roundings an adversary chooses.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reference/arb_ball.hpp"
#include "tests/reference/attention_formulas.hpp"
#include "tests/reference/gradient_member.hpp"
#include "tests/reference/random_attention.hpp"

namespace attncert {
namespace {

constexpr Precision gradient_precision{128};

// Rows of one group: queries and gradients of their own over the keys of the first.
struct GradientGroup {
  std::vector<AttentionCase> cases;
  std::vector<std::vector<double>> outputs, output_gradients;
  std::vector<reference::GradientRow> rows;

  explicit GradientGroup(Choices& choices) {
    cases.push_back(random_attention(choices));
    for (std::size_t more = choices.below(3); more > 0; --more) {
      cases.push_back(cases[0]);
      cases.back().query = random_entries(choices, cases[0].query.size(), 2);
      cases.back().position += static_cast<std::int64_t>(choices.below(3));
      if (!cases.back().sink) cases.back().sink = 0;
    }
    for (const AttentionCase& c : cases) {
      output_gradients.push_back(random_entries(choices, c.value_size, 3));
      const auto truth = reference::attention_truth(c.row(), gradient_precision);
      outputs.emplace_back();
      for (const Interval& o : truth.output) outputs.back().push_back(static_cast<float>(o.midpoint()));
      rows.push_back({c.row(), {}, {}, static_cast<float>(truth.lse.midpoint())});
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].output = outputs[i], rows[i].output_gradient = output_gradients[i];
  }
};

TEST(AttentionGradient, ArbAgreesOnRandomGroups) {
  using N = AttentionFormulas::N;
  constexpr std::uint64_t groups = 500;
  for (std::uint64_t n = 0; n < groups; ++n) {
    const Tape tape = random_tape(20261126, "attention-gradient", n, 1500);
    Choices choices(tape);
    const GradientGroup group(choices);
    const auto truth = reference::gradient_truth(group.rows, gradient_precision);
    const std::size_t d = group.cases[0].query.size(), channels = group.cases[0].value_size;
    std::vector<N> dK(truth.dK.size()), dV(truth.dV.size());
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      const reference::GradientRow& given = group.rows[i];
      const reference::RoundingClass any;
      const AttentionFormulas row(given.row, any);
      std::vector<N> dQ(d);
      for (std::size_t k = 0; k < row.keys.size(); ++k) {
        const std::size_t j = row.keys[k];
        const N p = exp(row.x[k] - given.lse), cap = given.row.softcap;
        const N t = given.row.softcap == 0 ? N(0.0) : tanh(row.r[k] / cap);
        N difference;
        for (std::size_t c = 0; c < channels; ++c) {
          difference += given.output_gradient[c] * (N(given.row.value(j, c)) - given.output[c]);
          dV[j * channels + c] += p * given.output_gradient[c];
        }
        const N dS = given.row.scale * p * difference * (1.0 - t * t);
        for (std::size_t e = 0; e < d; ++e) {
          dQ[e] += dS * given.row.key(j)[e];
          dK[j * d + e] += dS * given.row.query[e];
        }
      }
      for (std::size_t e = 0; e < d; ++e) EXPECT_TRUE(meets(truth.dQ[i][e], dQ[e])) << n;
    }
    for (std::size_t at = 0; at < dK.size(); ++at) EXPECT_TRUE(meets(truth.dK[at], dK[at])) << n;
    for (std::size_t at = 0; at < dV.size(); ++at) EXPECT_TRUE(meets(truth.dV[at], dV[at])) << n;
  }
}

void expect_covered(const reference::GradientRounding& rounding) {
  double dQ = 0, dK = 0, dV = 0;
  constexpr std::uint64_t groups = 150;
  for (std::uint64_t n = 0; n < groups; ++n) {
    const Tape tape = random_tape(20261126, "gradient-adversary", n, 1500);
    Choices choices(tape);
    const GradientGroup group(choices);
    const auto truth = reference::gradient_truth(group.rows, gradient_precision);
    const auto bound = reference::gradient_bound(group.rows, rounding, gradient_precision);
    GradientMember member(group.rows, rounding);
    const auto attack = [&](const auto& targets, const auto& truths, const auto& bounds, double& worst) {
      for (std::size_t at = 0; at < targets.size(); ++at)
        worst = std::max(worst, share(member.program, targets[at], truths[at], bounds[at]));
    };
    for (std::size_t i = 0; i < group.rows.size(); ++i) attack(member.dQ[i], truth.dQ[i], bound.dQ[i], dQ);
    attack(member.dK, truth.dK, bound.dK, dK);
    attack(member.dV, truth.dV, bound.dV, dV);
    ASSERT_LE(std::max({dQ, dK, dV}), 1) << n << ": " << dQ << " " << dK << " " << dV;
  }
  EXPECT_GE(std::min({dQ, dK, dV}), 0.125) << dQ << " " << dK << " " << dV;
  for (const auto& [name, value] : {std::pair{"dQ", dQ}, {"dK", dK}, {"dV", dV}})
    testing::Test::RecordProperty(name, std::to_string(value));
}

// The output's own rounding is none here: what the sums reach is held against the bound of the sums.
reference::GradientRounding unrounded() {
  reference::GradientRounding rounding;
  rounding.common.output = {};
  return rounding;
}

TEST(AttentionGradient, AdversaryInF32) { expect_covered(unrounded()); }
TEST(AttentionGradient, AdversaryWithHalfWeightsAndScores) {
  reference::GradientRounding rounding = unrounded();
  rounding.common.weights = rounding.dS = {0x1p-8, reference::f32_underflow};
  expect_covered(rounding);
}

}  // namespace
}  // namespace attncert
