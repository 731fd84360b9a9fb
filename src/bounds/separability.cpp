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
#include "src/bounds/passed.hpp"
#include "src/bounds/radius_bounds.hpp"
#include "src/bounds/radius_terms.hpp"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/rank_walk.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/separability_pass.hpp"
#include "src/core/assert.hpp"

namespace attncert::bounds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Certified between(double low, double high) { return {0.5 * (low + high), error_above(0.5 * (high - low))}; }

template <class T>
class Separability {
 public:
  Separability(RowState<T>& row, const GramFacts<T>& source, const PairDistances& pairs, const Points& points,
               double token_error, SeparabilityCurves& out)
      : row_(row),
        source_(source),
        points_(points),
        moved_(token_error),
        drift_(drift(token_error)),
        out_(out),
        context_(row, source, points.tolerance),
        fallback_(context_.form()),
        radii_(row, source.squared_norms, pairs, source.tokens.dimension, token_error),
        unit_(weight_unit(row, points.weights)),
        rate_(unit_ * unit_ / (exact(16) * radii_.squared_radius)) {}

  void compute(GramRows<T>& rows) {
    for (std::size_t point = 0; point < out_.N.size() && out_.N[point] == 0; ++point) without_selection(point);
    walk_ranks(row_, rows, context_, out_.N, [this](const Step<T>& step, std::size_t begin, std::size_t end) {
      advance(step.block, row_.columns, begin < end ? row_.excess.get() : nullptr);
      for (std::size_t point = begin; point < end; ++point) {
        const std::size_t b = out_.N[point] - step.first - 1;
        at(point, row_.excess.get() + b * row_.columns.padded, step.S[b]);
      }
    });
    in_units(context_.cancellation());
  }

  void take_passed(const PassedRow& passed) {
    for (std::size_t point = 0; point < out_.N.size(); ++point)
      if (out_.N[point] == 0) without_selection(point);
      else set(point, passed.points[point].S, passed.points[point].range, passed.points[point].within, nullptr);
    in_units(passed.cancellation);
  }

 private:
  // Into the units of the caller.
  void in_units(double cancellation) {
    const PowerOfTwo length(source_.exponent);
    out_.radius = square_root(radii_.squared_radius) * length;
    out_.closest = row_.length < 2 ? Certified{infinity, 0} : square_root(exact(2) * radii_.half_closest) * length;
    out_.farthest = square_root(exact(2) * radii_.half_farthest) * length;
    out_.lost_digits = std::log10(cancellation);
    for (std::size_t point = 0; point < out_.N.size(); ++point)
      if (std::isfinite(out_.r.value[point])) out_.r.set(point, out_.r[point] * unit_ * length);
  }

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
    const Widths<T> widths = excess_widths(row_, source_, N, moved_);
    const ExcessRange<T> range = range_of_rest(excess, row_.columns, N, widths);
    set(point, S, range, selected_within(excess, row_.columns, N, widths, range), excess);
  }

  // excess: of every token, or null where the pass kept none.
  void set(std::size_t point, Certified S, ExcessRange<T> range, Count count, const T* excess) {
    const std::size_t N = out_.N[point];
    if (N == row_.length) return everything(point);
    const double P = row_.weighted_norms[N] * norms_above;
    const Certified least = between(static_cast<double>(range.least), static_cast<double>(range.most));
    Certified r = square_root(S + Certified{0, drift_ * P * P} + least);
    if (count.least != count.most || r.error > points_.tolerance * r.value) {
      look_closer(excess, N, range, count, r);
      ++out_.by_vectors;
    }
    out_.r.set(point, r);
    out_.separable[point] = count;
    set_radius_bounds(row_, radii_, rate_, point, N, r, out_);
  }

  enum class Side { below, above, open };
  // Of the range that the smallest unselected e lies in.
  Side side(std::size_t i, const T* excess, const Widths<T>& widths, ExcessRange<T> range) const {
    if (excess == nullptr) return Side::open;
    const auto alpha = static_cast<double>(row_.columns.alpha[i]), e = static_cast<double>(excess[i]);
    const double width = (alpha * (alpha * static_cast<double>(widths.relative) + static_cast<double>(widths.slope)) +
                          static_cast<double>(widths.floor)) *
                         (1 + 4 * u);
    if (e - width > static_cast<double>(range.most)) return Side::above;
    return e + width <= static_cast<double>(range.least) ? Side::below : Side::open;
  }

  // The tokens that the pass cannot order, from the vectors.
  void look_closer(const T* excess, std::size_t N, ExcessRange<T> range, Count& count, Certified& r) {
    const Widths<T> widths = excess_widths(row_, source_, N, moved_);
    fallback_.select(N);
    const double P = row_.weighted_norms[N] * norms_above;
    std::vector<Certified> open;
    std::size_t sure = 0;
    double e_low = infinity, e_high = infinity, r_low = infinity,
           r_high = infinity;  // where the smallest unselected ones lie
    for (std::size_t i = 0; i < row_.length; ++i) {
      const Side where = side(i, excess, widths, range);
      if (where == Side::above) continue;
      const bool selected = row_.order.rank[i] < N;
      if (selected && where == Side::below) {
        ++sure;
        continue;
      }
      const auto alpha = static_cast<double>(row_.columns.alpha[i]);
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

  RowState<T>& row_;
  const GramFacts<T>& source_;
  const Points& points_;
  // Tokens move by moved ||x||, inner products of two sums of them by drift times the sums of their lengths.
  double moved_, drift_;
  SeparabilityCurves& out_;
  Context<T> context_;
  VectorForm<T> fallback_;
  RadiusTerms<T> radii_;
  Certified unit_, rate_;
  static constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
};

std::array<Curve*, 6> curves(SeparabilityCurves& out) {
  return {&out.r,
          &out.printed_lower[0],
          &out.printed_lower[1],
          &out.printed_upper[0],
          &out.printed_upper[1],
          &out.corrected_lower};
}

// False where nothing can be said of the row: everything is unknown then.
template <class T>
bool begin(const RowState<T>& row, const Points& points, double token_error, SeparabilityCurves& out) {
  ATTNCERT_ASSERT(token_error >= 0 && token_error <= 0x1p-10);
  const bool asked_well = chosen_points(points, row.length, out.N);
  for (Curve* curve : curves(out)) curve->assign(out.N.size());
  for (std::vector<Count>* counts : {&out.separable, &out.surely, &out.possibly}) counts->assign(out.N.size(), {});
  out.ties = out.by_vectors = 0;
  out.lost_digits = 0;
  out.token_error = token_error;
  out.radius = out.closest = out.farthest = unknown;
  if (!row.valid || !asked_well) {
    for (std::size_t point = 0; point < out.N.size(); ++point) {
      for (Curve* curve : curves(out)) curve->set(point, unknown);
      out.separable[point] = out.surely[point] = out.possibly[point] = {0, std::min(out.N[point], row.length)};
    }
    return false;
  }
  out.ties = row.order.ties;
  return true;
}

template <class T>
void from_rows(std::span<const T> weights, GramRows<T>& source, const PairDistances& pairs, const Points& points,
               double token_error, SeparabilityCurves& out) {
  static thread_local RowState<T> row;
  row.prepare(weights, points.weights, source.squared_norms);
  if (begin(row, points, token_error, out))
    Separability<T>(row, source, pairs, points, token_error, out).compute(source);
}

}  // namespace

void passed_separability(RowState<double>& row, const GramFacts<double>& facts, const PairDistances& pairs,
                         const Points& points, double token_error, const PassedRow& passed, SeparabilityCurves& out) {
  if (begin(row, points, token_error, out))
    Separability<double>(row, facts, pairs, points, token_error, out).take_passed(passed);
}

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
