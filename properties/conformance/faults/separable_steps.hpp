// Normalizers that apply a function to each logit by itself: sigmoid, and sigmoid, ReLU and Taylor polynomial divided
// by their sum.
#pragma once

#include <functional>

#include "properties/conformance/faults/plain_contract.hpp"

namespace attncert::plain {

Real logistic(Real x);

using Argument = std::function<Real(const Row&, std::size_t i)>;
Real biased(const Row& row, std::size_t i);  // z_i / T + b
RowFunction sigmoid(std::function<Real(Real)> function = logistic, Argument argument = biased,
                    Contract contract = default_contract("sigmoid"));

// ln sigma, shifted by its largest, so that a row of very negative logits keeps its shares.
Reals sigmoid_normalized_weights(const Row& row);
RowFunction sigmoid_normalized(Contract contract = default_contract("sigmoid-normalized"));

using Values = std::function<Reals(const Row&)>;  // F(z_i) at present entries, 0 elsewhere
Reals positive_parts(const Row& row);
// (1 + x + ... + x^n / n!) / unit^n, n = order. The unit of a row is a power of two, and 1 but where the powers of some
// z / T would overflow.
Real taylor(Real x, std::uint32_t order, Real unit = 1);
Real taylor_unit(const Row& row);
Reals taylor_values(const Row& row);  // at x = z_i / T, in the unit of the row
// values / their sum; zeros where the sum is 0.
Reals shares(const Reals& values);
RowFunction separable(Values values, Contract contract, std::function<Reals(const Reals&)> divide = shares);

}  // namespace attncert::plain
