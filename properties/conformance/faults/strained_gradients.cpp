// Derivatives whose every rounding goes the wrong way, from the strained weights of strained_steps.cpp.
#include <algorithm>
#include <cmath>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"
#include "properties/conformance/faults/strained_steps.hpp"

namespace attncert::plain {
namespace {

// The inner product of every weight and its upstream, lower by what its products and additions round off.
Real strained_inner(const Row& row, const Strained& by, const Reals& b, Real products = 1) {
  Reals sizes;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) sizes.push_back(std::abs(b[i] * row.g(i)));
  const Real size = sum_of(sizes), lost = by.total(sizes, 1) - size + products * size * by.u();
  return dot_present(row, b) - lost;
}

Slope over(const Row& row, const Reals& weights, const Strained& by, Real roundings) {
  Slope s{weights, weights};
  for (Real& a : s.a) a = by.off(a / row.t(), 1, roundings);
  return s;
}

Slope strained_slope(std::string_view normalizer, const Row& row, const Strained& by) {
  if (normalizer.starts_with("sparsemax") || normalizer.starts_with("entmax")) {
    const StrainedHeights heights = strained_heights(normalizer, row, by);
    Slope s{at_present(row,
                       [&](std::size_t i) {
                         const Real v = heights.height[i], b = heights.power;
                         return v <= 0 ? Real{0}
                                       : by.off(std::pow(v, b - 1), 1,
                                                b == 1   ? 0
                                                : b == 2 ? 1
                                                         : by.of_exponential() + std::abs(b - 1) + 1);
                       }),
            {}};
    const Real sum = by.total(s.a, -1);
    s.b = s.a;
    for (Real& b : s.b) b = by.off(b / sum, 1);
    for (Real& a : s.a) a = by.off(a / row.t(), 1, 4);
    return s;
  }
  if (normalizer.starts_with("ssmax")) {
    Slope s = over(row, strained_weights("ssmax", row, by), by, 6 + 2);
    const Real factor = static_cast<Real>(row.parameters.scale) * std::log(static_cast<Real>(count_present(row)));
    for (Real& a : s.a) a *= factor;
    return s;
  }
  if (normalizer.starts_with("softmax") || normalizer.starts_with("top-k"))
    return over(row, strained_weights(normalizer, row, by), by, 4);
  const Reals terms = strained_terms(normalizer, row, by);
  Slope s = over(row, strained_shares(by, terms), by, 3 + 2);
  if (normalizer.starts_with("relu")) {
    const Real sum = by.total(terms, -1);
    for (std::size_t i = 0; i < row.length(); ++i) s.a[i] = terms[i] > 0 ? by.off(1 / sum, 1, 4) : 0;
  } else if (normalizer.starts_with("sigmoid")) {
    for (std::size_t i = 0; i < row.length(); ++i)
      s.a[i] *= row.present(i) ? by.off(logistic(-row.z(i) / row.t()), 1, 2) : 0;
  } else {
    const Real sum = by.total(terms, -1), unit = taylor_unit(row);
    s.a = at_present(row, [&](std::size_t i) {
      return by.off(taylor(row.z(i) / row.t(), row.parameters.order - 1, unit) / sum / (unit * row.t()), 1, 6);
    });
  }
  return s;
}

void strained_log_softmax(Row& row, const Strained& by) {
  const Reals weights = strained_weights("softmax", row, by);
  const Real sum = strained_inner(row, by, Reals(row.length(), 1), 0);
  row.out =
      at_present(row, [&](std::size_t i) { return by.off(row.g(i) - by.off(weights[i], 1) * sum, 1, 3) / row.t(); });
}

// The slope is steepest next to 0.
void strained_sigmoid(Row& row, const Strained& by) {
  const auto bias = static_cast<Real>(row.parameters.bias);
  row.out = at_present(row, [&](std::size_t i) {
    const Real to = row.z(i) / row.t() + bias > 0 ? -1 : 1, g = row.g(i) / row.t();
    const Real moved = strained_argument(row, by, i, bias, to), x = to * moved > 0 ? 0 : moved;
    if (!by.saved) return by.off(logistic_derivative(x) * g, 1, by.of_exponential() + 6);
    const Real s = strained_logistic(row, by, i, bias, to);
    return by.off(s * (1 - s) * g, 1, 4);
  });
}

// By the product rule, as written: its terms cancel.
void strained_adjusted(int variant, Row& row, const Strained& by) {
  const Adjustment a = adjustment_of(variant == 0 ? 1 : variant, row);
  const Reals weights = strained_weights("softmax", row, by), factors = adjustment(variant)(row);
  const Real unit = variant == 0 ? row.t() : a.unit;
  if (unit == 0) return;
  const Reals products = at_present(row, [&](std::size_t i) { return by.off(factors[i] * weights[i], 1, 4); });
  const Reals below = at_present(row, [&](std::size_t i) {
    return variant == 0 ? 0 : variant == 1 ? weights[i] : by.off((a.high - row.z(i)) / unit * weights[i], 1, 4);
  });
  const Real inner = strained_inner(row, by, products), low = strained_inner(row, by, below);
  row.out = at_present(row, [&](std::size_t i) {
    const Real own = by.off(weights[i], 1, 4) * (factors[i] * row.g(i) - by.off(weights[i] != 0 ? inner : 0, 1));
    Real ended = by.off(weights[i] * row.g(i), 1, 2);
    if (variant != 0) ended -= a.at_low[i] * low + a.at_high[i] * inner;
    return own / row.t() + ended / unit;
  });
}

}  // namespace

RowFunction strained_derivative(std::string_view normalizer, const Strained& by) {
  if (normalizer.starts_with("log-softmax")) return [by](Row& row) { strained_log_softmax(row, by); };
  if (normalizer == "sigmoid-vjp") return [by](Row& row) { strained_sigmoid(row, by); };
  if (normalizer.starts_with("sa-softmax"))
    return [by, variant = normalizer[std::string_view("sa-softmax-v").size()] - '0'](Row& row) {
      strained_adjusted(variant, row, by);
    };
  return [normalizer, by](Row& row) {
    const Slope s = strained_slope(normalizer, row, by);
    const Real inner = strained_inner(row, by, s.b);
    for (std::size_t i = 0; i < row.length(); ++i)
      if (row.present(i) && s.a[i] != 0) row.out[i] = s.a[i] * (row.g(i) - inner);
  };
}

}  // namespace attncert::plain
