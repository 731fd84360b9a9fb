#include "reference/bounds/softmax_norms.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "reference/bounds/softmax_jacobian.hpp"

namespace attncert::reference {
namespace {

// The weights as integers over a common denominator, which p = w / sum w does not see: sums of them are cheap.
std::vector<mpz_class> common_integers(std::span<const Rational> weights) {
  mpz_class denominator = 1;
  for (const Rational& weight : weights) denominator = lcm(denominator, weight.get_den());
  std::vector<mpz_class> integers;
  for (const Rational& weight : weights) integers.push_back(weight.get_num() * (denominator / weight.get_den()));
  return integers;
}

Rational quotient(const mpz_class& numerator, const mpz_class& denominator) {
  Rational result(numerator, denominator);
  result.canonicalize();
  return result;
}

}  // namespace

SoftmaxNorms softmax_norms(std::span<const Rational> weights, const Rational& temperature, Precision precision) {
  const std::vector<mpz_class> w = common_integers(weights);
  std::vector<std::size_t> order(w.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return w[i] > w[j]; });
  const std::size_t first = order[0], second = w.size() > 1 ? order[1] : order[0];

  mpz_class W = 0, squares = 0, cubes = 0, entry = 0;
  for (const mpz_class& weight : w) {
    W += weight;
    squares += weight * weight;
    cubes += weight * weight * weight;
  }
  std::vector<Interval> p;
  for (const mpz_class& weight : w) {
    p.emplace_back(quotient(weight, W), precision);
    entry = std::max(entry, mpz_class(weight * (W - weight)));
  }
  const mpz_class W2 = W * W, W4 = W2 * W2;
  const Interval T(temperature, precision);
  const auto over_T = [&](const Rational& value) { return Interval(Rational(value / temperature), precision); };
  const TopWeights top = top_weights(p, first, second, precision);
  const mpz_class p2 = w.size() > 1 ? w[second] : mpz_class(0);
  return {largest_eigenvalue(p, top, second, precision) / T,
          sqrt(Interval(quotient(squares * W2 - 2 * cubes * W + squares * squares, W4), precision)) / T,
          over_T(quotient(entry, W2)),
          over_T(quotient(2 * entry, W2)),
          two_weight_floor(top, precision) / T,
          over_T(quotient(w[first] * (W - w[first] + p2), W2)),
          sqrt(Interval(quotient(squares * (W2 - squares), W4), precision)) / T,
          over_T(ratio(1, 4)),
          over_T(ratio(1, 2))};
}

}  // namespace attncert::reference
