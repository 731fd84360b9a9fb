#include "reference/bounds/head_statistics.hpp"

#include <algorithm>
#include <vector>

namespace attncert::reference {

HeadTruth head_truth(std::span<const Rational> weights, std::size_t k, Precision precision) {
  std::vector<Rational> sorted(weights.begin(), weights.end());
  std::sort(sorted.begin(), sorted.end(), [](const Rational& a, const Rational& b) { return a > b; });
  Rational total = 0, squares = 0, top = 0;
  std::size_t support = 0;
  for (const Rational& weight : sorted) {
    total += weight;
    squares += weight * weight;
    support += weight > 0;
  }
  for (std::size_t i = 0; i < std::min(k, sorted.size()); ++i) top += sorted[i];

  Interval entropy(0.0, precision);
  for (std::size_t i = 0; i < support; ++i) {
    const Interval p(Rational(sorted[i] / total), precision);
    const Interval others(Rational((sorted[i] - total) / total), precision);  // p - 1
    entropy -= p * (i == 0 ? log1p(others) : log(p));
  }
  if (support == 1) entropy = Interval(0.0, precision);
  const Rational second = sorted.size() > 1 ? sorted[1] : Rational(0);
  const auto share = [&](const Rational& value) { return Interval(Rational(value / total), precision); };
  return {entropy,
          exp(entropy),
          Interval(Rational(total * total / squares), precision),
          support,
          share(top),
          share(sorted[0]),
          share(weights[0]),
          share(sorted[0] - second)};
}

}  // namespace attncert::reference
