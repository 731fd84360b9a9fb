// Vector-Jacobian products: the forward weights with their errors, an inner product with the upstream, a difference
// that may cancel, and products. Errors are of the sizes of the terms before they cancel.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/budget_classes/row_terms.hpp"
#include "reference/normalizers/top_k_softmax.hpp"

namespace attncert::classes {
namespace {

// slope_i (g_i - sum_j share_j g_j).
struct Product {
  Terms slope, share;
  Real scale;  // slope_i is share_i times at most this, but for a factor below 1
};

Terms times(Terms terms, Real factor, Real roundings) {
  for (std::size_t i = 0; i < terms.value.size(); ++i) {
    terms.value[i] *= factor;
    terms.error[i] += roundings;
  }
  return terms;
}

Product softmax_product(std::string_view normalizer, const Row& row) {
  const Terms weights = weights_of(normalizer, row);
  if (!normalizer.starts_with("ssmax")) return {times(weights, 1 / row.t(), 2), weights, 1 / row.t()};
  const Real by =
      std::abs(static_cast<Real>(row.given.parameters.scale)) * std::log(static_cast<Real>(row.present)) / row.t();
  return {times(weights, by, 6), weights, by};
}

Product separable_product(std::string_view normalizer, const Row& row) {
  if (normalizer.starts_with("relu")) {
    const Terms terms = positive_terms(row);
    const Total sum = sum_of(row, terms);
    Terms slope{Reals(row.length(), 0), Reals(row.length(), 0)};
    const Real top = std::max<Real>(row.largest, 0);
    for (std::size_t i = 0; i < row.length(); ++i)
      if (terms.value[i] > 0) slope.value[i] = 1 / (sum.value * top), slope.error[i] = sum.error + 2;
    return {slope, shares(row, terms), top == 0 ? 0 : 1 / (sum.value * top)};
  }
  if (normalizer.starts_with("sigmoid")) {
    Terms share = shares(row, logistic_terms(row)), slope = times(share, 1 / row.t(), 3);
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.given.present(i)) continue;
      const auto [x, off] = argument_of(row, i, 0);
      slope.value[i] *= logistic(-x);
      slope.error[i] += logistic(x) * (row.arithmetic.exponential_error() + off) + 2;
    }
    return {slope, share, 1 / row.t()};
  }
  const std::uint32_t order = row.given.parameters.order;
  const Terms terms = taylor_terms(row, order, false);
  const Total sum = sum_of(row, terms);
  Terms slope = times(taylor_terms(row, order, true), 1 / (sum.value * row.t()), sum.error + 4);
  return {slope, shares(row, terms), 1 / row.t()};
}

// Errors of sum_j b_j g_j, `products` roundings of each term, and the sum of the sizes.
struct Inner {
  Real size = 0, off = 0;  // off in u
};
Inner inner_of(const Row& row, const Terms& share, Real products) {
  Inner inner;
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.given.present(i) || share.value[i] == 0) continue;
    const Real size = std::abs(share.value[i] * row.g(i));
    inner.size += size;
    inner.off += size * (share.error[i] + products);
  }
  inner.off += inner.size * row.additions();
  return inner;
}

// What products below the smallest normal number lose, in a term, in the inner product, and at the end.
Real product_floor(const Row& row, Real scale, Real slope, Real size, Real sizes) {
  return row.floor() * (scale * (size + 1) + slope * (sizes + static_cast<Real>(row.present)) + 1);
}

Real sizes_of_upstream(const Row& row) {
  Real sum = 0;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.given.present(i)) sum += std::abs(row.g(i));
  return sum;
}

}  // namespace

Reals derivative(std::string_view normalizer, const Row& row) {
  const bool of_exponentials =
      normalizer.starts_with("softmax") || normalizer.starts_with("ssmax") || normalizer.starts_with("top-k");
  const Product by = of_exponentials ? softmax_product(normalizer, row) : separable_product(normalizer, row);
  const bool of_cell = normalizer.starts_with("top-k"), of_positive = normalizer.starts_with("relu");
  const LogitRow cell = of_cell ? reference::top_k_cell(row.given) : LogitRow{};
  const Inner inner = inner_of(row, by.share, 1);
  const Real u = row.arithmetic.u, sizes = sizes_of_upstream(row);
  return at_present(row, [&](std::size_t i) -> Real {
    const Real slope = std::abs(by.slope.value[i]), size = std::abs(row.g(i)) + inner.size;
    if ((of_cell && !cell.present(i)) || (of_positive && row.z(i) <= 0)) return 0;
    // Difference and product.
    const Real error = by.slope.error[i] + 2 + inner.off / std::max(size, std::numeric_limits<Real>::min());
    return grown(error, u) * slope * size + product_floor(row, by.scale, slope, size, sizes);
  });
}

// (g_i - p_i sum g) / T
Reals log_softmax_derivative(std::string_view, const Row& row) {
  const Terms weights = weights_of("softmax", row);
  const Real u = row.arithmetic.u, sizes = sizes_of_upstream(row);
  return at_present(row, [&](std::size_t i) -> Real {
    const Real p = weights.value[i], size = std::abs(row.g(i));
    const Real off = grown(weights.error[i] + row.additions() + 4, u) * p * sizes + 3 * u * size;
    return (off + row.floor() * (sizes + 1)) / row.t() + row.floor();
  });
}

// e / (1 + e)^2 g / T, e = exp(-|x|); or s (1 - s) g / T of the rounded s, whose difference cancels next to 1. The
// slope's logarithm changes by no more than x does, and no slope within reach is above that next to 0.
Reals sigmoid_derivative(std::string_view, const Row& row) {
  const Arithmetic& by = row.arithmetic;
  return at_present(row, [&](std::size_t i) -> Real {
    const Real bias = row.given.parameters.bias;
    const auto [x, off] = argument_of(row, i, bias);
    const Real moved = off * by.u, near = std::max<Real>(std::abs(x) - moved, 0);
    const Real value = logistic(x) * logistic(-x), largest = logistic(near) * logistic(-near);
    const Real reach = moved > 1 ? largest : value * std::expm1(moved);
    const Real rounded = grown(by.exponential_error() * (1 + 2 * logistic(-near)) + 8, by.u) * largest;
    const Real of_s = by.saved ? logistic_error(row, i, bias) : 0;
    const Real g = std::abs(row.g(i)) / row.t();
    return (reach + rounded + (logistic(x) + of_s) * of_s) * g + row.floor() * (2 * g + 1);
  });
}

// By the product rule, in terms that may cancel: p_i (f_i g_i - sum f_j p_j g_j) / T, and the derivatives of f_i.
Reals self_adjusted_derivative(std::string_view normalizer, const Row& row) {
  const Terms weights = weights_of("softmax", row), by = factors(normalizer, row);
  const bool v0 = normalizer.starts_with("sa-softmax-v0"), v1 = normalizer.starts_with("sa-softmax-v1");
  const Real low = normalizer.starts_with("sa-softmax-v3") ? std::min<Real>(row.smallest, 0) : row.smallest;
  const Real high = normalizer.starts_with("sa-softmax-v3") ? std::max<Real>(row.largest, 0) : row.largest;
  const Real unit = v0 || v1 ? row.t() : high - low, u = row.arithmetic.u;
  if (unit == 0) return Reals(row.length(), 0);
  Terms products = weights, above = weights;
  for (std::size_t i = 0; i < row.length(); ++i) {
    products.value[i] *= by.value[i];
    products.error[i] += by.error[i];
    above.value[i] *= v0 ? 0 : v1 ? 1 : (high - row.z(i)) / unit;
    above.error[i] += 4;
  }
  const Inner factor = inner_of(row, products, 1), rest = inner_of(row, above, 1), plain = inner_of(row, weights, 1);
  return at_present(row, [&](std::size_t i) -> Real {
    const Real p = weights.value[i], g = std::abs(row.g(i)), f = std::abs(by.value[i]);
    const Real inner = grown(weights.error[i] + 8, u) * p * (f * g + factor.size) + p * u * factor.off;
    Real ended = grown(weights.error[i] + 4, u) * p * g;
    if (!v0 && (row.z(i) == low || row.z(i) == high))
      ended += u * (rest.off + factor.off) + 6 * u * (rest.size + factor.size);
    const Real floor = row.floor() * ((f + 1) * g + factor.size + plain.size + 1) * (1 / row.t() + 1 / unit);
    return inner / row.t() + ended / unit + floor + row.floor();
  });
}

}  // namespace attncert::classes
