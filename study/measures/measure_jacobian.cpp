// Lemma 2 and Figure 5 on a captured row: the exact norm beside what difference quotients see of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/bounds/finite_difference.hpp"
#include "src/bounds/normalizer_weights.hpp"
#include "src/bounds/operator_norm.hpp"
#include "src/core/mixer.hpp"
#include "study/measures/measures.hpp"

namespace attncert {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// In (0, 1).
double uniform(std::uint64_t counter) { return (static_cast<double>(mixed(counter) >> 12) + 0.5) * 0x1p-52; }

// Normal numbers (Box and Muller 1958): a direction uniform on the sphere, whatever its length.
std::vector<double> random_direction(std::size_t length, std::uint64_t seed) {
  std::vector<double> direction(length);
  for (std::size_t i = 0; i < length; ++i)
    direction[i] =
        std::sqrt(-2 * std::log(uniform(seed + 2 * i))) * std::cos(2 * std::numbers::pi * uniform(seed + 2 * i + 1));
  return direction;
}

// The largest over the directions, each with both signs when asked.
double largest_quotient(const CapturedRow& row, const std::vector<std::vector<double>>& directions, bool both_signs,
                        double step, double temperature) {
  double largest = 0;
  for (const std::vector<double>& direction : directions) {
    largest = std::max(largest, bounds::difference_quotient<float>(row.logits, direction, step, temperature).value);
    if (!both_signs) continue;
    std::vector<double> back(direction);
    for (double& x : back) x = -x;
    largest = std::max(largest, bounds::difference_quotient<float>(row.logits, back, step, temperature).value);
  }
  return largest;
}

// nan of an unknown number.
double relative(bounds::Certified number) { return number.error == 0 ? 0 : number.error / std::fabs(number.value); }

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? none : std::max(a, b); }

void softmax_line(const CapturedRow& row, const std::vector<std::vector<double>>& random, JacobianLine& line) {
  const std::vector<double> logits(row.logits.begin(), row.logits.end());
  const double T = line.temperature;
  const bounds::Weighted p = bounds::weights_of("softmax", logits, T, Weighting().parameters);
  const bounds::SoftmaxJacobian norms = bounds::softmax_jacobian<double>(p.values, T, p.relative);
  line.spectral = norms.spectral.value;
  line.lower = norms.lower.value;
  line.upper = norms.upper.value;
  line.quarter = norms.quarter.value;
  line.half = norms.half.value;
  line.frobenius = norms.frobenius.value;
  line.error = larger(relative(norms.spectral), relative(norms.frobenius));
  if (logits.size() < 2) return;
  const std::vector<std::vector<double>> eigenvector{bounds::top_eigenvector(logits, T)},
      pair{bounds::top_two_direction(logits)};
  for (std::size_t k = 0; k < difference_steps.size(); ++k) {
    line.random[k] = largest_quotient(row, random, false, difference_steps[k], T);
    line.eigenvector[k] = largest_quotient(row, eigenvector, true, difference_steps[k], T);
    line.pair[k] = largest_quotient(row, pair, true, difference_steps[k], T);
  }
}

void any_line(const CapturedRow& row, const Weighting& weighting, JacobianLine& line) {
  const bounds::OperatorNorm norms =
      bounds::operator_norm<float>(weighting.normalizer, row.logits, line.temperature, &weighting.parameters);
  line.spectral = norms.spectral.value;
  line.frobenius = norms.frobenius.value;
  line.error = larger(relative(norms.spectral), relative(norms.frobenius));
  line.lower = line.upper = line.quarter = line.half = none;
  line.random.fill(none);
  line.eigenvector.fill(none);
  line.pair.fill(none);
}

}  // namespace

const std::vector<std::vector<double>>& RandomDirections::of(std::size_t length) {
  std::vector<std::vector<double>>& directions = by_length_[length];
  for (std::size_t k = directions.size(); k < count_; ++k)
    directions.push_back(random_direction(length, mixed(seed_ + (k << 32))));
  return directions;
}

void measure_jacobian(const CapturedRow& row, const Weighting& weighting, const MeasurePlan& plan, bool longest,
                      RandomDirections& random, std::vector<JacobianLine>& lines) {
  const bool softmax = weighting.normalizer == "softmax";
  std::vector<double> temperatures{weighting.temperature};
  if (longest) temperatures.insert(temperatures.end(), plan.temperatures.begin(), plan.temperatures.end());
  std::sort(temperatures.begin(), temperatures.end());
  temperatures.erase(std::unique(temperatures.begin(), temperatures.end()), temperatures.end());
  for (const double T : temperatures) {
    JacobianLine line;
    line.row = key(row);
    line.own = T == weighting.temperature ? 1 : 0;
    line.temperature = T;
    softmax ? softmax_line(row, random.of(row.logits.size()), line) : any_line(row, weighting, line);
    lines.push_back(line);
  }
}

}  // namespace attncert
