#include "reference/bounds/separable_jacobian.hpp"

#include <map>

#include "reference/exact_rows.hpp"

namespace attncert::reference {

std::vector<AlikeTokens> alike_tokens(const std::vector<Rational>& F, const std::vector<Rational>& dF) {
  const Rational total = sum(F);
  std::map<std::pair<Rational, Rational>, std::size_t> place;
  std::vector<AlikeTokens> classes;
  for (std::size_t i = 0; i < F.size(); ++i) {
    const auto [found, first] = place.try_emplace({F[i], dF[i]}, classes.size());
    if (first) classes.push_back({F[i] / total, dF[i] / total});
    ++classes[found->second].count;
  }
  return classes;
}

Interval separable_jacobian_norm(const std::vector<Rational>& F, const std::vector<Rational>& dF, Precision precision) {
  const std::vector<AlikeTokens> classes = alike_tokens(F, dF);
  const std::size_t n = classes.size();
  Matrix reduced{n, n, {}};
  Interval largest(0.0, precision);
  for (const AlikeTokens& c : classes) {
    for (const AlikeTokens& d : classes) {
      const Rational own = &c == &d ? Rational(d.g * (1 - c.a * c.count)) : Rational(-d.g * c.a);
      const Interval weight =
          &c == &d ? Interval(1.0, precision) : sqrt(Interval(Rational(c.count * d.count), precision));
      reduced.entries.push_back(Interval(own, precision) * weight);
    }
    if (c.count >= 2) largest = max(largest, Interval(Rational(abs(c.g)), precision));
  }
  return max(largest, spectral_norm(reduced, precision));
}

}  // namespace attncert::reference
