// sigmoid, sigmoid-normalized, relu-normalized, taylor-softmax, and the factors of self-adjusted softmax: every term is
// a function of its own logit.
#include <algorithm>
#include <cmath>

#include "properties/conformance/budget_classes/row_terms.hpp"

namespace attncert::classes {
namespace {

Terms terms_at(const Row& row, const std::function<Argument(std::size_t)>& term) {
  Terms terms{Reals(row.length(), 0), Reals(row.length(), 0)};
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.given.present(i)) continue;
    const auto [value, error] = term(i);
    terms.value[i] = value;
    terms.error[i] = error;
  }
  return terms;
}

// log F_order(x), and the sum of the roundings of all terms x^k / k! beside F. By Horner's rule and by sums of powers a
// term takes k times those of x, a coefficient, a product and an addition, and one addition more.
struct Polynomial {
  Real logarithm, error, sign;
};

Polynomial taylor(Real x, std::uint32_t order, Real of_argument) {
  constexpr Real steep = 1e60L;  // here the last term is all that counts
  const auto n = static_cast<Real>(order);
  if (std::abs(x) > steep)
    return {n * std::log(std::abs(x)) - std::lgamma(n + 1), (3 + of_argument) * n + 1,
            x < 0 && order % 2 == 1 ? -1.0L : 1};
  Real term = 1, value = 1, error = 1;
  for (std::uint32_t k = 1; k <= order; ++k) {
    term *= x / static_cast<Real>(k);
    value += term;
    error += std::abs(term) * ((3 + of_argument) * static_cast<Real>(k) + 1);
  }
  const Real size = std::max(std::abs(value), error * 0x1p-90L);  // at a root the error is all there is
  return {std::log(size), error / size, value < 0 ? -1.0L : 1};
}

}  // namespace

Argument argument_of(const Row& row, std::size_t i, Real bias) {
  const Real quotient = row.z(i) / row.t(), value = quotient + bias, u = row.arithmetic.u;
  Real off = grown(row.of_temperature(), u) * std::abs(quotient);
  if (bias != 0) {
    off += std::abs(bias) * u;           // its rounding to the type
    off += (std::abs(value) + off) * u;  // that of the sum, which is the sum of what was rounded
  }
  return {value, off / u};
}

Real logistic_error(const Row& row, std::size_t i, Real bias) {
  const Real u = row.arithmetic.u, E = row.arithmetic.exponential_error();
  const auto [x, off] = argument_of(row, i, bias);
  const Real moved = off * u, far = logistic(x + moved);
  // sigma(x + m) - sigma(x) = sigma(x + m) sigma(-x) (1 - e^-m), and so on the other side; then the steps round there.
  const Real reach = -std::expm1(-moved) * std::max(far * logistic(-x), logistic(x) * logistic(moved - x));
  return reach + grown(logistic(moved - x) * E + 2, u) * far;
}

// Scaled, where all are small, by their largest: the depth below it is rounded once or twice then.
Terms logistic_terms(const Row& row) {
  const Real E = row.arithmetic.exponential_error(), top = row.largest / row.t();
  const Real scale = top < 0 ? top : 0;
  return terms_at(row, [&](std::size_t i) -> Argument {
    const auto [x, off] = argument_of(row, i, 0);
    const Real depth = scale < 0 ? 3 * (top - x) : 0;
    const Real value = x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x - scale) / (1 + std::exp(x));
    return {value, logistic(-x) * (E + off + depth) + 2};
  });
}

Terms positive_terms(const Row& row) {
  const Real top = std::max<Real>(row.largest, 0);
  return terms_at(row, [&](std::size_t i) -> Argument {
    return {top == 0 ? 0 : std::max<Real>(row.z(i), 0) / top, 1};
  });
}

Terms taylor_terms(const Row& row, std::uint32_t order, bool of_slope) {
  Real largest = 0;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.given.present(i)) largest = std::max(largest, taylor(row.z(i) / row.t(), order, 0).logarithm);
  return terms_at(row, [&](std::size_t i) -> Argument {
    const Polynomial F = taylor(row.z(i) / row.t(), of_slope ? order - 1 : order, row.of_temperature());
    return {F.sign * std::exp(F.logarithm - largest), F.error};
  });
}

Terms factors(std::string_view normalizer, const Row& row) {
  const bool v0 = normalizer.starts_with("sa-softmax-v0"), v1 = normalizer.starts_with("sa-softmax-v1");
  const bool v3 = normalizer.starts_with("sa-softmax-v3");
  const Real low = v0 ? 0 : v3 ? std::min<Real>(row.smallest, 0) : row.smallest;
  const Real high = v3 ? std::max<Real>(row.largest, 0) : row.largest;
  const Real unit = v0 || v1 ? row.t() : high - low;
  // Difference, range and quotient, and the product with the weight.
  return terms_at(row, [&](std::size_t i) -> Argument { return {unit == 0 ? 0 : (row.z(i) - low) / unit, 4}; });
}

Reals separable(std::string_view normalizer, const Row& row) {
  const Terms terms = normalizer.starts_with("sigmoid") ? logistic_terms(row)
                      : normalizer.starts_with("relu")  ? positive_terms(row)
                                                        : taylor_terms(row, row.given.parameters.order, false);
  const bool has_zeros = normalizer.starts_with("relu");
  return absolute(row, shares(row, terms),
                  [&](std::size_t i) { return has_zeros && terms.value[i] == 0 ? 0 : row.floor(); });
}

Reals sigmoid(std::string_view, const Row& row) {
  return at_present(row,
                    [&](std::size_t i) { return logistic_error(row, i, row.given.parameters.bias) + row.floor(); });
}

Reals self_adjusted(std::string_view normalizer, const Row& row) {
  Terms products = weights_of("softmax", row);
  const Terms by = factors(normalizer, row);
  for (std::size_t i = 0; i < row.length(); ++i) {
    products.value[i] *= by.value[i];
    products.error[i] += by.error[i];
  }
  return absolute(row, products, [&](std::size_t i) { return (std::abs(by.value[i]) + 1) * row.floor(); });
}

}  // namespace attncert::classes
