#include "reference/bounds/separability.hpp"

#include <cmath>
#include <limits>

namespace attncert::reference {
namespace {

using Kind = Extended::Kind;

constexpr double near_share = 1e-3;  // of the scale; see CountRange::near

Extended number(Interval value) { return {Kind::number, std::move(value)}; }

// Everything undivided by W, in units of the weights as given.
struct Undivided {
  Interval zero, one, squared_radius, r, squared_r;
  std::array<std::vector<Interval>, 2> squared_xi, xi;
  std::vector<Interval> squared_eta, eta;
};

void count(CountRange& range, Truth holds, double distance, double threshold, double scale) {
  range.certain += holds == Truth::yes;
  range.possible += holds != Truth::no;
  range.near += std::abs(distance - threshold) <= near_share * scale;
}

CountRange count_below(const std::vector<Interval>& squares, const std::vector<Interval>& roots, const Undivided& u,
                       double scale) {
  CountRange range;
  for (std::size_t k = 0; k < squares.size(); ++k)
    count(range, less_equal(squares[k], u.squared_r), roots[k].midpoint(), u.r.midpoint(), scale);
  return range;
}

std::vector<Interval> roots(const std::vector<Interval>& squares) {
  std::vector<Interval> result;
  for (const Interval& square : squares) result.push_back(sqrt(square));
  return result;
}

// 1 - (1/(rN)) sum xi.
Extended printed_lower(const std::vector<Interval>& xi, const Undivided& u, Precision precision) {
  const Interval n(Rational(static_cast<unsigned long>(xi.size())), precision), total = sum(xi, precision);
  if (less(u.zero, u.squared_r) == Truth::yes) return number(u.one - total / (u.r * n));
  if (less(u.zero, total) == Truth::yes && less_equal(u.squared_r, u.zero) == Truth::yes)
    return {Kind::minus_infinity, {}};
  return {Kind::open, {}};
}

// (1/N) sum exp(-(r - xi)^2 / (16 M^2)).
Extended printed_upper(const std::vector<Interval>& xi, const Undivided& u, const Interval& total,
                       Precision precision) {
  if (less(u.zero, u.squared_radius) != Truth::yes) return {Kind::open, {}};
  const Interval n(Rational(static_cast<unsigned long>(xi.size())), precision);
  const Interval unit = Interval(16.0, precision) * u.squared_radius * square(total);
  Interval result(0.0, precision);
  for (const Interval& radius : xi) result += exp(-(square(u.r - radius) / unit));
  return number(result / n);
}

// 1 - (1/N) sum min(1, xi / r). At r = 0 a term with xi = 0 may be 0 or 1.
Extended corrected_lower(const Undivided& u, Precision precision) {
  const std::vector<Interval>& xi = u.xi[0];
  const Interval n(Rational(static_cast<unsigned long>(xi.size())), precision);
  Interval total(0.0, precision);
  const bool positive = less(u.zero, u.squared_r) == Truth::yes;
  bool readings = false;
  for (const Interval& radius : xi) {
    if (positive) total += min(u.one, radius / u.r);
    else if (less_equal(u.squared_r, u.zero) == Truth::yes && less(u.zero, radius) == Truth::yes) total += u.one;
    else total += Interval::between(u.zero, u.one), readings = true;
  }
  const Interval value = u.one - total / n;
  return {readings ? Kind::open : Kind::number, value};
}

Undivided undivided(const WeightedRow& row, std::size_t N, const Selection& parts) {
  const Precision precision = row.precision();
  const Interval zero(0.0, precision);
  Undivided u{zero, Interval(1.0, precision), zero, zero, zero, {}, {}, {}, {}};
  for (std::size_t i = 0; i < row.length(); ++i)
    u.squared_radius = max(u.squared_radius, sum_of_squares(row.token(i), precision));
  if (parts.smallest_excess) {
    // The smallest f_i^2 directly: an exact point where the inputs allow it.
    std::optional<Interval> smallest;
    const std::vector<bool> selected = row.selected(N);
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (selected[i]) continue;
      const Interval square = squared_distance_scaled(row.weights()[i], row.token(i), parts.s, precision);
      smallest = smallest ? min(*smallest, square) : square;
    }
    u.squared_r = *smallest;
    u.r = sqrt(u.squared_r);
  }
  std::vector<Rational> weights;
  for (std::size_t k = 0; k < N; ++k) weights.push_back(row.exact_weights()[row.order()[k]]);
  const bool pairs = row.length() > 1;
  const Interval closest = pairs ? row.smallest() : zero, farthest = pairs ? row.largest() : zero;
  for (const Reading reading : {Reading::distinct, Reading::literal}) {
    const std::size_t which = reading == Reading::literal;
    u.squared_xi[which] = squared_radii(weights, reading, u.squared_radius, closest, precision);
    u.xi[which] = roots(u.squared_xi[which]);
  }
  u.squared_eta = squared_radii(weights, Reading::distinct, u.squared_radius, farthest, precision);
  u.eta = roots(u.squared_eta);
  return u;
}

CountRange separable_count(const WeightedRow& row, std::size_t N, const Selection& parts, const Undivided& u,
                           double scale) {
  CountRange range;
  for (std::size_t k = 0; k < N; ++k) {
    const std::size_t i = row.order()[k];
    count(range, less_equal(parts.excess[i], *parts.smallest_excess), parts.f[i].midpoint(), u.r.midpoint(), scale);
  }
  return range;
}

}  // namespace

SeparabilityTruth separability_truth(const WeightedRow& row, std::size_t N) {
  const Precision precision = row.precision();
  const Selection parts = selection(row.tokens(), row.dimension(), row.weights(), row.selected(N), precision);
  const Undivided u = undivided(row, N, parts);
  SeparabilityTruth truth;
  double scale = 0;
  for (std::size_t i = 0; i < row.length(); ++i)
    scale += std::abs(row.weights()[i].midpoint()) * row.norms()[i].midpoint();
  truth.magnitude = scale / row.total().midpoint();
  for (const std::size_t which : {std::size_t{0}, std::size_t{1}})
    for (const Interval& radius : u.xi[which]) truth.xi[which].push_back(radius / row.total());
  for (const Interval& radius : u.eta) truth.eta.push_back(radius / row.total());

  if (N == row.length()) {  // r = +infinity
    truth.r.kind = Kind::plus_infinity;
    truth.separable = truth.surely = truth.possibly = {N, N, 0};
    truth.printed_lower = {number(u.one), number(u.one)};
    truth.printed_upper = {number(u.zero), number(u.zero)};
    truth.corrected_lower = number(u.one);
    return truth;
  }
  truth.r = number(u.r / row.total());
  if (N == 0) return truth;
  truth.separable = separable_count(row, N, parts, u, scale);
  truth.surely = count_below(u.squared_xi[0], u.xi[0], u, scale);
  truth.possibly = count_below(u.squared_eta, u.eta, u, scale);
  for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
    truth.printed_lower[which] = printed_lower(u.xi[which], u, precision);
    truth.printed_upper[which] = printed_upper(u.xi[which], u, row.total(), precision);
  }
  truth.corrected_lower = corrected_lower(u, precision);
  return truth;
}

TokenSpread token_spread(const WeightedRow& row) {
  const Interval zero(0.0, row.precision());
  TokenSpread spread{zero, zero, zero};
  for (const Interval& norm : row.norms()) spread.radius = max(spread.radius, norm);
  if (row.length() > 1) {
    spread.closest = sqrt(row.smallest());
    spread.farthest = sqrt(row.largest());
  }
  return spread;
}

}  // namespace attncert::reference
