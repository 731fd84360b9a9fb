// Norms of softmax's Jacobian from the weights: every one is a homogeneous function of degree 0 of the weights,
// computed in units in which nothing cancels and nothing underflows (secular.hpp). Proofs: docs/bounds.md, "Jacobian of
// softmax".
#include "src/bounds/jacobian.hpp"

#include <algorithm>
#include <cmath>

#include "src/bounds/passed_sums.hpp"
#include "src/bounds/secular.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;

// By how many factors of a weight, numerator and denominator, a quantity can change: |d ln(quantity)| <= degree max |d
// ln w|.
constexpr int degree_of_norm = 2, degree_of_upper = 4, degree_of_root = 4, degree_of_lower = 6;

// The weights in units of 2^-lead of the largest's binade: w_1 = first, w_2 = second 2^-lead, sigma = total 2^0.
struct Parts {
  explicit Parts(const Spectrum& s)
      : first(s.first),
        scale(std::ldexp(1.0, -s.lead)),
        second(s.second),
        rest(s.sum),
        tail(std::max(0.0, s.sum - s.second)),
        squares(s.squares),
        sigma(total(s).mantissa),
        lead(s.lead),
        error(s.sum_error) {}
  double first, scale, second, rest, tail, squares, sigma;
  int lead;
  double error;
};

// p_1 (1 - p_1) = w_1 R / sigma^2
Scaled entry(const Parts& p) { return {p.first * p.rest / (p.sigma * p.sigma), -p.lead, 3 * p.error + 16 * u}; }

// p_1 (1 - p_1 + p_2) = w_1 (R + w_2) / sigma^2
Scaled upper(const Parts& p) {
  return {p.first * (p.rest + p.second) / (p.sigma * p.sigma), -p.lead, 3 * p.error + 17 * u};
}

// ell = [2 p1 p2 + t (p1 + p2) + sqrt(4 p1^2 p2^2 + t^2 (p1 - p2)^2)] / 2, t = 1 - p1 - p2: no difference but p1 - p2
// and the tail itself, whose error, sum_error times w_2 + tail, is small beside 2 w_1 w_2 + tail (w_1 + w_2).
Scaled lower(const Parts& p) {
  const double small = p.second * p.scale;
  const double product = 2 * p.first * p.second, far = p.tail * (p.first - small);
  const double sum = product + p.tail * (p.first + small) + std::sqrt(product * product + far * far);
  return {sum / (2 * p.sigma * p.sigma), -p.lead, 6 * p.error + 40 * u};
}

// A (1 - A) = (w_1^2 + Q) (2 w_1 R + R^2 - Q) / sigma^4; Q <= w_2 R, so R^2 - Q + 2 w_1 R >= R^2.
Scaled root_bound(const Parts& p) {
  const double mass = p.first * p.first + p.squares * p.scale * p.scale;
  const double pairs = 2 * p.first * p.rest + p.scale * (p.rest * p.rest - p.squares);
  const bool odd = p.lead % 2 != 0;
  const double inside = mass * pairs * (odd ? 0.5 : 1.0);
  return {std::sqrt(std::max(0.0, inside)) / (p.sigma * p.sigma), -(p.lead / 2), 6 * p.error + 40 * u};
}

}  // namespace

bool jacobian_asked_well(double temperature, double relative_error) {
  return temperature > 0 && !std::isinf(temperature) && relative_error >= 0 && relative_error < 1;
}

SoftmaxJacobian unknown_jacobian() {
  return {unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown};
}

SoftmaxJacobian jacobian_of(const Spectrum& spectrum, const SecularRoot& root, double temperature,
                            double relative_error) {
  const Parts parts(spectrum);
  const double norm = input_error(relative_error, degree_of_norm);
  const Scaled sigma = total(spectrum);
  SoftmaxJacobian out;
  out.spectral = over_temperature(ratio(eigenvalue_of(root), sigma), temperature, norm);
  out.frobenius = over_temperature(ratio(frobenius_norm(spectrum), sigma), temperature, norm);
  Scaled largest = entry(parts);
  out.entry = over_temperature(largest, temperature, norm);
  largest.exponent += 1;
  out.row_sum = over_temperature(largest, temperature, norm);
  out.lower = over_temperature(lower(parts), temperature, input_error(relative_error, degree_of_lower));
  out.upper = over_temperature(upper(parts), temperature, input_error(relative_error, degree_of_upper));
  out.root_bound = over_temperature(root_bound(parts), temperature, input_error(relative_error, degree_of_root));
  out.quarter = over_temperature({1, -2, 0}, temperature, 0);
  out.half = over_temperature({1, -1, 0}, temperature, 0);
  return out;
}

template <class T>
SoftmaxJacobian softmax_jacobian(std::span<const T> weights, double temperature, double relative_error) {
  Spectrum spectrum;
  if (!jacobian_asked_well(temperature, relative_error) || !spectrum_of(weights, spectrum)) return unknown_jacobian();
  return jacobian_of(spectrum, largest_root(spectrum), temperature, relative_error);
}

template SoftmaxJacobian softmax_jacobian<float>(std::span<const float>, double, double);
template SoftmaxJacobian softmax_jacobian<double>(std::span<const double>, double, double);

}  // namespace attncert::bounds
