#include "reference/bounds/head_statistics.hpp"

#include <algorithm>
#include <vector>

#include "reference/exact_rows.hpp"

namespace attncert::reference {

HeadTruth head_truth(std::span<const Rational> weights, std::size_t k, Precision precision) {
  std::vector<Rational> sorted(weights.begin(), weights.end());
  std::sort(sorted.begin(), sorted.end(), [](const Rational& a, const Rational& b) { return a > b; });
  const Rational total = sum(weights), squares = sum_of_squares(weights);
  const Rational top = sum(std::span(sorted).first(std::min(k, sorted.size())));
  const auto positive = [](const Rational& weight) { return weight > 0; };
  const auto support = static_cast<std::size_t>(std::count_if(sorted.begin(), sorted.end(), positive));

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
