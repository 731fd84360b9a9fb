// Left of zero the terms of F_n cancel, at order 48 up to 2^41 times (docs/budgets.md), and F_(n-1) has a root there:
// Horner's scheme in quadruple precision leaves 2^-60 of F_n, and beside the root a bound in place of digits.
#include "src/bounds/taylor_terms.hpp"

#include <algorithm>
#include <cmath>

namespace attncert::bounds {
namespace {

__extension__ typedef __float128 Quad;  // IEEE binary128 of g++ and clang: 113 bits, exponents to 2^16383

constexpr double u = 0x1p-53, quad_unit = 0x1p-113;

Quad power_of_two(int exponent) {  // within +-3000
  const int part = exponent / 3;
  return Quad(std::ldexp(1.0, part)) * Quad(std::ldexp(1.0, part)) * Quad(std::ldexp(1.0, exponent - 2 * part));
}

Quad size_of(Quad x) { return x < 0 ? -x : x; }

// n! F(t) / s^n = sum of c_k v^k, v = t / s, c_k = n! / k! s^(k - n); s = 1 but for rows whose t^n might overflow.
class Polynomial {
 public:
  Polynomial(const std::vector<double>& logits, double temperature, std::size_t order)
      : temperature_(temperature), coefficients_(order + 1) {
    double most = 0;
    for (const double z : logits) most = std::max(most, std::abs(z));
    const int exponent = most > 0 ? std::ilogb(most) - std::ilogb(temperature) + 2 : 0;
    shrink_ = power_of_two(exponent > 200 ? -exponent : 0);
    coefficients_[order] = 1;
    for (std::size_t k = order; k > 0; --k)
      coefficients_[k - 1] = coefficients_[k] * Quad(static_cast<double>(k)) * shrink_;
  }

  struct Value {
    Quad weight, slope;
    Quad weight_size, slope_size;  // the sums of their terms' absolute values
  };
  Value operator()(double z) const {
    const Quad v = Quad(z) / Quad(temperature_) * shrink_, length = size_of(v);
    Value value{0, 0, 0, 0};
    Quad power = 1;
    for (std::size_t k = coefficients_.size() - 1; k-- > 0;) {
      value.slope = value.slope * v + coefficients_[k];
      value.slope_size = value.slope_size * length + coefficients_[k];
      power *= v;
    }
    value.weight = value.slope + power;
    value.weight_size = value.slope_size + size_of(power);
    return value;
  }

 private:
  double temperature_;
  Quad shrink_;
  std::vector<Quad> coefficients_;
};

}  // namespace

TaylorTerms taylor_terms(const std::vector<double>& logits, double temperature, std::size_t order) {
  constexpr double near_root = 0x1p-50;
  const Polynomial polynomial(logits, temperature, order);
  std::vector<Polynomial::Value> values;
  Quad most = 0;
  for (const double z : logits) most = std::max(most, values.emplace_back(polynomial(z)).weight);
  // Each step of Horner's scheme and each coefficient: 2 roundings a power, v 2 a power; together 6 n + 8 of the size.
  const double unit = (6 * static_cast<double>(order) + 8) * quad_unit;
  TaylorTerms terms;
  double weight_loss = 0, slope_loss = 0;
  for (const auto& [weight, slope, weight_size, slope_size] : values) {
    terms.weights.push_back(static_cast<double>(weight / most));
    terms.slopes.push_back(static_cast<double>(slope / most));
    weight_loss = std::max(weight_loss, unit * static_cast<double>(weight_size / weight));
    const double error = unit * static_cast<double>(slope_size / most), computed = std::abs(terms.slopes.back());
    if (error <= near_root * computed) slope_loss = std::max(slope_loss, error / computed);
    else terms.slope_floor = std::max(terms.slope_floor, error * (1 + 0x1p-20));
  }
  terms.weight_error = 2 * u + 2 * weight_loss;
  terms.slope_error = 2 * u + 2 * slope_loss;
  return terms;
}

}  // namespace attncert::bounds
