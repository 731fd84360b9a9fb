#include "src/bounds/separability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "src/bounds/ball.hpp"
#include "src/bounds/context.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/inner_products.hpp"
#include "src/bounds/radius_terms.hpp"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/rank_walk.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/separability_pass.hpp"
#include "src/core/assert.hpp"

namespace attncert::bounds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Fewer selected tokens than this are not worth a vector loop: four certified terms take about as long.
constexpr std::size_t few = 4;

void add(Count& count, Certified square, Certified limit) {  // square <= limit?
  if (square.value + square.error <= limit.value - limit.error) ++count.least;
  if (square.value - square.error <= limit.value + limit.error) ++count.most;
}

Certified between(double low, double high) { return {0.5 * (low + high), error_above(0.5 * (high - low))}; }

Certified small_exponential(Certified x) {  // exp(-x), x >= 0
  const double value = std::exp(-std::max(0.0, x.value));
  // The derivative is at most 1; std::exp is within 2 ulp (docs/bounds.md).
  return {value, error_above(x.error + 4 * roundoff * value)};
}

template <class T>
class Separability {
 public:
  Separability(RowState<T>& row, GramRows<T>& source, const PairDistances& pairs, const Points& points,
               double token_error, SeparabilityCurves& out)
      : row_(row),
        source_(source),
        points_(points),
        moved_(token_error),
        drift_(2.001 * token_error),
        out_(out),
        context_(row, source, points.tolerance),
        fallback_(context_.form()),
        radii_(row, source.squared_norms, pairs, source.tokens.dimension, token_error),
        unit_(weight_unit(row, points.weights)),
        rate_(unit_ * unit_ / (exact(16) * radii_.squared_radius)) {}

  void compute() {
    const PowerOfTwo length(source_.exponent);
    out_.radius = square_root(radii_.squared_radius) * length;
    out_.closest = row_.length < 2 ? Certified{infinity, 0} : square_root(exact(2) * radii_.half_closest) * length;
    out_.farthest = square_root(exact(2) * radii_.half_farthest) * length;
    for (std::size_t point = 0; point < out_.N.size() && out_.N[point] == 0; ++point) without_selection(point);
    walk_ranks(row_, source_, context_, out_.N, [this](const Step<T>& step, std::size_t begin, std::size_t end) {
      advance(step.block, row_.columns, begin < end ? row_.excess.get() : nullptr);
      for (std::size_t point = begin; point < end; ++point) {
        const std::size_t b = out_.N[point] - step.first - 1;
        at(point, row_.excess.get() + b * row_.columns.padded, step.S[b]);
      }
    });
    out_.lost_digits = std::log10(context_.cancellation());
    for (std::size_t point = 0; point < out_.N.size(); ++point)
      if (std::isfinite(out_.r.value[point])) out_.r.set(point, out_.r[point] * unit_ * length);
  }

 private:
  void without_selection(std::size_t point) {
    double least = infinity;
    for (std::size_t i = 0; i < row_.length; ++i) least = std::min(least, std::fabs(row_.w[i]) * row_.norm[i]);
    out_.r.set(point,
               {least, error_above((inner_product_error(source_.tokens.dimension) + 4 * roundoff + moved_) * least +
                                   norm_floor(source_.tokens.dimension))});
    for (Curve* curve : {&out_.printed_lower[0], &out_.printed_lower[1], &out_.printed_upper[0], &out_.printed_upper[1],
                         &out_.corrected_lower})
      curve->set(point, unknown);
  }

  void everything(std::size_t point) {  // N = L: r is infinite
    out_.r.set(point, {infinity, 0});
    out_.separable[point] = out_.surely[point] = out_.possibly[point] = {row_.length, row_.length};
    for (const std::size_t reading : {std::size_t{0}, std::size_t{1}}) {
      out_.printed_lower[reading].set(point, exact(1));
      out_.printed_upper[reading].set(point, exact(0));
    }
    out_.corrected_lower.set(point, exact(1));
  }

  void at(std::size_t point, const T* excess, Certified S) {
    const std::size_t N = out_.N[point];
    if (N == row_.length) return everything(point);
    const PassError error = pass_error(source_, N);
    const double P = row_.weighted_norms[N] * norms_above, up = 1 + 8 * u;
    // The widths, e less or more them, in T: two roundings of at most alpha^2 + 2 alpha P each.
    const double relative = error.excess + 3 * u + drift_;
    const Widths<T> widths{static_cast<T>(relative * up), static_cast<T>(2 * P * relative * up),
                           static_cast<T>(error.floor * up)};
    const ExcessRange<T> range = range_of_rest(excess, row_.columns, N, widths);
    Count count = selected_within(excess, row_.columns, N, widths, range);
    const Certified least = between(static_cast<double>(range.least), static_cast<double>(range.most));
    Certified r = square_root(S + Certified{0, drift_ * P * P} + least);
    if (count.least != count.most || r.error > points_.tolerance * r.value) {
      look_closer(excess, N, widths, range, count, r);
      ++out_.by_vectors;
    }
    out_.r.set(point, r);
    out_.separable[point] = count;
    radius_bounds(point, N, r);
  }

  // The tokens that the pass cannot order, from the vectors.
  void look_closer(const T* excess, std::size_t N, Widths<T> widths, ExcessRange<T> range, Count& count, Certified& r) {
    fallback_.select(N);
    const double P = row_.weighted_norms[N] * norms_above;
    std::vector<Certified> open;
    std::size_t sure = 0;
    double e_low = infinity, e_high = infinity, r_low = infinity,
           r_high = infinity;  // where the smallest unselected ones lie
    for (std::size_t i = 0; i < row_.length; ++i) {
      const auto alpha = static_cast<double>(row_.columns.alpha[i]), e = static_cast<double>(excess[i]);
      const double width = (alpha * (alpha * static_cast<double>(widths.relative) + static_cast<double>(widths.slope)) +
                            static_cast<double>(widths.floor)) *
                           (1 + 4 * u);
      if (e - width > static_cast<double>(range.most)) continue;
      const bool selected = row_.order.rank[i] < N;
      if (selected && e + width <= static_cast<double>(range.least)) {
        ++sure;
        continue;
      }
      Certified closer = fallback_.excess(i, source_.squared_norms[i]);
      closer.error = error_above(closer.error + drift_ * alpha * (alpha + 2 * P));
      if (selected) {
        open.push_back(closer);
        continue;
      }
      Certified f = fallback_.distance(i);
      f.error = error_above(f.error + moved_ * (alpha + P) * norms_above);
      e_low = std::min(e_low, closer.value - closer.error);
      e_high = std::min(e_high, closer.value + closer.error);
      r_low = std::min(r_low, f.value - f.error);
      r_high = std::min(r_high, f.value + f.error);
    }
    count = {sure, sure};
    for (const Certified& e : open) add(count, e, between(e_low, e_high));
    const Certified closer = between(std::max(0.0, r_low), r_high);
    if (closer.error < r.error) r = closer;
  }

  // The bounds on N_s / N that are made of xi_i, eta_i and r.
  void radius_bounds(std::size_t point, std::size_t N, Certified r) {
    Totals totals;
    const Certified limit = r * r;
    std::size_t rank = 0;
    const std::size_t singly = vector_form_serves(N, r) ? 1 : N;  // the first weight may be nearly all of A
    for (; rank < singly; ++rank) totals.add(radii_, rank, N, r, limit, rate_);
    if (rank < N) add_others(totals, N, r);
    const Certified n = exact(static_cast<double>(N));
    for (const std::size_t reading : {std::size_t{0}, std::size_t{1}}) {
      out_.printed_lower[reading].set(point, exact(1) - totals.roots[reading] / (r * n));
      out_.printed_upper[reading].set(point, totals.exponentials[reading] / n);
    }
    out_.corrected_lower.set(point, exact(1) - totals.clipped / n);
    out_.surely[point] = totals.surely;
    out_.possibly[point] = totals.possibly;
  }

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

  void add_others(Totals& totals, std::size_t N, Certified r) {
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

  RowState<T>& row_;
  GramRows<T>& source_;
  const Points& points_;
  // Tokens move by moved ||x||, inner products of two sums of them by drift times the sums of their lengths.
  double moved_, drift_;
  SeparabilityCurves& out_;
  Context<T> context_;
  VectorForm<T> fallback_;
  RadiusTerms<T> radii_;
  Certified unit_, rate_;
  static constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  // Products of errors that are each below 2^-10 of what they belong to.
  static constexpr double second_order = 1.001;
  // What underflow in T takes from a square, of numbers up to 1.
  static constexpr double floor = sizeof(T) == 4 ? 0x1p-120 : 0x1p-1000;
};

std::array<Curve*, 6> curves(SeparabilityCurves& out) {
  return {&out.r,
          &out.printed_lower[0],
          &out.printed_lower[1],
          &out.printed_upper[0],
          &out.printed_upper[1],
          &out.corrected_lower};
}

}  // namespace

namespace {

template <class T>
void from_rows(std::span<const T> weights, GramRows<T>& source, const PairDistances& pairs, const Points& points,
               double token_error, SeparabilityCurves& out) {
  ATTNCERT_ASSERT(token_error >= 0 && token_error <= 0x1p-10);
  static thread_local RowState<T> row;
  row.prepare(weights, points.weights, source.squared_norms);
  const bool asked_well = chosen_points(points, weights.size(), out.N);
  for (Curve* curve : curves(out)) curve->assign(out.N.size());
  for (std::vector<Count>* counts : {&out.separable, &out.surely, &out.possibly}) counts->assign(out.N.size(), {});
  out.ties = out.by_vectors = 0;
  out.lost_digits = 0;
  out.token_error = token_error;
  out.radius = out.closest = out.farthest = unknown;
  if (!row.valid || !asked_well) {
    for (std::size_t point = 0; point < out.N.size(); ++point) {
      for (Curve* curve : curves(out)) curve->set(point, unknown);
      out.separable[point] = out.surely[point] = out.possibly[point] = {0, std::min(out.N[point], weights.size())};
    }
    return;
  }
  out.ties = row.order.ties;
  Separability<T>(row, source, pairs, points, token_error, out).compute();
}

}  // namespace

template <class T>
void separability_curves(std::span<const T> weights, const Gram<T>& gram, const Points& points, SeparabilityCurves& out,
                         double token_error) {
  SharedRows<T> source(gram);
  from_rows<T>(weights, source, gram.pairs(), points, token_error, out);
}

template <class T>
void separability_curves(std::span<const T> weights, Tokens<T> tokens, const Points& points, SeparabilityCurves& out,
                         double token_error) {
  TiledRows<T> source(tokens, std::min(weights.size(), tokens.count));
  from_rows<T>(weights, source, pair_distances(source.tokens, source.exponent), points, token_error, out);
}

template <class T>
void radii(std::span<const T> weights, const Gram<T>& gram, std::size_t N, Weights meaning, Radii& out) {
  RowState<T> row;
  row.prepare(weights, meaning, gram.squared_norms());
  const bool fits = row.valid && N <= row.length;
  const std::size_t count = fits ? N : 0;
  out.order.resize(count);
  for (Curve* curve : {&out.xi[0], &out.xi[1], &out.eta}) curve->assign(count);
  if (!fits) return;
  const RadiusTerms<T> terms(row, gram.squared_norms(), gram.pairs(), gram.tokens().dimension);
  const Certified unit = weight_unit(row, meaning);
  const PowerOfTwo length(gram.exponent());
  for (std::size_t rank = 0; rank < count; ++rank) {
    out.order[rank] = row.order.index[rank];
    for (const Reading reading : {Reading::distinct, Reading::literal})
      out.xi[static_cast<std::size_t>(reading)].set(rank,
                                                    square_root(terms.xi_squared(rank, N, reading)) * unit * length);
    out.eta.set(rank, square_root(terms.eta_squared(rank, N)) * unit * length);
  }
}

template void separability_curves<float>(std::span<const float>, const Gram<float>&, const Points&, SeparabilityCurves&,
                                         double);
template void separability_curves<double>(std::span<const double>, const Gram<double>&, const Points&,
                                          SeparabilityCurves&, double);
template void separability_curves<float>(std::span<const float>, Tokens<float>, const Points&, SeparabilityCurves&,
                                         double);
template void separability_curves<double>(std::span<const double>, Tokens<double>, const Points&, SeparabilityCurves&,
                                          double);
template void radii<float>(std::span<const float>, const Gram<float>&, std::size_t, Weights, Radii&);
template void radii<double>(std::span<const double>, const Gram<double>&, std::size_t, Weights, Radii&);

}  // namespace attncert::bounds
