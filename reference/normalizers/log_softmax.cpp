// x_i - log(1 + R), x = (z - max) / T, R the sum of all exponentials but one of the largest's. Both parts are <= 0:
// nothing cancels, and log1p keeps the first entry's relative width where R is tiny.
#include "reference/normalizers/log_softmax.hpp"

#include "reference/normalizers/exponents.hpp"

namespace attncert::reference {
namespace {

std::vector<Interval> log_softmax(Exponents x, Precision precision) {
  std::vector<Interval> exponentials;
  exponentials.reserve(x.distinct.size());
  for (const Interval& exponent : x.distinct) exponentials.push_back(exp(exponent));
  const Interval log_total = log1p(sum_of_exponentials(x, exponentials, true));
  exponentials = {};
  for (Interval& value : x.distinct) value = (value -= log_total).rounded(precision);
  std::vector<Interval> row;
  row.reserve(x.index.size());
  for (const std::size_t k : x.index) {
    if (k == Exponents::masked) row.push_back(Interval::whole_line(precision));
    else if (--x.count[k] == 0) row.push_back(std::move(x.distinct[k]));
    else row.push_back(x.distinct[k]);
  }
  return row;
}

}  // namespace

std::vector<Interval> log_softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                                  std::span<const std::uint8_t> mask) {
  return log_softmax(exponents(logits, temperature, working(precision), mask), precision);
}

std::vector<Interval> log_softmax(std::span<const double> logits, double temperature, Precision precision,
                                  std::span<const std::uint8_t> mask) {
  return log_softmax(exponents(logits, temperature, working(precision), mask), precision);
}

}  // namespace attncert::reference
