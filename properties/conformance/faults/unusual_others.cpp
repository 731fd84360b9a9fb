// Correct kernels of unusual form for the other normalizers and the derivatives.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

// Michelot 1986: takes the threshold of all entries, drops the entries below it, and repeats until none is below. The
// support is the set that the sorted criterion gives.
std::size_t by_dropping(const Row& row, const std::vector<double>& sorted) {
  std::size_t left = sorted.size();
  for (;;) {
    Real below_top = 0;
    for (std::size_t j = 0; j < left; ++j) below_top += static_cast<Real>(sorted[j]) - static_cast<Real>(sorted[0]);
    const Real threshold = (below_top - row.t()) / static_cast<Real>(left);
    std::size_t kept = left;
    while (kept > 1 && static_cast<Real>(sorted[kept - 1]) - static_cast<Real>(sorted[0]) <= threshold) --kept;
    if (kept == left) return left;
    left = kept;
  }
}

// n^(s (z - max) / T), computed as a power of n.
void powers_of_n(Row& row) {
  const Real n = static_cast<Real>(count_present(row)), s = static_cast<Real>(row.parameters.scale);
  const Real reference = s < 0 ? smallest_present(row) : largest_present(row);
  row.out = shares(at_present(row, [&](std::size_t i) { return std::pow(n, s * ((row.z(i) - reference) / row.t())); }));
}

// The sink as one more logit of 0 at the end of the row.
Row with_zero(const Row& row) {
  Row longer = row;
  longer.logits.push_back(0);
  if (!longer.mask.empty()) longer.mask.push_back(1);
  if (!longer.upstream.empty()) longer.upstream.push_back(0);
  return longer;
}

void softmax_with_zero(Row& row) {
  row.out = softmax_weights(with_zero(row));
  row.out.pop_back();
}

std::vector<std::uint8_t> by_repeated_maximum(const Row& row) {
  if (row.parameters.k > 64) return k_largest(row);
  std::vector<std::uint8_t> chosen(row.length(), 0);
  for (std::uint64_t n = 0; n < row.parameters.k; ++n) {
    std::size_t best = row.length();
    for (std::size_t i = 0; i < row.length(); ++i)
      if (row.present(i) && chosen[i] == 0 && (best == row.length() || row.logits[i] > row.logits[best])) best = i;
    if (best != row.length()) chosen[best] = 1;
  }
  return chosen;
}

Real by_softplus(Real x) { return std::exp(x >= 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x))); }

Reals by_largest(const Reals& values) {  // scales values to at most 1 before it sums them
  const Real top = *std::max_element(values.begin(), values.end());
  Reals scaled = values;
  for (Real& value : scaled) value = top == 0 ? 0 : value / top;
  return shares(scaled);
}

// (x^2 + 2x + 2) / 2 for order 2; other orders sum the powers.
Reals by_powers(const Row& row) {
  if (row.parameters.order != 2) return taylor_values(row);
  return at_present(row, [&](std::size_t i) {
    const Real x = row.z(i) / row.t();
    return ((x + 1) * (x + 1) + 1) / 2;
  });
}

// Centres g first: sum_j b_j (g_j - c) with c the upstream of the first present entry.
RowFunction centred(SlopeOf slope) {
  return guarded(default_contract("softmax-vjp"), [slope = std::move(slope)](Row& row) {
    const Slope s = slope(row);
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.present(i) || s.a[i] == 0) continue;
      if (i > 256) return gradient(slope)(row);
      Reals differences;
      for (std::size_t j = 0; j < row.length(); ++j)
        if (row.present(j)) differences.push_back(s.b[j] * (row.g(i) - row.g(j)));
      Real missing = 1;  // 1 - sum of the weights, which is positive for softmax1
      for (std::size_t j = 0; j < row.length(); ++j)
        if (row.present(j)) missing -= s.b[j];
      row.out[i] = s.a[i] * (sum_of(differences) + missing * row.g(i));
    }
  });
}

void gradient_with_zero(Row& row) {  // softmax's product on the longer row, whose last upstream is 0
  Row longer = with_zero(row);
  longer.out.push_back(0);
  gradient(softmax_slope)(longer);
  row.out.assign(longer.out.begin(), longer.out.end() - 1);
}

// The terms that entry i gets as one of the tied logits of an end: from pairs of tied logits, and from the others.
void add_end(const Row& row, std::size_t i, const Reals& weights, const Reals& shares,
             const std::function<Real(Real)>& factor, Reals& ends) {
  for (std::size_t j = 0; j < row.length(); ++j) {
    if (shares[i] == 0 || !row.present(j)) continue;
    ends.push_back(shares[i] * weights[j] * (shares[j] > 0 ? row.g(i) - row.g(j) : -factor(row.z(j)) * row.g(j)));
  }
}

// Variants 1 to 3 without a mean: sum_j p_j (f_i (g_i - g_j) + (f_i - f_j) g_j). Rows beyond 256 use the mean, as this
// is quadratic.
RowFunction adjusted_by_pairs(int variant) {
  return guarded(default_contract("softmax-vjp"), [variant](Row& row) {
    const Adjustment a = adjustment_of(variant, row);
    if (row.length() > 256) return adjusted_gradient(variant)(row);
    if (a.unit == 0) return;
    const Reals weights = softmax_weights(row);
    const auto above = [&a](Real z) { return (z - a.low) / a.unit; };
    const auto below = [&a](Real z) { return a.with_range ? (a.high - z) / a.unit : Real{1}; };
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.present(i)) continue;
      Reals terms, ends;
      for (std::size_t j = 0; j < row.length(); ++j) {
        if (!row.present(j)) continue;
        const Real step = (row.z(i) - row.z(j)) / a.unit * row.g(j);
        terms.push_back(weights[i] * weights[j] * (above(row.z(i)) * (row.g(i) - row.g(j)) + step));
      }
      add_end(row, i, weights, a.at_low, below, ends);
      add_end(row, i, weights, a.at_high, above, ends);
      if (a.at_low[i] == 0 && a.at_high[i] == 0) ends.push_back(weights[i] * row.g(i));
      row.out[i] = sum_of(terms) / row.t() + sum_of(ends) / a.unit;
    }
  });
}

}  // namespace

std::vector<Fault> unusual_others() {
  const Contract slope_contract = default_contract("softmax-vjp");
  return {
      right("sparsemax.sorted", "sparsemax", f32, "by sorting", sparsemax()),
      right("sparsemax.michelot", "sparsemax", f32, "by dropping what lies below the mean threshold",
            sparsemax(by_dropping)),
      right("sparsemax.f16", "sparsemax", f16, "f16 rows, wide arithmetic", sparsemax()),
      right("sparsemax.f64", "sparsemax", f64, "f64 rows, exact sums", sparsemax()),
      right("entmax15.closed", "entmax-1.5", f32, "the closed form", entmax({closed_form_three_halves, alpha_of})),
      right("entmax15.bisection", "entmax-1.5", f32, "bisection to the last bit", entmax({bisected, alpha_of})),
      right("entmax.newton", "entmax", f32, "Newton's iteration from the left", entmax()),
      right("entmax.bisection", "entmax", bf16, "bisection to the last bit", entmax({bisected, alpha_of})),
      right("ssmax.powers", "ssmax", f32, "powers of n", guarded(default_contract("ssmax"), powers_of_n)),
      right("softmax1.longer-row", "softmax1", f32, "softmax of the row with one more 0",
            guarded(default_contract("softmax1"), softmax_with_zero)),
      right("top-k.repeated-maximum", "top-k-softmax", f32, "k times the largest of the rest",
            top_k(by_repeated_maximum)),
      right("sigmoid.softplus", "sigmoid", f32, "exp(-softplus(-x))", sigmoid(by_softplus)),
      right("sigmoid.f16", "sigmoid", f16, "f16 rows, wide arithmetic", sigmoid()),
      right("sigmoid-normalized.logarithms", "sigmoid-normalized", f32, "softmax of -softplus(-z)",
            sigmoid_normalized()),
      right("relu-normalized.scaled", "relu-normalized", f32, "scaled by the largest first",
            separable(positive_parts, default_contract("relu-normalized"), by_largest)),
      right("taylor.squares", "taylor-softmax", f32, "a sum of squares for order 2, scaled by the largest",
            separable(by_powers, default_contract("taylor-softmax"), by_largest)),
      right("sa-v0.plain", "sa-softmax-v0", f32, "by the definition", self_adjusted(adjustment(0))),
      right("sa-v1.plain", "sa-softmax-v1", f32, "by the definition", self_adjusted(adjustment(1))),
      right("sa-v2.plain", "sa-softmax-v2", f32, "by the definition", self_adjusted(adjustment(2))),
      right("sa-v3.plain", "sa-softmax-v3", f32, "by the definition", self_adjusted(adjustment(3))),
      right("softmax-vjp.differences", "softmax-vjp", f32, "sum of p_j (g_i - g_j)", centred(softmax_slope)),
      right("softmax-vjp.f16", "softmax-vjp", f16, "f16 rows, wide arithmetic", gradient(softmax_slope)),
      right("log-softmax-vjp.plain", "log-softmax-vjp", f32, "by the definition", log_softmax_gradient()),
      right("sparsemax-vjp.plain", "sparsemax-vjp", f32, "on the exact support", gradient(sparsemax_slope)),
      right("entmax15-vjp.plain", "entmax-1.5-vjp", f32, "by the definition", gradient(entmax_slope)),
      right("entmax-vjp.plain", "entmax-vjp", f32, "by the definition", gradient(entmax_slope)),
      right("ssmax-vjp.plain", "ssmax-vjp", f32, "by the definition", gradient(ssmax_slope)),
      right("softmax1-vjp.longer-row", "softmax1-vjp", f32, "softmax's product on the row with one more 0",
            guarded(slope_contract, gradient_with_zero)),
      right("top-k-vjp.plain", "top-k-softmax-vjp", f32, "on the chosen entries", gradient(top_k_slope)),
      right("sigmoid-vjp.plain", "sigmoid-vjp", f32, "sigma(x) sigma(-x)", sigmoid_gradient(logistic_derivative)),
      right("sigmoid-normalized-vjp.plain", "sigmoid-normalized-vjp", f32, "by the definition",
            gradient(sigmoid_normalized_slope)),
      right("relu-normalized-vjp.plain", "relu-normalized-vjp", f32, "by the definition",
            gradient(relu_normalized_slope)),
      right("taylor-vjp.plain", "taylor-softmax-vjp", f32, "by the definition", gradient(taylor_slope)),
      right("sa-v0-vjp.plain", "sa-softmax-v0-vjp", f32, "by the definition near 0", self_adjusted_gradient()),
      right("sa-v1-vjp.pairs", "sa-softmax-v1-vjp", f32, "by differences of pairs", adjusted_by_pairs(1)),
      right("sa-v2-vjp.pairs", "sa-softmax-v2-vjp", f32, "by differences of pairs", adjusted_by_pairs(2)),
      right("sa-v3-vjp.pairs", "sa-softmax-v3-vjp", f32, "by differences of pairs", adjusted_by_pairs(3)),
      right("sa-v2-vjp.plain", "sa-softmax-v2-vjp", bf16, "bf16 rows, wide arithmetic", adjusted_gradient(2)),
  };
}

}  // namespace attncert::plain
