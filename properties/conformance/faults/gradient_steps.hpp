// Vector-Jacobian products in plain arithmetic. All except those of sigmoid, log-softmax and self-adjusted softmax have
// the form (J^T g)_i = a_i (g_i - sum_j b_j g_j), with two vectors a, b that depend on the normalizer.
#pragma once

#include <functional>

#include "properties/conformance/faults/plain_contract.hpp"

namespace attncert::plain {

struct Slope {
  Reals a, b;
};
using SlopeOf = std::function<Slope(const Row&)>;
using Dot = std::function<Real(const Row&, const Reals& b)>;  // sum_j b_j g_j
Real dot_present(const Row& row, const Reals& b);
RowFunction gradient(SlopeOf slope, Dot dot = dot_present, Contract contract = default_contract("softmax-vjp"));

Slope softmax_slope(const Row& row);  // a = p / T, b = p
Slope ssmax_slope(const Row& row);
Slope softmax1_slope(const Row& row);
Slope top_k_slope(const Row& row);
Slope sparsemax_slope(const Row& row);  // a = 1 / T and b = 1 / k on the support
Slope entmax_slope(const Row& row);     // s = p^(2 - alpha): a = s / T, b = s / sum s
Slope sigmoid_normalized_slope(const Row& row);
Slope relu_normalized_slope(const Row& row);
Slope taylor_slope(const Row& row);
Slope powers_slope(const Row& row, const Reals& weights, Real exponent);  // s = p^exponent: entmax_slope, opened up

// (J^T g)_i = g_i / T - p_i sum_j g_j / T
RowFunction log_softmax_gradient(Dot total = dot_present, Contract contract = default_contract("softmax-vjp"));
RowFunction sigmoid_gradient(std::function<Real(Real x)> derivative,
                             Contract contract = default_contract("softmax-vjp"));
Real logistic_derivative(Real x);
// p_i (g_i + x_i g_i - sum_j p_j x_j g_j) / T with x = z / T. Far from 0 it is computed in terms that do not cancel.
void self_adjusted_by_definition(Row& row);  // at any distance from 0
RowFunction self_adjusted_gradient(Contract contract = default_contract("softmax-vjp"));

// Variants 1 to 3: w_i = f_i p_i with f_i = (z_i - low) / unit. The derivative needs the ends of the range, and each
// entry's share in the derivatives of these ends.
struct Adjustment {
  Real low, high, unit;
  bool with_range;  // unit = high - low
  Reals at_low, at_high;
};
using AdjustmentOf = std::function<Adjustment(const Row&)>;
Adjustment adjustment_of(int variant, const Row& row);
RowFunction adjusted_gradient(AdjustmentOf adjust, Contract contract = default_contract("softmax-vjp"));
RowFunction adjusted_gradient(int variant);

}  // namespace attncert::plain
