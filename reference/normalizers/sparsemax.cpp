// Algorithm 1 of the paper, in units of z: with z_(1) >= z_(2) >= ..., the support is the first k = max{j : T + j z_(j)
// > sum of the first j}, T tau = (their sum - T) / k. The test holds for 1..k and for no j beyond, so the walk may
// stop. Only logits above max - T can belong: tau >= max / T - 1.
#include "reference/normalizers/sparsemax.hpp"

#include <algorithm>
#include <cmath>

namespace attncert::reference {
namespace {

struct Candidate {
  Rational logit;
  std::size_t position = 0;
};

Sparsemax project(std::vector<Candidate> candidates, const Rational& temperature, std::size_t length) {
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; });
  Sparsemax result;
  result.weights.resize(length);
  Rational sum = -temperature;  // of the first k logits, less T
  for (const Candidate& c : candidates) {
    const Rational next = sum + c.logit;
    if (c.logit * Rational(result.support + 1) <= next) break;
    sum = next;
    ++result.support;
  }
  const Rational threshold = sum / Rational(result.support);
  for (std::size_t k = 0; k < result.support; ++k)
    result.weights[candidates[k].position] = (candidates[k].logit - threshold) / temperature;
  result.threshold = threshold / temperature;
  return result;
}

bool kept(std::span<const std::uint8_t> mask, std::size_t i) { return mask.empty() || mask[i] != 0; }

template <class Logit>
const Logit* largest_of(std::span<const Logit> logits, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(mask.empty() || mask.size() == logits.size());
  const Logit* largest = nullptr;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && (largest == nullptr || logits[i] > *largest)) largest = &logits[i];
  ATTNCERT_ASSERT(largest != nullptr);
  return largest;
}

}  // namespace

Sparsemax sparsemax(std::span<const Rational> logits, const Rational& temperature, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(temperature > 0);
  const Rational floor = *largest_of(logits, mask) - temperature;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && logits[i] > floor) candidates.push_back({logits[i], i});
  return project(std::move(candidates), temperature, logits.size());
}

Sparsemax sparsemax(std::span<const double> logits, double temperature, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(std::isfinite(temperature) && temperature > 0);
  const double largest = *largest_of(logits, mask);
  std::vector<Candidate> candidates;
  // A rounded difference above 2 T is above T without the rounding too; an overflow to infinity drops the logit
  // rightly.
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && !(largest - logits[i] > 2 * temperature)) candidates.push_back({exact(logits[i]), i});
  return project(std::move(candidates), exact(temperature), logits.size());
}

std::vector<Interval> enclose(std::span<const Rational> values, Precision precision) {
  std::vector<Interval> row;
  row.reserve(values.size());
  for (const Rational& value : values) row.emplace_back(value, precision);
  return row;
}

}  // namespace attncert::reference
