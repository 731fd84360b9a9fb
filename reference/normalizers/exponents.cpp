#include "reference/normalizers/exponents.hpp"

#include <algorithm>
#include <cmath>

namespace attncert::reference {
namespace {

// shifted(z, largest): the enclosure of (z - largest) / T. Sorting, and not a search per logit: rows have up to 2^20.
template <class Logit, class Shifted>
Exponents grouped(std::span<const Logit> logits, std::span<const std::uint8_t> mask, const Shifted& shifted) {
  ATTNCERT_ASSERT(mask.empty() || mask.size() == logits.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (mask.empty() || mask[i] != 0) order.push_back(i);
  ATTNCERT_ASSERT(!order.empty());
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return logits[i] > logits[j]; });
  Exponents x;
  x.index.assign(logits.size(), Exponents::masked);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || logits[order[k]] != logits[order[k - 1]]) {
      x.distinct.push_back(shifted(logits[order[k]], logits[order[0]]));
      x.count.push_back(0);
    }
    ++x.count.back();
    x.index[order[k]] = x.count.size() - 1;
  }
  return x;
}

}  // namespace

Precision working(Precision precision) { return {std::max(precision.bits + guard_bits, 53)}; }

Exponents exponents(std::span<const Rational> logits, const Rational& temperature, Precision working_precision,
                    std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(temperature > 0);
  return grouped(logits, mask, [&](const Rational& z, const Rational& largest) {
    return Interval(Rational((z - largest) / temperature), working_precision);
  });
}

Exponents exponents(std::span<const double> logits, double temperature, Precision working_precision,
                    std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(std::isfinite(temperature) && temperature > 0);
  const Interval divisor(temperature, working_precision);  // points: a double's 53 bits fit
  return grouped(logits, mask, [&](double z, double largest) {
    Interval x(z, working_precision);
    x -= Interval(largest, working_precision);
    x /= divisor;
    return x;
  });
}

std::vector<Interval> by_position(Exponents x, std::vector<Interval> values, const Interval& masked) {
  std::vector<Interval> row;
  row.reserve(x.index.size());
  for (const std::size_t k : x.index) {
    if (k == Exponents::masked) row.push_back(masked);
    else if (--x.count[k] == 0) row.push_back(std::move(values[k]));  // its last use
    else row.push_back(values[k]);
  }
  return row;
}

Interval sum_of_exponentials(const Exponents& x, std::span<const Interval> exponentials, bool without_largest) {
  Interval total(0.0, exponentials[0].precision());
  for (std::size_t k = exponentials.size(); k-- > 0;) {
    const std::size_t count = x.count[k] - (without_largest && k == 0 ? 1 : 0);
    if (count == 1) total += exponentials[k];
    else if (count > 1)
      total += exponentials[k] * Interval(static_cast<double>(count), total.precision());  // below 2^53: exact
  }
  return total;
}

}  // namespace attncert::reference
