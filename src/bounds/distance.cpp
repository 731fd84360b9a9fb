#include "src/bounds/distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "src/bounds/ball.hpp"
#include "src/bounds/context.hpp"
#include "src/bounds/distance_formulas.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/inner_products.hpp"
#include "src/bounds/passed.hpp"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/rank_walk.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/series_pass.hpp"
#include "src/bounds/vectors.hpp"

namespace attncert::bounds {
namespace {

template <class T>
class Distances {
 public:
  Distances(RowState<T>& row, const GramFacts<T>& source, const Points& points, DistanceCurves& out)
      : row_(row),
        source_(source),
        points_(points),
        out_(out),
        context_(row, source, points.tolerance),
        divided_(points.weights == Weights::divided_by_their_sum),
        unit_(weight_unit(row, points.weights)) {}

  void compute(GramRows<T>& rows) {
    for (std::size_t point = 0; point < out_.N.size() && out_.N[point] == 0; ++point) without_selection(point);
    const Certified whole =
        walk_ranks(row_, rows, context_, out_.N,
                   [this](const Step<T>& step, std::size_t begin, std::size_t end) { take(step, begin, end); });
    do_over();
    compare(whole * unit_ * unit_ * area_);
    out_.lost_digits = std::log10(context_.cancellation());
  }

  void take_passed(const PassedRow& passed) {
    for (std::size_t point = 0; point < out_.N.size(); ++point) {
      const PassedPoint& found = passed.points[point];
      if (out_.N[point] == 0) {
        without_selection(point);
        continue;
      }
      out_.context.set(point, square_root(found.S));
      finish(point, found.rest, found.rest.least);
    }
    do_over();
    compare(passed.whole * unit_ * unit_ * area_);
    out_.lost_digits = std::log10(passed.cancellation);
  }

 private:
  double norm_error() const { return inner_product_error(source_.tokens.dimension); }
  Certified sum_of_weights(double value) const { return {value, error_above(row_.relative * row_.absolute_sum)}; }
  Certified sum_of_norms(double value) const {
    return {value, error_above((row_.relative + norm_error()) * value +
                               row_.absolute_sum * norm_floor(source_.tokens.dimension))};
  }
  bool too_coarse(Certified number) const { return number.error > points_.tolerance * std::fabs(number.value); }

  void without_selection(std::size_t point) {
    out_.distance.set(point, sum_of_norms(row_.rest_norms[0]));
    out_.context.set(point, exact(0));
    out_.diameter.set(point, exact(0));
  }

  void take(const Step<T>& step, std::size_t begin, std::size_t end) {
    for (std::size_t point = begin; point < end; ++point)
      out_.context.set(point, square_root(step.S[out_.N[point] - step.first - 1]));
    if (series_serves(step)) take_series(step, begin, end);
    else take_roots(step, begin, end);
  }

  // Every unselected |e_i| <= alpha_i^2 + 2 alpha_i ||s|| at most S/16 after each rank of a whole block that is not the
  // last.
  bool series_serves(const Step<T>& step) const {
    if (step.first + block_ranks >= row_.length || points_.tolerance < 4 * series_error<T>()) return false;
    const PassError error = pass_error(source_, step.first + block_ranks);
    const double P = row_.weighted_norms[step.first + block_ranks] * norms_above;
    const double alpha = row_.rest_largest[step.first + 1] * norms_above;
    for (const Certified& S : step.S) {
      const double least = S.value - S.error;
      // 0.03 (2 + 0.03) = 0.0609: 0.0016 below 1/16 are left, 0.001 for the error of e, 2^-12 0.0609 for that of S.
      if (!(alpha * alpha <= 0.0009 * least && S.error <= 0x1p-12 * S.value)) return false;
      if (!(error.excess * (alpha * alpha + 2 * alpha * P) + error.floor <= 0.001 * least)) return false;
    }
    return true;
  }

  void take_series(const Step<T>& step, std::size_t begin, std::size_t end) {
    SeriesSums<T> sums;
    sums.next = step.next;
    for (std::size_t b = 0; b < block_ranks; ++b) sums.inverse_S[b] = static_cast<T>(1 / step.S[b].value);
    advance(step.block, row_.columns, step.first, sums);
    for (std::size_t point = begin; point < end; ++point) {
      const std::size_t N = out_.N[point], b = N - step.first - 1;
      const auto count = static_cast<double>(row_.length - N);
      const PassError error = pass_error(source_, N);
      const double P = row_.weighted_norms[N] * norms_above;
      // The roots lie within 4% of ||s||: an error of e changes one by at most 0.53 / ||s|| of it.
      const double excess =
          error.excess * (row_.rest_squares[N] + 2 * P * row_.rest_norms[N]) * norms_above + count * error.floor;
      const Certified root = square_root(step.S[b]);
      out_.distance.set(
          point, root * Certified{count + sums.series[b], error_above(count * (series_error<T>() + 2 * roundoff) +
                                                                      0.53 * excess / step.S[b].value * 1.001)});
      out_.diameter.set(point, square_root({sums.reach[b], error_above(apart_error())}));
    }
  }

  void take_roots(const Step<T>& step, std::size_t begin, std::size_t end) {
    std::array<RestSums<T>, block_ranks> after{};
    for (std::size_t b = 0; b < block_ranks; ++b) after[b].next = step.next[b];
    std::array<double, block_ranks> least{};
    for (std::size_t point = begin; point < end; ++point) {
      const std::size_t N = out_.N[point], b = N - step.first - 1;
      if (N == row_.length || after[b].wanted) continue;
      least[b] = square_error(row_, source_, N, step.S[b]);
      after[b].wanted = true;
      after[b].N = N;
      after[b].S = static_cast<T>(step.S[b].value);
      after[b].least = static_cast<T>(least[b] * (1 + 0x1p-20));
    }
    advance(step.block, row_.columns, after);
    for (std::size_t point = begin; point < end; ++point) {
      const std::size_t b = out_.N[point] - step.first - 1;
      finish(point, after[b], least[b]);
    }
  }

  // Roots of numbers below their own error are taken at it: then each is off by that error over the root at most
  // (square_root of ball.hpp).
  void finish(std::size_t point, const RestSums<T>& sums, double least) {
    const double roots = root_sum_error<T>(row_.length) * sums.roots;
    const bool none = out_.N[point] == row_.length;
    out_.distance.set(
        point, none ? exact(0) : Certified{sums.roots, error_above((least * sums.inverses + roots) * (1 + 0x1p-18))});
    out_.diameter.set(point, none ? exact(0) : square_root({sums.reach, error_above(apart_error())}));
  }

  // The error of ||x_i - x_j||^2: the norms rounded to T, the product, two sums: of M^2 2, 2, 3 and 4 roundings.
  double apart_error() const {
    const double M = row_.largest_norm[row_.length];
    return (1.001 * 9 * u + 2 * source_.error + 2 * norm_error()) * M * M + 8 * source_.floor;
  }

  // From the vectors, where a distance loses too many digits: a_i x_i close to s, which only few N have.
  void do_over() {
    VectorForm<T> vectors = context_.form();
    for (std::size_t point = 0; point < out_.N.size(); ++point) {
      const std::size_t N = out_.N[point];
      if (N == 0 || N == row_.length || !too_coarse(out_.distance[point])) continue;
      vectors.select(N);
      const Certified other = vectors.rest();
      if (other.error < out_.distance.error[point]) out_.distance.set(point, other);
      ++out_.by_vectors;
    }
  }

  // Into the units of the caller, with what the claims hold d-tilde against; B = ||xbar||^2.
  void compare(Certified B) {
    const DistanceConstants constants = constants_of(B);
    DistanceTerms terms{};
    DistanceFound found;
    for (std::size_t begin = 0; begin < out_.N.size(); begin += points_at_once) {
      const std::size_t count = std::min(points_at_once, out_.N.size() - begin);
      for (std::size_t i = 0; i < count; ++i) fill(begin + i, i, terms);
      distance_formulas(terms, constants, found);
      for (std::size_t i = 0; i < count; ++i) empty(begin + i, i, found);
    }
    if (row_.length > 1) return;
    for (std::size_t point = 0; point < out_.N.size(); ++point) {  // one token: (1 - N) A, and no L - 1 to divide by
      out_.second_moment.set(point, exact(static_cast<double>(1 - out_.N[point])) * constants.A);
      out_.printed_expectation.set(point, unknown);
    }
  }

  DistanceConstants constants_of(Certified B) const {
    const auto L = static_cast<double>(row_.length);
    const Moments sums = moments();
    DistanceConstants constants;
    constants.divided = divided_;
    constants.length = L;
    constants.mass_error = sum_of_weights(0).error;
    constants.sum_of_norms = row_.relative + norm_error();
    constants.norm_error = norm_error();
    constants.norm_floor = norm_floor(source_.tokens.dimension);
    constants.sum_floor = row_.absolute_sum * constants.norm_floor;
    constants.unit = unit_;
    constants.weighted = unit_ * PowerOfTwo(source_.exponent);
    constants.scale = PowerOfTwo(source_.exponent);
    constants.A = sum_of_norms(row_.rest_squares[0]) * unit_ * unit_ * area_;
    constants.B = B;
    constants.constant = constants.A + exact(L - 2) * B;
    constants.slope = exact(2) * ((sums.weighted - sums.products) * unit_ * area_);
    constants.squares = sums.squares * area_;
    constants.one_of_all = exact(1) / exact(L);
    constants.one_of_others = row_.length > 1 ? exact(1) / exact(L - 1) : exact(0);
    return constants;
  }

  void fill(std::size_t point, std::size_t i, DistanceTerms& terms) const {
    const std::size_t N = out_.N[point];
    terms.N[i] = static_cast<double>(N);
    terms.mass[i] = row_.mass[N];
    terms.rest_mass[i] = row_.rest_mass[N];
    terms.rest_norms[i] = row_.rest_norms[N];
    terms.largest[i] = row_.largest_norm[N];
    const auto put = [&](const Curve& curve, double(&to)[2][points_at_once]) {
      to[0][i] = curve.value[point];
      to[1][i] = curve.error[point];
    };
    put(out_.distance, terms.distance);
    put(out_.context, terms.context);
    put(out_.diameter, terms.diameter);
  }

  void empty(std::size_t point, std::size_t i, const DistanceFound& found) {
    const auto put = [&](const double(&from)[2][points_at_once], Curve& curve) {
      // Not where something left the range of f64.
      const bool known = std::fabs(from[0][i]) + from[1][i] <= std::numeric_limits<double>::max();
      curve.set(point, known ? Certified{from[0][i], from[1][i]} : unknown);
    };
    put(found.distance, out_.distance);
    put(found.context, out_.context);
    put(found.selected_mass, out_.selected_mass);
    put(found.unselected, out_.unselected);
    put(found.diameter, out_.diameter);
    put(found.largest_selected, out_.largest_selected);
    put(found.printed, out_.printed);
    put(found.corrected, out_.corrected);
    put(found.second_moment, out_.second_moment);
    put(found.printed_expectation, out_.printed_expectation);
    if (out_.N[point] > 0) return;
    for (Curve* curve : {&out_.context, &out_.diameter, &out_.largest_selected}) curve->set(point, exact(0));
  }

  // Sums over all tokens of w ||x||^2, ||x||^2 and x . xbar.
  struct Moments {
    Certified weighted, squares, products;
  };
  Moments moments() const {
    double weighted = 0, absolute = 0, squares = 0, norms = 0, products = 0, magnitude = 0;
    for (std::size_t i = 0; i < row_.length; ++i) {
      const double n = source_.squared_norms[i];
      weighted += row_.w[i] * n;
      absolute += std::fabs(row_.w[i]) * n;
      squares += n;
      norms += row_.norm[i];
      products += row_.columns.product[i];
      magnitude += std::fabs(row_.columns.product[i]);
    }
    const double relative = row_.relative + norm_error(), P = row_.weighted_norms[row_.length] * norms_above;
    const PassError error = pass_error(source_, row_.length);
    return {{weighted, error_above(relative * absolute + row_.absolute_sum * norm_floor(source_.tokens.dimension))},
            {squares,
             error_above(relative * squares + static_cast<double>(row_.length) * norm_floor(source_.tokens.dimension))},
            {products, error_above((error.product * P * norms + row_.relative * magnitude) * norms_above +
                                   static_cast<double>(row_.length) * error.floor)}};
  }

  static constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

  RowState<T>& row_;
  const GramFacts<T>& source_;
  const Points& points_;
  DistanceCurves& out_;
  Context<T> context_;
  bool divided_;
  Certified unit_;  // what a scaled weight is multiplied by
  PowerOfTwo area_{2 * source_.exponent};
};

std::array<Curve*, 9> curves(DistanceCurves& out) {
  return {&out.distance,         &out.context, &out.selected_mass, &out.unselected,   &out.diameter,
          &out.largest_selected, &out.printed, &out.corrected,     &out.second_moment};
}

// False where nothing can be said of the row: everything is unknown then.
template <class T>
bool begin(const RowState<T>& row, const Points& points, DistanceCurves& out) {
  const bool asked_well = chosen_points(points, row.length, out.N);
  out.ties = out.by_vectors = 0;
  out.lost_digits = 0;
  for (Curve* curve : curves(out)) curve->assign(out.N.size());
  out.printed_expectation.assign(out.N.size());
  if (!row.valid || !asked_well) {
    for (std::size_t point = 0; point < out.N.size(); ++point) {
      for (Curve* curve : curves(out)) curve->set(point, unknown);
      out.printed_expectation.set(point, unknown);
    }
    return false;
  }
  out.ties = row.order.ties;
  return true;
}

template <class T>
void from_rows(std::span<const T> weights, GramRows<T>& source, const Points& points, DistanceCurves& out) {
  static thread_local RowState<T> row;
  row.prepare(weights, points.weights, source.squared_norms);
  if (begin(row, points, out)) Distances<T>(row, source, points, out).compute(source);
}

}  // namespace

void passed_distances(RowState<double>& row, const GramFacts<double>& facts, const Points& points,
                      const PassedRow& passed, DistanceCurves& out) {
  if (begin(row, points, out)) Distances<double>(row, facts, points, out).take_passed(passed);
}

template <class T>
void distance_curves(std::span<const T> weights, const Gram<T>& gram, const Points& points, DistanceCurves& out) {
  SharedRows<T> rows(gram);
  from_rows<T>(weights, rows, points, out);
}

template <class T>
void distance_curves(std::span<const T> weights, Tokens<T> tokens, const Points& points, DistanceCurves& out) {
  TiledRows<T> rows(tokens, std::min(weights.size(), tokens.count));
  from_rows<T>(weights, rows, points, out);
}

template <class T>
RowsSeen distance_curves(std::span<const std::span<const T>> rows, Tokens<T> tokens, const Points& points,
                         const std::function<void(std::size_t row, const DistanceCurves&)>& take,
                         std::size_t most_entries) {
  std::optional<Gram<T>> gram;
  if (rows.size() > 1 && tokens.count * tokens.count <= most_entries) gram.emplace(tokens);
  DistanceCurves curves;
  RowsSeen seen;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (gram) distance_curves<T>(rows[row], *gram, points, curves);
    else distance_curves<T>(rows[row], tokens, points, curves);
    take(row, curves);
    ++seen.rows;
    seen.with_ties += curves.ties > 0;
  }
  return seen;
}

#define ATTNCERT_DISTANCE_CURVES_OF(T)                                                                  \
  template void distance_curves<T>(std::span<const T>, const Gram<T>&, const Points&, DistanceCurves&); \
  template void distance_curves<T>(std::span<const T>, Tokens<T>, const Points&, DistanceCurves&);      \
  template RowsSeen distance_curves<T>(std::span<const std::span<const T>>, Tokens<T>, const Points&,   \
                                       const std::function<void(std::size_t, const DistanceCurves&)>&, std::size_t);
ATTNCERT_DISTANCE_CURVES_OF(float)
ATTNCERT_DISTANCE_CURVES_OF(double)
#undef ATTNCERT_DISTANCE_CURVES_OF

}  // namespace attncert::bounds
