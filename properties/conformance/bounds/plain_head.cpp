// Figures of a row of weights, and the difference quotient of softmax, from their definitions.
#include <algorithm>

#include "properties/conformance/bounds/plain.hpp"
#include "properties/conformance/bounds/tracked.hpp"

namespace attncert {

std::vector<Reported> plain_head_statistics(const BoundRow& row, HeadFlaw flaw) {
  std::vector<double> w = row.weights;
  std::sort(w.begin(), w.end(), std::greater<>());
  const long double e = row.relative_error / (1 - row.relative_error);
  const auto weight = [&](double value) { return Tracked(value, e * static_cast<long double>(value), 0); };
  Tracked total, rest, squares, top;
  std::size_t support = 0;
  const double threshold = flaw == HeadFlaw::support_by_threshold ? 1e-12 * w[0] : 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    total += weight(w[i]);
    if (i > 0) rest += weight(w[i]);
    support += w[i] > threshold;
  }
  const std::size_t k = std::min(flaw == HeadFlaw::top_mass_off_by_one ? row.k + 1 : row.k, w.size());
  Tracked entropy;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Tracked p = weight(w[i]) / total;
    squares += p * p;
    if (w[i] > 0 && rest.value > 0) entropy -= p * (i == 0 ? log1p(-(rest / total)) : log(p));
    if (i < k) top += weight(w[i]);
  }
  if (flaw == HeadFlaw::binary_logarithm) entropy = entropy / 0.693147180559945309417232L;
  const double second = flaw == HeadFlaw::margin_unsorted ? (w.size() > 1 ? row.weights[1] : 0)
                        : w.size() > 1                    ? w[1]
                                                          : 0;
  return {reported("entropy", 0, entropy),
          reported("n_eff", 0, exp(entropy)),
          reported("participation", 0, Tracked(1) / squares),
          reported_count("support", 0, support, support),
          reported("top mass", 0, k == w.size() ? Tracked(1) : top / total),
          reported("largest", 0, weight(w[0]) / total),
          reported("sink", 0, weight(row.weights[0]) / total),
          reported("margin", 0, (weight(w[0]) - weight(second)) / total)};
}

std::vector<Reported> plain_difference_quotient(const BoundRow& row, QuotientFlaw flaw) {
  Tracked length, total, change, sum;
  for (const double entry : row.direction) length += Tracked(entry) * entry;
  length = flaw == QuotientFlaw::direction_not_unit ? Tracked(1) : sqrt(length);
  const double largest = *std::max_element(row.logits.begin(), row.logits.end());
  std::vector<Tracked> p, step;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    p.push_back(exp((Tracked(row.logits[i]) - largest) / row.temperature));
    total += p.back();
    // Softmax does not see a constant added to the direction.
    step.push_back(
        expm1(Tracked(row.eps) * (Tracked(row.direction[i]) - row.direction[0]) / (length * row.temperature)));
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = p[i] / total;
    change += p[i] * step[i];
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Tracked entry = p[i] * (step[i] - change) / (Tracked(1) + change);
    sum += entry * entry;
  }
  const Tracked quotient = flaw == QuotientFlaw::eps_forgotten ? sqrt(sum) : sqrt(sum) / row.eps;
  if (flaw != QuotientFlaw::cancellation_forgotten) return {reported("quotient", 0, quotient)};
  // Both rows of weights in f64, and the rounding of the last step alone as the error.
  double before = 0, after = 0, squares = 0;
  const auto at = [&](std::size_t i, double eps) {
    const double u = row.direction[i] / static_cast<double>(length.value);
    return std::exp((row.logits[i] - largest + eps * u) / row.temperature);
  };
  for (std::size_t i = 0; i < p.size(); ++i) before += at(i, 0), after += at(i, row.eps);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double difference = at(i, row.eps) / after - at(i, 0) / before;
    squares += difference * difference;
  }
  const long double value = std::sqrt(squares) / row.eps;
  return {reported("quotient", 0, Tracked(value, 1e-14L * value))};
}

}  // namespace attncert
