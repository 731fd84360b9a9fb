#include "reference/double_interval.hpp"

#include <array>
#include <bit>
#include <cstdint>

#include "reference/double_sums.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit = std::numeric_limits<double>::epsilon() / 2;  // 2^-53
constexpr double smallest = std::numeric_limits<double>::min();

// 1 / 1!, 1 / 2!, ...: the coefficients of (e^r - 1) / r.
constexpr std::size_t terms = 13;
constexpr std::array<double, terms> inverse_factorials() {
  std::array<double, terms> values{};
  double factorial = 1;
  for (std::size_t n = 0; n < terms; ++n) {
    factorial *= static_cast<double>(n + 1);  // exact: 13! < 2^53
    values[n] = 1 / factorial;
  }
  return values;
}
constexpr auto coefficients = inverse_factorials();

// Six terms from `first` on, in pairs: none waits for all others.
double six_terms(std::size_t first, double r, double r2) {
  const double* const c = coefficients.data() + first;
  return (c[0] + c[1] * r) + r2 * ((c[2] + c[3] * r) + r2 * (c[4] + c[5] * r));
}

// (e^r - 1) / r for |r| <= 0.35, with a relative error below 2^-47 (docs/reference.md): of 13 terms, or of 6 where |r|
// is at most 2^-10.
double series(double r) {
  const double r2 = r * r, first = six_terms(0, r, r2);
  if (std::abs(r) <= 0x1p-10) return first;
  return first + r2 * r2 * r2 * (six_terms(6, r, r2) + r2 * r2 * r2 * coefficients[12]);
}

DoubleInterval around(double value, double relative) {
  const double error = DoubleInterval::up(std::abs(value) * relative);
  return DoubleInterval::between(DoubleInterval::down(value - error), DoubleInterval::up(value + error));
}

DoubleInterval near_zero(double x) { return around(x * series(x), 0x1p-46); }  // e^x - 1, |x| <= 0.35

double power_of_two(std::int64_t exponent) {  // -1022 .. 1023
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

DoubleInterval exp_of(double x) {
  if (x == 0) return DoubleInterval::between(1, 1);
  if (!(x < 709)) return DoubleInterval::between(x == infinity ? infinity : 0x1p1022, infinity);  // e^709 > 2^1022
  if (x < -708) return DoubleInterval::between(0, 0x1p-1021);                                     // e^-708 < 2^-1021
  if (std::abs(x) <= 0x1p-10) return DoubleInterval::between(1, 1) + near_zero(x);
  // x = k ln 2 + r, |r| < 0.35. The first product and difference are exact: ln 2 is cut after 32 bits.
  constexpr double log2_e = 0x1.71547652b82fep+0, high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
  constexpr double whole = 0x1.8p52;  // what is added to it and taken away again is rounded to a whole number
  const double k = (x * log2_e + whole) - whole, r = (x - k * high) - k * low;
  const double scale = power_of_two(static_cast<std::int64_t>(k));
  const DoubleInterval near = around(1 + r * series(r), 0x1p-46);
  return DoubleInterval::between(near.lower() * scale, near.upper() * scale);
}

DoubleInterval expm1_of(double x) {
  if (x == 0) return DoubleInterval::between(0, 0);
  return std::abs(x) <= 0.35 ? near_zero(x) : exp_of(x) - DoubleInterval::between(1, 1);
}

// Where the argument is so narrow, one end serves for both: e^(x + w) <= e^x (1 + w (1 + w)) for 0 <= w <= 1.
constexpr double narrow = 0x1p-30;

// With y any number near ln x: ln x = y + ln(x e^-y), and z - z^2 <= ln(1 + z) <= z for |z| <= 1/2.
DoubleInterval log_of(double x) {
  if (!(x > 0)) return DoubleInterval::whole_line();
  if (x == infinity) return DoubleInterval::between(709, infinity);
  const double y = std::log(x);
  const DoubleInterval one = DoubleInterval::between(1, 1);
  const DoubleInterval z = DoubleInterval::between(x, x) * exp_of(-y) - one;
  if (!(z.lower() > -0.5 && z.upper() < 0.5)) return DoubleInterval::whole_line();
  return DoubleInterval::between(y, y) + DoubleInterval::between((z - square(z)).lower(), z.upper());
}

DoubleInterval log1p_of(double x) {
  const DoubleInterval one = DoubleInterval::between(1, 1), point = DoubleInterval::between(x, x);
  if (!(std::abs(x) <= 0.125)) return log(one + point);
  // 2 atanh(s) = 2 s (1 + s^2 / 3 + s^4 / 5 + ...), s = x / (2 + x), |s| <= 1 / 15; what is left out from s^16 on is at
  // most s^16 (1 / 17 + s^2 / 19 + ...) < s^16 / 16.
  const DoubleInterval s = point / (point + DoubleInterval::between(2, 2)), s2 = square(s);
  DoubleInterval total = DoubleInterval::between(0, 0x1p-4);
  for (int n = 15; n >= 1; n -= 2) total = total * s2 + one / DoubleInterval::between(n, n);
  return (s + s) * total;
}

// How far a sum of n products, added in any order, is from the exact one, by the computed sum of their magnitudes:
// gamma(n + 2) of it and what underflows, with room for the roundings of that sum and of this formula.
double error_of_sum(double magnitudes, std::size_t n) {
  const double count = static_cast<double>(n) + 4;
  ATTNCERT_ASSERT(count < 0x1p40);
  return 1.001 * count * unit * magnitudes + count * smallest;
}

DoubleInterval summed(double total, double error) {
  return DoubleInterval::between(DoubleInterval::down(total - error), DoubleInterval::up(total + error));
}

DoubleInterval summed(const double_sums::Sum& sum, std::size_t n) {
  return summed(sum.total, error_of_sum(sum.magnitude, n));
}

// Weights as their largest magnitudes, and their sum; by which part of it each is less at most, but for the loose ones:
// their widths are counted one by one, since a weight that may be anything next to 0 must not make all others so wide.
struct Largest {
  std::vector<double> weight;
  double relative = 0, total = 0;
  bool negative = false;
  struct Loose {
    std::size_t weight;
    double width;
  };
  std::vector<Loose> loose;
};

Largest largest(std::span<const DoubleInterval> weights) {
  constexpr double tight = 0x1p-30;
  Largest result;
  result.weight.reserve(weights.size());
  for (const DoubleInterval& weight : weights) {
    const double most = std::max(weight.upper(), -weight.lower()), width = DoubleInterval::up(most - weight.lower());
    if (width <= tight * most) result.relative = std::max(result.relative, DoubleInterval::up(width / most));
    else if (most != 0) result.loose.push_back({result.weight.size(), width});
    result.weight.push_back(most);
    result.total += most;
    result.negative |= weight.lower() < 0;
  }
  result.total += error_of_sum(result.total, weights.size());
  return result;
}

// extra_c = sum width |rows_c - from_c| over the loose weights; `from` may be empty.
std::vector<double> loose_part(const Largest& ends, std::span<const double* const> rows, std::size_t columns,
                               std::span<const double> from) {
  std::vector<double> extra(columns, 0);
  for (const Largest::Loose& loose : ends.loose)
    for (std::size_t c = 0; c < columns; ++c)
      extra[c] += loose.width * std::abs(rows[loose.weight][c] - (from.empty() ? 0 : from[c]));
  for (double& sum : extra) sum += error_of_sum(sum, ends.loose.size());
  return extra;
}

}  // namespace

DoubleInterval DoubleInterval::any_product(const DoubleInterval& a, const DoubleInterval& b) {
  double low = infinity, high = -infinity;
  for (const double x : {a.lower(), a.upper()})
    for (const double y : {b.lower(), b.upper()}) {
      const double below = product<down>(x, y), above = product<up>(x, y);
      if (!(below <= above)) return whole_line();
      low = std::min(low, below);
      high = std::max(high, above);
    }
  return between(low, high);
}

DoubleInterval exp(const DoubleInterval& a) {
  const DoubleInterval low = exp_of(a.lower());
  const double width = DoubleInterval::up(a.upper() - a.lower());
  if (a.lower() == a.upper()) return low;
  if (!(width <= narrow)) return DoubleInterval::between(low.lower(), exp_of(a.upper()).upper());
  return DoubleInterval::between(low.lower(), DoubleInterval::up(low.upper() * (1 + 2 * width)));
}

DoubleInterval expm1(const DoubleInterval& a) {
  const DoubleInterval low = expm1_of(a.lower());
  const double width = DoubleInterval::up(a.upper() - a.lower());
  if (a.lower() == a.upper()) return low;
  if (!(width <= narrow && a.lower() <= 0.35)) return DoubleInterval::between(low.lower(), expm1_of(a.upper()).upper());
  // e^(x + w) - e^x <= 1.5 (e^w - 1) < 2 w
  return DoubleInterval::between(low.lower(), DoubleInterval::up(low.upper() + 2 * width));
}

DoubleInterval log(const DoubleInterval& a) {
  if (!(a.lower() > 0)) return DoubleInterval::whole_line();
  return DoubleInterval::between(log_of(a.lower()).lower(), log_of(a.upper()).upper());
}

DoubleInterval log1p(const DoubleInterval& a) {
  return DoubleInterval::between(log1p_of(a.lower()).lower(), log1p_of(a.upper()).upper());
}

// Each end with four sums side by side: additions that do not wait for each other.
DoubleInterval sum(std::span<const DoubleInterval> items, DoublePrecision) {
  constexpr std::size_t side = 4;
  double low[side] = {}, high[side] = {}, low_size[side] = {}, high_size[side] = {};
  const auto add = [&](std::size_t to, const DoubleInterval& item) {
    low[to] += item.lower(), low_size[to] += std::abs(item.lower());
    high[to] += item.upper(), high_size[to] += std::abs(item.upper());
  };
  std::size_t k = 0;
  for (; k + side <= items.size(); k += side)
    for (std::size_t to = 0; to < side; ++to) add(to, items[k + to]);
  for (; k < items.size(); ++k) add(0, items[k]);
  const auto folded = [](const double(&sums)[side]) { return (sums[0] + sums[1]) + (sums[2] + sums[3]); };
  const auto error = [&](double size) { return size == 0 ? 0 : error_of_sum(size, items.size()); };  // zeros are exact
  const double below = folded(low) - error(folded(low_size)), above = folded(high) + error(folded(high_size));
  return DoubleInterval::between(below == 0 ? 0 : DoubleInterval::down(below),
                                 above == 0 ? 0 : DoubleInterval::up(above));
}

DoubleInterval sum(std::span<const double> items, DoublePrecision) {
  return summed(double_sums::sum(items.data(), items.size()), items.size());
}

DoubleInterval dot(std::span<const double> a, std::span<const double> b, DoublePrecision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  return summed(double_sums::dot(a.data(), b.data(), a.size()), a.size());
}

Sizes<DoubleInterval> sizes(std::span<const double> a, std::span<const double> b, DoublePrecision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  const auto [products, second, terms] = double_sums::sizes(a.data(), b.data(), a.size());
  return {summed({products, products}, a.size()), summed({second, second}, a.size()), terms};
}

void add_multiples(std::span<DoubleInterval> totals, const DoubleInterval& a, std::span<const double> b) {
  ATTNCERT_ASSERT(totals.size() == b.size());
  for (std::size_t k = 0; k < b.size(); ++k) totals[k] += a * DoubleInterval(b[k], DoublePrecision{});
}

std::vector<DoubleInterval> weighted_sums(std::span<const DoubleInterval> weights, std::span<const double* const> rows,
                                          std::size_t size, DoublePrecision) {
  ATTNCERT_ASSERT(rows.size() == weights.size());
  const Largest ends = largest(weights);
  std::vector<double> totals(size, 0), magnitudes(size, 0);
  double_sums::add_weighted(ends.weight.data(), {rows.data(), rows.size(), size}, totals.data(), magnitudes.data());
  const std::vector<double> extra = loose_part(ends, rows, size, {});
  std::vector<DoubleInterval> result;
  for (std::size_t c = 0; c < size; ++c) {
    const double error = error_of_sum(magnitudes[c], rows.size());
    result.push_back(summed(totals[c], 1.001 * (error + ends.relative * (magnitudes[c] + error) + extra[c])));
  }
  return result;
}

std::vector<DoubleInterval> weighted_distances(std::span<const DoubleInterval> weights,
                                               std::span<const double* const> rows, std::span<const DoubleInterval> to,
                                               DoublePrecision) {
  ATTNCERT_ASSERT(rows.size() == weights.size());
  const Largest ends = largest(weights);
  const std::size_t size = to.size();
  std::vector<double> totals(size, 0), from(size);
  for (std::size_t c = 0; c < size; ++c) from[c] = to[c].lower();
  double_sums::add_distances(ends.weight.data(), {rows.data(), rows.size(), size}, from.data(), totals.data());
  const std::vector<double> extra = loose_part(ends, rows, size, from);
  std::vector<DoubleInterval> result;
  for (std::size_t c = 0; c < size; ++c) {
    const double width = DoubleInterval::up(to[c].upper() - to[c].lower());
    const double error = 1.001 * (error_of_sum(totals[c], rows.size()) + ends.total * width);
    const double high = totals[c] + error;
    const double low = totals[c] - error - 1.001 * (ends.relative * (totals[c] + error) + extra[c]);
    const double least = DoubleInterval::down(low);
    result.push_back(DoubleInterval::between(ends.negative ? least : std::max(0.0, least), DoubleInterval::up(high)));
  }
  return result;
}

}  // namespace attncert
