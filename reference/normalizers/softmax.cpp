#include "reference/normalizers/softmax.hpp"

#include "reference/normalizers/exponents.hpp"

namespace attncert::reference {
namespace {

std::vector<Interval> softmax(Exponents x, Precision precision) {
  std::vector<Interval>& weights = x.distinct;
  for (Interval& weight : weights) weight = exp(weight);
  const Interval total = sum_of_exponentials(x, weights, false);
  for (Interval& weight : weights) weight = (weight /= total).rounded(precision);
  std::vector<Interval> row;
  row.reserve(x.index.size());
  for (const std::size_t k : x.index) {
    if (k == Exponents::masked) row.emplace_back(0.0, precision);
    else if (--x.count[k] == 0)
      row.push_back(std::move(weights[k]));  // its last use: long rows do not hold everything twice
    else row.push_back(weights[k]);
  }
  return row;
}

}  // namespace

std::vector<Interval> softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                              std::span<const std::uint8_t> mask) {
  return softmax(exponents(logits, temperature, working(precision), mask), precision);
}

std::vector<Interval> softmax(std::span<const double> logits, double temperature, Precision precision,
                              std::span<const std::uint8_t> mask) {
  return softmax(exponents(logits, temperature, working(precision), mask), precision);
}

}  // namespace attncert::reference
