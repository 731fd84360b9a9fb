#include "study/claims/logit_sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/bounds/ball.hpp"
#include "src/bounds/softmax_row.hpp"

namespace attncert {
namespace {

using bounds::Certified;

// What weights that underflowed may change: each is off by 2^-1069 at most, a norm of the Jacobian by that times 2 (L +
// 1), and its bounds, whose slopes in the weights are below 8, by less than 16 (L + 1) times it (docs/bounds.md); over
// T >= 2^-100.
constexpr double underflow = 0x1p-900;

bounds::SoftmaxJacobian jacobian(std::span<const double> logits, double temperature) {
  std::vector<double> weights;
  const double relative = bounds::softmax_row(logits, temperature, weights);
  bounds::SoftmaxJacobian norms = bounds::softmax_jacobian<double>(weights, temperature, relative);
  const bool faint = std::ranges::any_of(weights, [](double p) { return p < 0x1p-1000; });
  for (Certified* number :
       {&norms.spectral, &norms.frobenius, &norms.entry, &norms.row_sum, &norms.lower, &norms.upper})
    if (faint) number->error = bounds::error_above(number->error + underflow);
  return norms;
}

// a - b in f64; what rounding takes is a double itself and is found by two sums (Knuth, TAOCP 2, 4.2.2).
bool needs_no_rounding(double a, double b) {
  const double difference = a - b, taken = difference - a;
  return (a - (difference - taken)) + (-b - taken) == 0;
}

// With l_1 >= l_2 the two largest and S = sum over all but the first of exp((l_j - l_2) / T), in [1, L-1]:
//   range - T log(p (L-1) / (1-p)) = (l_2 - min l) - T (log(L-1) - log S).
// An exponent is off by 3 u of itself and x exp(-x) <= 0.37, so that a term of S errs by 6 u; log by 4 u of itself and
// by S's relative error.
Certified spare_range(std::span<const double> logits, double temperature) {
  const auto L = static_cast<double>(logits.size());
  const auto first = std::max_element(logits.begin(), logits.end());
  double second = -std::numeric_limits<double>::infinity(), smallest = *first, sum = 0;
  for (auto z = logits.begin(); z != logits.end(); ++z) {
    if (z != first) second = std::max(second, *z);
    smallest = std::min(smallest, *z);
  }
  for (auto z = logits.begin(); z != logits.end(); ++z)
    if (z != first) sum += std::exp((*z - second) / temperature);
  // For two logits it is 0, which enclosures of 64 bits see where the difference needs no rounding.
  if (logits.size() == 2 && temperature == 1 && needs_no_rounding(*first, second)) return bounds::exact(0);
  const double u = bounds::roundoff, logs = std::log(L - 1) - std::log(sum);
  const Certified needed{logs, bounds::error_above(8 * L * u + 5 * u * (std::log(L) + std::log(sum + 1)))};
  return bounds::exact(second) - bounds::exact(smallest) - bounds::exact(temperature) * needed;
}

}  // namespace

LogitSides logit_sides(std::span<const float> logits, double temperature) {
  const std::vector<double> z(logits.begin(), logits.end());
  LogitSides sides;
  sides.length = z.size();
  sides.jacobian = jacobian(z, temperature);
  sides.all_equal = std::ranges::all_of(z, [&](double value) { return value == z.front(); });
  sides.spare_range = z.size() < 2 ? bounds::unknown : spare_range(z, temperature);
  return sides;
}

}  // namespace attncert
