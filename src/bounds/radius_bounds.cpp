#include "src/bounds/radius_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/bounds/ball.hpp"
#include "src/bounds/separability_pass.hpp"

namespace attncert::bounds {
namespace {

// Fewer selected tokens than this are not worth a vector loop: four certified terms take about as long.
constexpr std::size_t few = 4;

Certified small_exponential(Certified x) {  // exp(-x), x >= 0
  const double value = std::exp(-std::max(0.0, x.value));
  // The derivative is at most 1; std::exp is within 2 ulp (docs/bounds.md).
  return {value, error_above(x.error + 4 * roundoff * value)};
}

template <class T>
class RadiusBounds {
 public:
  RadiusBounds(const RowState<T>& row, const RadiusTerms<T>& radii, Certified rate)
      : row_(row), radii_(radii), rate_(rate) {}

  void set(std::size_t point, std::size_t N, Certified r, SeparabilityCurves& out) const {
    Totals totals;
    const Certified limit = r * r;
    std::size_t rank = 0;
    const std::size_t singly = vector_form_serves(N, r) ? 1 : N;  // the first weight may be nearly all of A
    for (; rank < singly; ++rank) totals.add(radii_, rank, N, r, limit, rate_);
    if (rank < N) add_others(totals, N, r);
    const Certified n = exact(static_cast<double>(N));
    for (const std::size_t reading : {std::size_t{0}, std::size_t{1}}) {
      out.printed_lower[reading].set(point, exact(1) - totals.roots[reading] / (r * n));
      out.printed_upper[reading].set(point, totals.exponentials[reading] / n);
    }
    out.corrected_lower.set(point, exact(1) - totals.clipped / n);
    out.surely[point] = totals.surely;
    out.possibly[point] = totals.possibly;
  }

 private:
  struct Totals {
    std::array<Certified, 2> roots, exponentials;
    Certified clipped;
    Count surely, possibly;

    void add(const RadiusTerms<T>& terms, std::size_t rank, std::size_t N, Certified r, Certified limit,
             Certified rate) {
      for (const Reading reading : {Reading::distinct, Reading::literal}) {
        const auto which = static_cast<std::size_t>(reading);
        const Certified square = terms.xi_squared(rank, N, reading), xi = square_root(square), gap = r - xi;
        roots[which] = roots[which] + xi;
        exponentials[which] = exponentials[which] + small_exponential(rate * gap * gap);
        if (reading == Reading::literal) continue;
        clipped = clipped + clip(xi, r);
        bounds::add(surely, square, limit);
      }
      bounds::add(possibly, terms.eta_squared(rank, N), limit);
    }
    // min(1, xi / r)
    static Certified clip(Certified xi, Certified r) {
      if (xi.value - xi.error >= r.value + r.error) return exact(1);
      const Certified ratio = xi / r;
      if (!(ratio.error < 0.5)) return {0.5, 0.5};
      return {std::min(1.0, ratio.value), ratio.error};
    }
  };

  // What the vector loop is proved for: nonnegative weights; both coefficients, A and q known to 2^-20, about what f32
  // rounds anyway; every exponent at most 1/8, 0.124 leaving room for rounding; r not so small that xi / r would be
  // noise.
  bool vector_form_serves(std::size_t N, Certified r) const {
    if (N < few || row_.w[row_.order.index[N - 1]] < 0 || radii_.rest.value < 0x1p-20 * radii_.squared_radius.value)
      return false;
    // In f32 the squares of lengths, and the rate, stay far inside of the range.
    if (radii_.squared_radius.value < 0x1p-60 || !(rate_.value < 0x1p100)) return false;
    const Certified A = radii_.mass(N), q = radii_.squares(N);
    if (!(A.error < 0x1p-20 * A.value && q.error < 0x1p-20 * q.value && coefficient_error() < 0x1p-20)) return false;
    const double farthest = std::max(r.value + r.error, std::sqrt(largest_square(N)));
    return (rate_.value + rate_.error) * farthest * farthest <= 0.124 &&
           r.value - r.error > 0x1p-40 * std::sqrt(largest_square(N));
  }
  // The relative error of half Q + rest B B'. Since Q <= B B', the smaller of two estimates holds: the larger relative
  // error of the two coefficients, and both errors beside `rest`.
  double coefficient_error() const {
    const Certified &half = radii_.half_closest, &rest = radii_.rest;
    const double own = std::max(half.value > 0 ? half.error / half.value : 0, rest.error / rest.value);
    return second_order * std::min(own, (half.error + rest.error) / rest.value);
  }
  double largest_square(std::size_t N) const {  // above every xi_i^2 of either reading
    const double A = radii_.mass(N).value;
    return second_order * (radii_.half_closest.value * radii_.squares(N).value + radii_.rest.value * A * A);
  }

  // What the vector loop is told of N tokens within the radius r: coefficients rounded to T, and limits of the squared
  // radii that its roundings cannot cross. square: the relative error of a squared radius xi^2.
  RadiusFormula<T> radius_formula(std::size_t N, Certified r, double square) const {
    const Certified A = radii_.mass(N), q = radii_.squares(N), limit = r * r;
    // eta^2 is a difference, so its error is absolute: relative errors of its terms times their magnitudes.
    const double eta = (radius_roundings * u + sums_error(N)) * (radii_.half_farthest.value * q.value +
                                                                 std::fabs(radii_.eta_rest.value) * A.value * A.value) +
                       radii_.half_farthest.error * q.value + radii_.eta_rest.error * A.value * A.value + floor;
    const auto to = [](double value, double direction) -> T {  // rounded to T, never inwards
      return static_cast<T>(value + direction * (4 * u * std::fabs(value) + floor));
    };
    const double surely = limit.value - limit.error, possibly = limit.value + limit.error;
    RadiusFormula<T> formula;
    formula.half_separation = static_cast<T>(radii_.half_closest.value);
    formula.rest = static_cast<T>(radii_.rest.value);
    formula.eta_half_separation = static_cast<T>(radii_.half_farthest.value);
    formula.eta_rest = static_cast<T>(radii_.eta_rest.value);
    formula.mass = static_cast<T>(A.value);
    formula.squares = static_cast<T>(q.value);
    formula.r = static_cast<T>(r.value);
    formula.inverse_r = static_cast<T>(1 / r.value);
    formula.rate = static_cast<T>(rate_.value);
    formula.xi_least = to((surely - floor) * (1 - square), -1);
    formula.xi_most = to((possibly + floor) * (1 + 2 * square), 1);
    formula.eta_least = to(surely - eta, -1);
    formula.eta_most = to(possibly + eta, 1);
    return formula;
  }
  // What the errors of A and q add to the relative error of a squared radius: A^2 has that of A twice, and A - a_i,
  // which is at least half of A since no single a_i dominates, doubles it again.
  double sums_error(std::size_t N) const {
    const Certified A = radii_.mass(N), q = radii_.squares(N);
    return 4 * (A.error / A.value + q.error / q.value);
  }

  void add_others(Totals& totals, std::size_t N, Certified r) const {
    const double coefficients = coefficient_error() + sums_error(N);
    const double square = radius_roundings * u + coefficients;
    const RadiusSums sums = radius_sums(row_.sorted.get(), N, radius_formula(N, r, square));
    const auto n = static_cast<double>(N);
    // A root has half the relative error of its square, and six roundings at most: two of the root, three of a sum of
    // four.
    const double largest = std::sqrt(largest_square(N)), root = square / 2 + 6 * u + n * roundoff;
    // The error of exp(-x), x = rate t^2, whose derivative is at most 1. That of x in t is at most 2 rate |t|, and |t|
    // is off by `gap` and below the larger of r and xi; 0.01 of the factors covers their products. The four roundings
    // of x <= 1/8 are u / 2; with the polynomial's five and three of a sum of four they stay below 9 u.
    // small_exponential leaves out 2^-27 in f32.
    const double gap = r.error + 2 * u * r.value + (root + u) * largest + std::sqrt(floor), rate = rate_.value;
    const double farthest = std::max(r.value, largest) + gap;
    const double exponential = 2.01 * rate * farthest * gap + 1.01 * rate_.error * farthest * farthest + 9 * u +
                               (sizeof(T) == 4 ? 0x1p-27 : 0) + n * roundoff;
    for (const std::size_t reading : {std::size_t{0}, std::size_t{1}}) {
      const double value = sums.roots[reading];
      totals.roots[reading] =
          totals.roots[reading] + Certified{value, error_above(root * value + n * std::sqrt(floor))};
      totals.exponentials[reading] =
          totals.exponentials[reading] + Certified{sums.exponentials[reading], error_above(n * exponential)};
    }
    // xi / r: one rounding of the quotient, one of 1 / r, one of r in T.
    const double ratio = root + 3 * u + r.error / (r.value - r.error);
    totals.clipped = totals.clipped + Certified{sums.clipped, error_above(ratio * sums.clipped * second_order +
                                                                          n * std::sqrt(floor) / (r.value - r.error))};
    totals.surely = {totals.surely.least + sums.surely.least, totals.surely.most + sums.surely.most};
    totals.possibly = {totals.possibly.least + sums.possibly.least, totals.possibly.most + sums.possibly.most};
  }

  const RowState<T>& row_;
  const RadiusTerms<T>& radii_;
  Certified rate_;
  static constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  // Products of errors that are each below 2^-10 of what they belong to.
  static constexpr double second_order = 1.001;
  // What underflow in T takes from a square, of numbers up to 1.
  static constexpr double floor = sizeof(T) == 4 ? 0x1p-120 : 0x1p-1000;
};

}  // namespace

template <class T>
void set_radius_bounds(const RowState<T>& row, const RadiusTerms<T>& radii, Certified rate, std::size_t point,
                       std::size_t N, Certified r, SeparabilityCurves& out) {
  RadiusBounds<T>(row, radii, rate).set(point, N, r, out);
}

template void set_radius_bounds(const RowState<float>&, const RadiusTerms<float>&, Certified, std::size_t, std::size_t,
                                Certified, SeparabilityCurves&);
template void set_radius_bounds(const RowState<double>&, const RadiusTerms<double>&, Certified, std::size_t,
                                std::size_t, Certified, SeparabilityCurves&);

}  // namespace attncert::bounds
