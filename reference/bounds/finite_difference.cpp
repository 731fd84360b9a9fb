#include "reference/bounds/finite_difference.hpp"

#include <algorithm>
#include <vector>

namespace attncert::reference {

Interval difference_quotient(std::span<const double> logits, std::span<const double> direction, double eps,
                             double temperature, Precision precision) {
  std::vector<Interval> u, p, step;
  for (const double entry : direction) u.emplace_back(entry, precision);
  const Interval length = sqrt(sum_of_squares(u, precision)), T(temperature, precision), e(eps, precision);
  const Rational largest = exact(*std::max_element(logits.begin(), logits.end()));
  Interval total(0.0, precision), change(0.0, precision);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    p.push_back(exp(Interval(Rational(exact(logits[i]) - largest), precision) / T));
    total += p.back();
    step.push_back(expm1(e * Interval(Rational(exact(direction[i]) - exact(direction[0])), precision) / (length * T)));
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] /= total;
    change += p[i] * step[i];
  }
  const Interval one(1.0, precision);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = p[i] * (step[i] - change) / (one + change);
  return sqrt(sum_of_squares(p, precision)) / e;
}

}  // namespace attncert::reference
