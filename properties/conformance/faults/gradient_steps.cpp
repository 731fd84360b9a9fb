#include "properties/conformance/faults/gradient_steps.hpp"

#include <algorithm>
#include <cmath>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

Slope over(const Reals& weights, Real scale) {
  Slope s{weights, weights};
  for (Real& a : s.a) a *= scale;
  return s;
}

// 1 / n for the n present logits equal to `end`.
Reals shares_of_end(const Row& row, Real end, bool moves) {
  Reals at(row.length(), 0);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (moves && row.present(i) && row.z(i) == end) at[i] = 1;
  const Real count = sum_of(at);
  for (Real& share : at) share = count == 0 ? 0 : share / count;
  return at;
}

}  // namespace

Real dot_present(const Row& row, const Reals& b) {
  Reals terms;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) terms.push_back(b[i] * row.g(i));
  return sum_of(terms);
}

RowFunction gradient(SlopeOf slope, Dot dot, Contract contract) {
  return guarded(std::move(contract), [slope = std::move(slope), dot = std::move(dot)](Row& row) {
    const Slope s = slope(row);
    const Real inner = dot(row, s.b);
    for (std::size_t i = 0; i < row.length(); ++i)
      if (row.present(i) && s.a[i] != 0) row.out[i] = s.a[i] * (row.g(i) - inner);
  });
}

Slope softmax_slope(const Row& row) { return over(softmax_weights(row), 1 / row.t()); }

Slope ssmax_slope(const Row& row) {
  const Steps steps = scaled_steps();
  return over(softmax_weights(row, steps), steps.scale(row) / row.t());
}

Slope softmax1_slope(const Row& row) { return over(softmax_weights(row, sink_steps()), 1 / row.t()); }

Slope top_k_slope(const Row& row) { return over(softmax_weights(only(row, k_largest(row))), 1 / row.t()); }

Slope powers_slope(const Row& row, const Reals& weights, Real exponent) {
  Slope s{Reals(weights.size(), 0), {}};
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) s.a[i] = std::pow(weights[i], exponent);
  s.b = shares(s.a);
  for (Real& a : s.a) a /= row.t();
  return s;
}

Slope sparsemax_slope(const Row& row) { return powers_slope(row, sparsemax_weights(row), 0); }

Slope entmax_slope(const Row& row) { return powers_slope(row, entmax_weights(row), 2 - alpha_of(row)); }

Slope sigmoid_normalized_slope(const Row& row) {
  Slope s = over(sigmoid_normalized_weights(row), 1 / row.t());
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) s.a[i] *= logistic(-row.z(i) / row.t());  // 1 - sigma(x) = sigma(-x), without cancellation
  return s;
}

Slope relu_normalized_slope(const Row& row) {
  const Reals positive = positive_parts(row);
  const Real sum = sum_of(positive);
  Slope s{Reals(row.length(), 0), shares(positive)};
  for (std::size_t i = 0; i < row.length(); ++i)
    if (positive[i] > 0) s.a[i] = 1 / sum;
  return s;
}

Slope taylor_slope(const Row& row) {
  const Reals values = taylor_values(row);
  const Real sum = sum_of(values), unit = taylor_unit(row);
  const auto slope = [&](std::size_t i) {
    return taylor(row.z(i) / row.t(), row.parameters.order - 1, unit) / sum / (unit * row.t());
  };
  return {at_present(row, slope), shares(values)};
}

RowFunction log_softmax_gradient(Dot total, Contract contract) {
  return guarded(std::move(contract), [total = std::move(total)](Row& row) {
    const Reals weights = softmax_weights(row);
    const Real sum = total(row, Reals(row.length(), 1));
    row.out = at_present(row, [&](std::size_t i) { return (row.g(i) - weights[i] * sum) / row.t(); });
  });
}

Real logistic_derivative(Real x) { return logistic(x) * logistic(-x); }

RowFunction sigmoid_gradient(std::function<Real(Real)> derivative, Contract contract) {
  return guarded(std::move(contract), [derivative = std::move(derivative)](Row& row) {
    row.out = at_present(row, [&](std::size_t i) { return derivative(biased(row, i)) * row.g(i) / row.t(); });
  });
}

void self_adjusted_by_definition(Row& row) {
  const Reals weights = softmax_weights(row);
  const Real inner =
      dot_present(row, at_present(row, [&](std::size_t i) { return weights[i] * (row.z(i) / row.t()); }));
  row.out = at_present(
      row, [&](std::size_t i) { return weights[i] * (row.g(i) + row.z(i) / row.t() * row.g(i) - inner) / row.t(); });
}

namespace {

// g_i + m (g_i - sum_j p_j g_j) - d_i g_i + sum_j d_j p_j g_j with m the largest z / T and d = m - z / T. The sums take
// differences from the upstream of a largest logit, which avoids cancellation.
void self_adjusted_about_the_largest(Row& row) {
  std::size_t first = 0;
  while (!row.present(first)) ++first;
  for (std::size_t i = first; i < row.length(); ++i)
    if (row.present(i) && row.z(i) > row.z(first)) first = i;
  const Reals weights = softmax_weights(row);
  const auto depth = [&](std::size_t i) { return (row.z(first) - row.z(i)) / row.t(); };
  Real shift = 0, depths = 0;
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i) || weights[i] == 0) continue;
    shift += weights[i] * (row.g(i) - row.g(first));
    depths += weights[i] * depth(i) * row.g(i);
  }
  const Real peak = row.z(first) / row.t();
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i) || weights[i] == 0) continue;
    const Real centred = (row.g(i) - row.g(first)) - shift;
    row.out[i] = weights[i] * (row.g(i) + peak * centred - depth(i) * row.g(i) + depths) / row.t();
  }
}

bool is_far(const Row& row) {
  const Real largest = largest_present(row);
  return std::abs(largest) >= 0x1p13L * row.t() && std::isfinite(largest);
}

}  // namespace

RowFunction self_adjusted_gradient(Contract contract) {
  return guarded(std::move(contract), [](Row& row) {
    is_far(row) ? self_adjusted_about_the_largest(row) : self_adjusted_by_definition(row);
  });
}

Adjustment adjustment_of(int variant, const Row& row) {
  const Real least = smallest_present(row), most = largest_present(row);
  const bool clips = variant == 3;
  const Real low = clips ? std::min(least, Real{0}) : least, high = clips ? std::max(most, Real{0}) : most;
  return {low,
          high,
          variant == 1 ? row.t() : high - low,
          variant != 1,
          shares_of_end(row, low, !clips || least < 0),
          shares_of_end(row, high, variant == 2 || (clips && most > 0))};
}

namespace {

// p_k g_k - s_k sum_j b_j p_j g_j at the tied logits of an end (s > 0, b = 1), as a sum of differences between the tied
// logits and a sum over the others.
void write_end(const Row& row, const Reals& weights, const Reals& shares, const Reals& factors, Reals& ended) {
  std::size_t first = 0, count = 0;
  for (std::size_t i = shares.size(); i-- > 0;)
    if (shares[i] > 0) first = i, ++count;
  Reals differences, others;
  for (std::size_t j = 0; j < row.length(); ++j) {
    if (!row.present(j)) continue;
    if (shares[j] > 0) differences.push_back(row.g(j) - row.g(first));
    else others.push_back(factors[j] * weights[j] * row.g(j));
  }
  const Real tied = sum_of(differences), other = sum_of(others);
  for (std::size_t k = 0; k < row.length(); ++k) {
    if (shares[k] == 0) continue;
    const Real n = static_cast<Real>(count), rest = shares[k] == 1 / n ? 0 : (1 - shares[k] * n) * row.g(first);
    ended[k] = weights[k] * ((row.g(k) - row.g(first)) - shares[k] * tied + rest) - shares[k] * other;
  }
}

}  // namespace

// f_i g_i - sum_j f_j p_j g_j = f_max c_i - (e_i g_i - sum_j e_j p_j g_j) with e = f_max - f and c = g minus its mean.
// g is measured from the upstream of a largest logit, so that equal upstreams cancel exactly.
RowFunction adjusted_gradient(AdjustmentOf adjust, Contract contract) {
  return guarded(std::move(contract), [adjust = std::move(adjust)](Row& row) {
    const Adjustment a = adjust(row);
    if (a.unit == 0) return;
    const Reals weights = softmax_weights(row);
    const Real top = largest_present(row);
    std::size_t first = 0;
    while (!row.present(first) || row.z(first) != top) ++first;
    Reals depths = weights, below(row.length(), 1), above = below, ended = weights, differences;
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.present(i)) continue;
      depths[i] *= (top - row.z(i)) / a.unit;
      above[i] = (row.z(i) - a.low) / a.unit;
      if (a.with_range) below[i] = (a.high - row.z(i)) / a.unit;
      ended[i] *= row.g(i);
      differences.push_back(weights[i] * (row.g(i) - row.g(first)));
    }
    const Real mean = sum_of(differences), depth = dot_present(row, depths);
    write_end(row, weights, a.at_low, below, ended);
    write_end(row, weights, a.at_high, above, ended);
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.present(i)) continue;
      const Real far = (top - a.low) / a.unit * ((row.g(i) - row.g(first)) - mean);
      const Real inner = far - ((top - row.z(i)) / a.unit * row.g(i) - depth);
      row.out[i] = weights[i] * inner / row.t() + ended[i] / a.unit;
    }
  });
}

RowFunction adjusted_gradient(int variant) {
  return adjusted_gradient([variant](const Row& row) { return adjustment_of(variant, row); });
}

}  // namespace attncert::plain
