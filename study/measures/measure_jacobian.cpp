// Lemma 2 and Figure 5 on a captured row: the exact norm beside what difference quotients see of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/bounds/device/operator_norms.hpp"
#include "src/bounds/device/row_sums.hpp"
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

// One row at one temperature.
struct LineAsked {
  const CapturedRow* row;
  JacobianLine line;
};

Result<std::vector<bounds::SoftmaxJacobian>> softmax_norms(std::span<const LineAsked> asked,
                                                           const device::Device* device) {
  std::vector<bounds::Weighted> p;
  for (const auto& [row, line] : asked)
    p.push_back(bounds::weights_of("softmax", {row->logits.begin(), row->logits.end()}, line.temperature,
                                   Weighting().parameters));
  std::vector<bounds::SoftmaxJacobian> norms;
  std::vector<bounds::AskedWeights> weights;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const double T = asked[i].line.temperature;
    if (device == nullptr) norms.push_back(bounds::softmax_jacobian<double>(p[i].values, T, p[i].relative));
    else weights.push_back({p[i].values, p[i].relative, T});
  }
  if (device == nullptr) return norms;
  return bounds::device_softmax_jacobians(*device, weights);
}

void softmax_line(const CapturedRow& row, const bounds::SoftmaxJacobian& norms,
                  const std::vector<std::vector<double>>& random, JacobianLine& line) {
  const std::vector<double> logits(row.logits.begin(), row.logits.end());
  const double T = line.temperature;
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

Result<std::vector<bounds::OperatorNorm>> any_norms(std::span<const LineAsked> asked, const Weighting& weighting,
                                                    const device::Device* device) {
  std::vector<bounds::OperatorNorm> norms;
  std::vector<std::vector<double>> logits;
  std::vector<bounds::AskedNorm> rows;
  for (const auto& [row, line] : asked) logits.emplace_back(row->logits.begin(), row->logits.end());
  for (std::size_t i = 0; i < asked.size(); ++i)
    rows.push_back({weighting.normalizer, logits[i], asked[i].line.temperature, &weighting.parameters});
  if (device != nullptr) return bounds::device_operator_norms(*device, rows);
  for (const auto& [normalizer, row, T, parameters] : rows)
    norms.push_back(bounds::operator_norm<double>(normalizer, row, T, parameters));
  return norms;
}

void any_line(const bounds::OperatorNorm& norms, JacobianLine& line) {
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

Result<Done> measure_jacobians(std::span<const AskedJacobian> asked, const Weighting& weighting,
                               const MeasurePlan& plan, const device::Device* device, RandomDirections& random,
                               std::vector<JacobianLine>& lines) {
  std::vector<LineAsked> all;
  for (const auto& [row, longest] : asked) {
    std::vector<double> temperatures{weighting.temperature};
    if (longest) temperatures.insert(temperatures.end(), plan.temperatures.begin(), plan.temperatures.end());
    std::sort(temperatures.begin(), temperatures.end());
    temperatures.erase(std::unique(temperatures.begin(), temperatures.end()), temperatures.end());
    for (const double T : temperatures) {
      LineAsked& one = all.emplace_back(LineAsked{row, {}});
      one.line.row = key(*row);
      one.line.own = T == weighting.temperature ? 1 : 0;
      one.line.temperature = T;
    }
  }
  constexpr std::size_t at_once = 256;  // whose weights are in memory
  for (std::size_t first = 0; first < all.size(); first += at_once) {
    const auto some = std::span(all).subspan(first, std::min(at_once, all.size() - first));
    const bool softmax = weighting.normalizer == "softmax";
    std::vector<bounds::SoftmaxJacobian> norms;
    std::vector<bounds::OperatorNorm> others;
    Error error;
    if (softmax && !take(softmax_norms(some, device), norms, error)) return error;
    if (!softmax && !take(any_norms(some, weighting, device), others, error)) return error;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const CapturedRow& row = *some[i].row;
      if (softmax) softmax_line(row, norms[i], random.of(row.logits.size()), some[i].line);
      else any_line(others[i], some[i].line);
      lines.push_back(some[i].line);
    }
  }
  return Done{};
}

}  // namespace attncert
