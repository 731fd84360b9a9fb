#include "reference/double_interval.hpp"

#include "reference/double_functions.hpp"
#include "reference/double_sums.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

// The ends of one after the other are an array of doubles.
static_assert(sizeof(DoubleInterval) == 2 * sizeof(double));

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit = std::numeric_limits<double>::epsilon() / 2;  // 2^-53
constexpr double smallest = std::numeric_limits<double>::min();

// With y any number near ln x: ln x = y + ln(x e^-y), and z - z^2 <= ln(1 + z) <= z for |z| <= 1/2.
DoubleInterval log_of(double x) {
  if (!(x > 0)) return DoubleInterval::whole_line();
  if (x == infinity) return DoubleInterval::between(709, infinity);
  const double y = std::log(x);
  const DoubleInterval one = DoubleInterval::between(1, 1);
  const DoubleInterval z = DoubleInterval::between(x, x) * exp(DoubleInterval(-y, DoublePrecision{})) - one;
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

Sizes<DoubleInterval> summed(const Sizes<double>& near, std::size_t n) {
  const auto sum = [&](double magnitude) { return summed(magnitude, error_of_sum(magnitude, n)); };
  return {sum(near.products), sum(near.second), near.terms};
}

// Weights as their largest magnitudes, and their sum; by which part of it each is less at most, but for the loose ones:
// their widths are counted one by one, since a weight that may be anything next to 0 must not make all others so wide.
struct Largest {
  std::vector<double> weight;
  double relative = 0, total = 0;  // a rounding at least
  bool negative = false;
  struct Loose {
    std::size_t weight;
    double width;
  };
  std::vector<Loose> loose;
};

Largest largest(std::span<const DoubleInterval> weights) {
  Largest result;
  result.weight.resize(weights.size());
  const auto* ends = reinterpret_cast<const double*>(weights.data());
  const auto all = double_sums::magnitudes(ends, weights.size(), result.weight.data());
  result.relative = std::max(unit, DoubleInterval::up(all.relative));
  result.total = all.total + error_of_sum(all.total, weights.size());
  result.negative = all.negative;
  for (std::size_t k = 0; all.wider && k < weights.size(); ++k) {
    const double most = result.weight[k], width = DoubleInterval::up(most - weights[k].lower());
    if (most != 0 && width > double_sums::tight_interval * most) result.loose.push_back({k, width});
  }
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

std::vector<double> lower_ends(std::span<const DoubleInterval> of) {
  std::vector<double> result;
  for (const DoubleInterval& one : of) result.push_back(one.lower());
  return result;
}

// From `totals`, those of the largest weights to the lower ends of `to`.
std::vector<DoubleInterval> distances(const Largest& ends, std::span<const double* const> rows,
                                      std::span<const double> totals, std::span<const DoubleInterval> to) {
  const std::vector<double> extra = loose_part(ends, rows, to.size(), lower_ends(to));
  std::vector<DoubleInterval> result;
  for (std::size_t c = 0; c < to.size(); ++c) {
    const double width = DoubleInterval::up(to[c].upper() - to[c].lower());
    const double error = 1.001 * (error_of_sum(totals[c], rows.size()) + ends.total * width);
    const double high = totals[c] + error;
    const double low = totals[c] - error - 1.001 * (ends.relative * (totals[c] + error) + extra[c]);
    const double least = DoubleInterval::down(low);
    result.push_back(DoubleInterval::between(ends.negative ? least : std::max(0.0, least), DoubleInterval::up(high)));
  }
  return result;
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

void each_exp(std::span<DoubleInterval> items) {
  double_functions::exp(reinterpret_cast<double*>(items.data()), items.size());
}

void each_expm1(std::span<DoubleInterval> items) {
  double_functions::expm1(reinterpret_cast<double*>(items.data()), items.size());
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
  const double* const row = b.data();
  double_sums::Sum result;
  double_sums::dots(a.data(), {&row, 1, a.size()}, &result);
  return summed(result, a.size());
}

Sizes<DoubleInterval> sizes(std::span<const double> a, std::span<const double> b, DoublePrecision) {
  ATTNCERT_ASSERT(a.size() == b.size());
  const double* const row = b.data();
  Sizes<double> result{};
  double_sums::sizes(a.data(), {&row, 1, a.size()}, &result);
  return summed(result, a.size());
}

std::vector<DoubleInterval> dots(std::span<const double> a, std::span<const double* const> rows, DoublePrecision) {
  std::vector<double_sums::Sum> near(rows.size());
  double_sums::dots(a.data(), {rows.data(), rows.size(), a.size()}, near.data());
  std::vector<DoubleInterval> result;
  result.reserve(rows.size());
  for (const double_sums::Sum& sum : near) result.push_back(summed(sum, a.size()));
  return result;
}

std::vector<Sizes<DoubleInterval>> sizes(std::span<const double> a, std::span<const double* const> rows,
                                         DoublePrecision) {
  std::vector<Sizes<double>> near(rows.size());
  double_sums::sizes(a.data(), {rows.data(), rows.size(), a.size()}, near.data());
  std::vector<Sizes<DoubleInterval>> result;
  result.reserve(rows.size());
  for (const Sizes<double>& one : near) result.push_back(summed(one, a.size()));
  return result;
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
  std::vector<double> totals(to.size(), 0);
  const std::vector<double> from = lower_ends(to);
  double_sums::add_distances(ends.weight.data(), {rows.data(), rows.size(), to.size()}, from.data(), totals.data());
  return distances(ends, rows, totals, to);
}

ColumnSums<DoubleInterval> column_sums(std::span<const DoubleInterval> first, std::span<const DoubleInterval> second,
                                       std::span<const double* const> rows, std::span<const DoubleInterval> to,
                                       DoublePrecision precision) {
  ATTNCERT_ASSERT(rows.size() == first.size() && rows.size() == second.size());
  const Largest of_distances = largest(first), of_sizes = largest(second);
  const std::size_t columns = to.size();
  std::vector<double> totals(columns, 0), sizes(columns, 0);
  const std::vector<double> from = lower_ends(to);
  Extents extents(columns);
  double_sums::add_columns(
      {rows.data(), rows.size(), columns},
      {of_distances.weight.data(), of_sizes.weight.data(), from.data(), totals.data(), sizes.data(),
       extents.lowest.data(), extents.highest.data(), extents.terms.data(), extents.magnitudes.data()});
  const std::vector<DoubleInterval> zeros(columns, DoubleInterval(0.0, precision));
  return {distances(of_distances, rows, totals, to), distances(of_sizes, rows, sizes, zeros), std::move(extents)};
}

}  // namespace attncert
