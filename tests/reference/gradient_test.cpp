// Derivatives: Arb differentiates the definitions numerically (central differences at 4096 bits with steps of 2^-1200),
// so no formula of a Jacobian is shared with the truths; magnitudes against slopes and shares written out.
#include <gtest/gtest.h>

#include "reference/normalizers/entmax.hpp"
#include "reference/normalizers/separable_vjp.hpp"
#include "reference/normalizers/softmax_vjp.hpp"
#include "reference/normalizers/sparse_vjp.hpp"
#include "tests/reference/judge_gradient.hpp"

namespace attncert {
namespace {

Reals map(const Reals& x, const std::function<Real(const Real&)>& f) {
  Reals y;
  for (const Real& value : x) y.push_back(f(value));
  return y;
}

Reals shares_of(const LogitRow& row, Reals terms) {
  Real total;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (row.present(i)) total += terms[i];
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (row.present(i)) terms[i] = terms[i] / total;
  return terms;
}

Real ssmax_factor(const LogitRow& row) {
  double n = 0;
  for (std::size_t i = 0; i < row.logits.size(); ++i) n += row.present(i) ? 1 : 0;
  return Real(row.parameters.scale) * log(Real(n));
}

Reals arb_ssmax(const LogitRow& row, const Reals& x) {
  const Real factor = ssmax_factor(row);
  return arb_softmax(row, map(x, [&](const Real& value) { return value * factor; }));
}

Reals softmax1(const LogitRow& row, Reals x) {
  LogitRow longer = row;
  longer.logits.push_back(0);
  if (!longer.mask.empty()) longer.mask.push_back(1);
  x.emplace_back();
  Reals weights = arb_softmax(longer, x);
  weights.pop_back();
  return weights;
}

Reals top_k(const LogitRow& row, const Reals& x) {
  LogitRow cell = row;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    std::uint64_t before = 0;
    for (std::size_t j = 0; j < row.logits.size(); ++j)
      if (row.present(j) && (row.logits[j] > row.logits[i] || (row.logits[j] == row.logits[i] && j < i))) ++before;
    if (before >= row.parameters.k) cell.logits[i] = -HUGE_VAL;
  }
  return arb_softmax(cell, x);
}

TEST(Gradient, ExponentialFamily) {
  judge_gradients(reference::softmax_vjp_normalizer, arb_softmax, grouped(arb_softmax, arb_softmax), 90);
  judge_gradients(reference::ssmax_vjp_normalizer, arb_ssmax,
                  grouped(arb_ssmax,
                          [](const LogitRow& row, const Reals& x) {
                            return map(arb_ssmax(row, x), [&](const Real& p) { return p * ssmax_factor(row); });
                          }),
                  90, [](Choices& choices, LogitRow& row) {
                    constexpr double scales[] = {1, 0.43, -0.7, 3};
                    row.parameters.scale = choices.pick(scales);
                  });
  judge_gradients(reference::softmax1_vjp_normalizer, softmax1, grouped(softmax1, softmax1), 90);
  judge_gradients(reference::top_k_softmax_vjp_normalizer, top_k, grouped(top_k, top_k), 90,
                  [](Choices& choices, LogitRow& row) { row.parameters.k = 1 + choices.below(7); });
}

TEST(Gradient, LogSoftmax) {
  const Forward logarithms = [](const LogitRow& row, const Reals& x) {
    return map(arb_softmax(row, x), [](const Real& p) { return log(p); });
  };
  const Magnitudes magnitudes = [](const LogitRow& row, const Reals& x) {
    Reals terms = arb_softmax(row, x);
    Real total;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) total += absolute_upstream(row, i);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) terms[i] = absolute_upstream(row, i) + terms[i] * total;
    return terms;
  };
  judge_gradients(reference::log_softmax_vjp_normalizer, logarithms, magnitudes, 90);
}

Real sigma(const Real& x) { return Real(1.0) / (Real(1.0) + exp(Real(0.0) - x)); }

TEST(Gradient, Sigmoid) {
  const Forward forward = [](const LogitRow& row, const Reals& x) {
    return map(x, [&](const Real& value) { return sigma(value + Real(row.parameters.bias)); });
  };
  std::size_t judged = 0;
  for (std::uint64_t n = 0; n < 90; ++n) {
    const Tape tape = random_tape(20251021, "sigmoid-vjp", n, 500);
    Choices choices(tape);
    LogitRow row = truth_row(choices, n % 3 == 1);
    row.parameters.bias = n % 2 == 0 ? 0 : -6.93;
    for (std::size_t i = 0; i < row.logits.size(); ++i) row.upstream.push_back(8 * choices.unit() - 4);
    const Reals expected = differences(row, forward, Real(Rational(power_of_two(-1200))));
    const auto truth = reference::sigmoid_vjp_normalizer.truth(row);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      if (!row.present(i)) continue;
      EXPECT_EQ(truth->magnitude(i), 0);
      if (arb_rel_accuracy_bits(expected[i].get()) < 100) continue;
      ++judged;
      const Real error = abs(real_of(truth->value(i, {256})) - expected[i]);
      EXPECT_FALSE(certainly_less(abs(expected[i]) * Real(0x1p-90), error)) << n << " " << i;
    }
    if (n % 3 != 1) judge_width(reference::sigmoid_vjp_normalizer, row);
  }
  EXPECT_GT(judged, 200u);
}

TEST(Gradient, SigmoidNormalized) {
  const Forward forward = [](const LogitRow& row, const Reals& x) {  // softmax of log sigma: no underflow
    return arb_softmax(row, map(x, [](const Real& v) { return Real(0.0) - log(Real(1.0) + exp(Real(0.0) - v)); }));
  };
  const Forward slopes = [forward](const LogitRow& row, const Reals& x) {
    return multiplied(forward(row, x), map(x, [](const Real& v) { return sigma(Real(0.0) - v); }));
  };
  judge_gradients(reference::sigmoid_normalized_vjp_normalizer, forward, grouped(forward, slopes), 90, {}, false);
}

TEST(Gradient, ReluNormalized) {
  const Forward terms = [](const LogitRow& row, Reals x) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!row.present(i) || row.logits[i] <= 0) x[i] = Real();
    return x;
  };
  const Forward forward = [terms](const LogitRow& row, const Reals& x) {
    bool any = false;
    for (std::size_t i = 0; i < x.size(); ++i) any = any || (row.present(i) && row.logits[i] > 0);
    return any ? shares_of(row, terms(row, x)) : terms(row, x);
  };
  const Forward slopes = [terms](const LogitRow& row, const Reals& x) {
    Reals slope = terms(row, x);
    Real total;
    for (const Real& term : slope) total += term;
    for (Real& s : slope)
      if (!arb_is_zero(s.get())) s = Real(1.0) / total;
    return slope;
  };
  judge_gradients(reference::relu_normalized_vjp_normalizer, forward, grouped(forward, slopes), 90, {}, false);
  const LogitRow far{{1e308, 1e308, -3, 1e300}, 1e300, {}, {}, {1e308, -1e308, 7, 1}};
  const auto truth = reference::relu_normalized_vjp_normalizer.truth(far);
  EXPECT_NEAR(truth->value(0, {64}).midpoint(), 0.5, 1e-7);  // 1e308 / 2e308
  EXPECT_EQ(truth->value(2, {64}).upper(), 0);
}

TEST(Gradient, TaylorSoftmax) {
  const auto polynomial = [](std::uint32_t order, const Real& x) {
    Real power(1.0), total(1.0);
    for (std::uint32_t k = 1; k <= order; ++k) {
      power = power * x / Real(static_cast<double>(k));
      total += power;
    }
    return total;
  };
  const Forward terms = [polynomial](const LogitRow& row, const Reals& x) {
    return map(x, [&](const Real& v) { return polynomial(row.parameters.order, v); });
  };
  const Forward forward = [terms](const LogitRow& row, const Reals& x) { return shares_of(row, terms(row, x)); };
  const Forward slopes = [polynomial, forward](const LogitRow& row, const Reals& x) {
    return multiplied(forward(row, x), map(x, [&](const Real& v) {
                        const std::uint32_t n = row.parameters.order;
                        return polynomial(n - 1, v) / polynomial(n, v);
                      }));
  };
  judge_gradients(reference::taylor_softmax_vjp_normalizer, forward, grouped(forward, slopes), 120,
                  [](Choices& choices, LogitRow& row) {
                    row.parameters.order = 2 + 2 * static_cast<std::uint32_t>(choices.below(3));
                  });
}

// The weights on a given support by Newton's rule at 4096 bits, from the truth's threshold.
struct SparseForward {
  const Normalizer& weights;
  Rational above_one;  // alpha - 1

  Reals operator()(const LogitRow& row, const Reals& x) const {
    const auto truth = weights.truth(row);
    const Real slope(above_one), beta(Rational(1 / above_one));
    Reals p(x.size());
    std::vector<std::size_t> support;
    Real tau;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!row.present(i)) continue;
      const Interval weight = truth->value(i, {256});
      if (weight.upper() == 0) continue;
      support.push_back(i);
      tau = x[i] * slope - pow(real_of(middle(weight)), slope);
    }
    for (int step = 0; step < 7; ++step) {  // 200 digits, doubled each time
      Real total(-1.0), rate;
      for (const std::size_t i : support) {
        const Real height = x[i] * slope - tau;
        p[i] = pow(height, beta);
        total += p[i];
        rate += beta * p[i] / height;
      }
      tau = tau + total / rate;
      arb_get_mid_arb(tau.get(), tau.get());
    }
    for (const std::size_t i : support) p[i] = pow(x[i] * slope - tau, beta);
    return p;
  }
  Reals slopes(const LogitRow& row) const {  // p^(2 - alpha), from the forward truth
    const auto truth = weights.truth(row);
    Reals s(row.logits.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (!row.present(i)) continue;
      const Interval weight = truth->value(i, {512});
      if (weight.upper() > 0) s[i] = pow(real_of(weight), Real(Rational(1 - above_one)));
    }
    return s;
  }
};

TEST(Gradient, SparseOnTheSupport) {
  struct Case {
    const Normalizer* derivative;
    std::uint64_t p, q;
  };
  for (const Case& c :
       {Case{&reference::sparsemax_vjp_normalizer, 2, 1}, Case{&reference::entmax15_vjp_normalizer, 3, 2},
        Case{&reference::entmax_vjp_normalizer, 5, 4}, Case{&reference::entmax_vjp_normalizer, 3, 1}}) {
    // The forward truth at the same alpha gives the support: it has tests of its own.
    const SparseForward forward{reference::entmax_normalizer, Rational(c.p) / Rational(c.q) - 1};
    const Forward slopes = [forward](const LogitRow& row, const Reals&) { return forward.slopes(row); };
    const Forward shares = [forward](const LogitRow& row, const Reals&) { return shares_of(row, forward.slopes(row)); };
    judge_gradients(
        *c.derivative, forward, grouped(shares, slopes), 25,
        [&](Choices&, LogitRow& row) {
          row.parameters.alpha_numerator = c.p;
          row.parameters.alpha_denominator = c.q;
          row.temperature *= 4;
        },
        false);
  }
}

TEST(Gradient, UpstreamAtAbsentEntriesIsIgnored) {
  const LogitRow row{{1, -HUGE_VAL, 2, NAN}, 1, {1, 1, 1, 0}, {}, {1, NAN, -1, HUGE_VAL}};
  const LogitRow short_row{{1, 2}, 1, {}, {}, {1, -1}};
  for (const Normalizer* n :
       {&reference::softmax_vjp_normalizer, &reference::ssmax_vjp_normalizer, &reference::softmax1_vjp_normalizer,
        &reference::top_k_softmax_vjp_normalizer, &reference::log_softmax_vjp_normalizer,
        &reference::sa_softmax_v0_vjp_normalizer, &reference::sa_softmax_v1_vjp_normalizer,
        &reference::sa_softmax_v2_vjp_normalizer, &reference::sa_softmax_v3_vjp_normalizer,
        &reference::sigmoid_vjp_normalizer, &reference::sigmoid_normalized_vjp_normalizer,
        &reference::relu_normalized_vjp_normalizer, &reference::taylor_softmax_vjp_normalizer,
        &reference::sparsemax_vjp_normalizer, &reference::entmax15_vjp_normalizer, &reference::entmax_vjp_normalizer}) {
    const auto truth = n->truth(row), expected = n->truth(short_row);
    EXPECT_TRUE(same_ends(truth->value(0, {64}), expected->value(0, {64}))) << n->name;
    EXPECT_TRUE(same_ends(truth->value(2, {64}), expected->value(1, {64}))) << n->name;
    EXPECT_EQ(truth->magnitude(2), expected->magnitude(1)) << n->name;
    EXPECT_EQ(truth->screen(2), expected->screen(1)) << n->name;
    EXPECT_TRUE(n->derivative && n->at_infinity == nullptr && !n->exact_support) << n->name;
  }
}

}  // namespace
}  // namespace attncert
