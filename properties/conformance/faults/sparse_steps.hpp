// sparsemax, 1.5-entmax and alpha-entmax in plain arithmetic: a threshold, then a power of the excess over it.
#pragma once

#include <functional>

#include "properties/conformance/faults/plain_contract.hpp"

namespace attncert::plain {

// The present logits, largest first.
std::vector<double> descending(const Row& row);

// Sparsemax: the support is the longest prefix of the sorted row with T + k z_(k) > z_(1) + ... + z_(k) (Held, Wolfe
// and Crowder 1974). Exact where long double cannot decide.
using Support = std::function<std::size_t(const Row&, const std::vector<double>& sorted)>;
std::size_t projected_support(const Row& row, const std::vector<double>& sorted);
Reals sparsemax_weights(const Row& row, const Support& support = projected_support);
RowFunction sparsemax(Support support = projected_support, Contract contract = default_contract("sparsemax"));

// entmax: weights [x_i - threshold]_+^(1 / (alpha - 1)) of x_i = (alpha - 1) (z_i - max z) / T.
Real alpha_of(const Row& row);  // 3/2 for "entmax-1.5", which reads no parameter: the row carries the default
// A threshold as a number and what it lies below that number. Beyond alpha = 2 the support's lowest entry may lie above
// the threshold by far less than its own last digit and still weigh: 10^-64 above it weighs 0.1 at alpha = 65.
struct Cut {
  Cut(Real number, Real lies_below = 0) : at(number), gap(lies_below) {}
  Real value() const { return at - gap; }
  Real at, gap;
};
using Threshold = std::function<Cut(const Reals& x, Real alpha)>;  // x: the present entries, largest (0) first
Real closed_form_three_halves(const Reals& x, Real alpha);         // alpha is 3/2
Cut safeguarded_newton(const Reals& x, Real alpha);                // the gap below the support's lowest entry
Cut bisected(const Reals& x, Real alpha);

struct EntmaxSteps {
  Threshold threshold = safeguarded_newton;
  std::function<Real(const Row&)> alpha = alpha_of;
};
Reals entmax_weights(const Row& row, const EntmaxSteps& steps = {});
RowFunction entmax(EntmaxSteps steps = {}, Contract contract = default_contract("entmax"));

Real power(Real base, Real exponent);                   // 0 at base <= 0
Real mass(const Reals& x, const Cut& cut, Real alpha);  // the sum of the weights at that threshold

}  // namespace attncert::plain
