#include "properties/conformance/faults/separable_steps.hpp"

#include <algorithm>
#include <cmath>

#include "properties/conformance/faults/exponential_steps.hpp"

namespace attncert::plain {

Real logistic(Real x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

Real biased(const Row& row, std::size_t i) { return row.z(i) / row.t() + static_cast<Real>(row.parameters.bias); }

RowFunction sigmoid(std::function<Real(Real)> function, Argument argument, Contract contract) {
  return guarded(std::move(contract), [function = std::move(function), argument = std::move(argument)](Row& row) {
    row.out = at_present(row, [&](std::size_t i) { return function(argument(row, i)); });
  });
}

Reals sigmoid_normalized_weights(const Row& row) {
  const Real top = largest_present(row) / row.t();
  const auto logarithm = [](Real x) { return x >= 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x)); };
  return shares(
      at_present(row, [&](std::size_t i) { return std::exp(logarithm(row.z(i) / row.t()) - logarithm(top)); }));
}

RowFunction sigmoid_normalized(Contract contract) {
  return guarded(std::move(contract), [](Row& row) { row.out = sigmoid_normalized_weights(row); });
}

Reals positive_parts(const Row& row) {
  return at_present(row, [&](std::size_t i) { return std::max(row.z(i), Real{0}); });
}

// Horner: 1 + x (1 + x/2 (1 + x/3 (...))), as a sum of two numbers: at x = -14 order 48 loses 40 bits to cancellation
// (docs/budgets.md, taylor-softmax), and one long double has 64.
Real taylor(Real x, std::uint32_t order, Real unit) {
  Real high = 1, low = 0, one = 1;
  for (std::uint32_t n = order; n >= 1; --n) {
    const Real divisor = static_cast<Real>(n), step = x / unit, ratio = step / divisor;
    const Real rest = std::fma(-ratio, divisor, step) / divisor, product = ratio * high;
    const Real lost = std::fma(ratio, high, -product) + (ratio * low + rest * high);
    one /= unit;
    high = one + product;
    const Real added = high - one;
    low = (one - (high - added)) + (product - added) + lost;
  }
  return high + low;
}

Real taylor_unit(const Row& row) {
  Real largest = 0;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) largest = std::max(largest, std::abs(row.z(i) / row.t()));
  return largest <= 0x1p64L ? 1 : std::ldexp(Real{1}, std::ilogb(largest) + 1);
}

Reals taylor_values(const Row& row) {
  const Real unit = taylor_unit(row);
  return at_present(row, [&](std::size_t i) { return taylor(row.z(i) / row.t(), row.parameters.order, unit); });
}

Reals shares(const Reals& values) {
  const Real sum = sum_of(values);
  Reals result(values.size(), 0);
  for (std::size_t i = 0; i < values.size() && sum != 0; ++i) result[i] = values[i] / sum;
  return result;
}

RowFunction separable(Values values, Contract contract, std::function<Reals(const Reals&)> divide) {
  return guarded(std::move(contract), [values = std::move(values), divide = std::move(divide)](Row& row) {
    const Reals weights = divide(values(row));
    row.out = at_present(row, [&](std::size_t i) { return weights[i]; });
  });
}

}  // namespace attncert::plain
