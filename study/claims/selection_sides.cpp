#include "study/claims/selection_sides.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/bounds/ball.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

using bounds::Certified, bounds::error_above;

constexpr double drift = unit_drift;
constexpr double length_drift = 0x1p-40;  // n: | ||x||^2 - 1 | of x / ||x|| rounded in f64, d <= 4096
constexpr double above = 1 + 0x1p-20;     // for the roundings of the errors, and their products

Certified absolute(Certified a) { return {std::fabs(a.value), a.error}; }
Certified wider(Certified a, double by) { return {a.value, error_above(a.error + by * above)}; }
double most(Certified a) { return std::fabs(a.value) + a.error; }
double least(Certified a) { return a.value - a.error; }
bool certainly_below(Certified a, Certified b) { return (b - a).value > (b - a).error; }

// One row's weights in order, for the sums that the curves do not have.
class RowMasses {
 public:
  explicit RowMasses(std::span<const float> weights) {  // >= 0, one above 0
    std::vector<double> sorted(weights.begin(), weights.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const std::size_t L = sorted.size();
    largest_ = sorted.front();
    smallest_ = sorted.back();
    support_ = static_cast<std::size_t>(std::ranges::count_if(sorted, [](double w) { return w > 0; }));
    selected_.assign(L + 1, 0);
    rest_.assign(L + 1, 0);
    for (std::size_t k = 1; k < L; ++k) selected_[k + 1] = selected_[k] + sorted[k];
    for (std::size_t k = L; k-- > 0;) rest_[k] = rest_[k + 1] + sorted[k];
    total_ = rest_[0];
    relative_ = static_cast<double>(L + 2) * bounds::roundoff;  // sums of nonnegative numbers, one after the other
  }

  Certified rest(std::size_t N) const {  // 1 - A without cancellation
    const double value = rest_[N] / total_;
    return {value, error_above(2 * relative_ * value)};
  }

  double pairs(std::size_t N) const {  // above P
    const double B = selected_[N] / total_, first = largest_ / total_;
    return B * (2 * first + B) * above;
  }

  Certified spread() const {
    return smallest_ == 0 ? bounds::unknown : bounds::exact(largest_) / bounds::exact(smallest_);
  }

  std::size_t support() const { return support_; }  // how many are above 0

 private:
  std::vector<double> selected_, rest_;  // by N, without the largest weight; over the others
  std::size_t support_ = 0;
  double total_ = 0, largest_ = 0, smallest_ = 0;
  double relative_ = 0;  // error of every sum
};

// From the curves' tokens to the instance's (selection_sides.hpp).
void cover_unit_vectors(const RowMasses& masses, SelectionSides& sides) {
  const auto others = static_cast<double>(sides.length - sides.count);
  const double R = most(sides.rest), A = std::min(1.0, 1 - R + 2 * sides.rest.error);
  const double r = least(sides.r), s = least(sides.context) - drift * A, E = r + s - 3 * A * drift;
  const double moved =
      (others * (length_drift * A * A + drift * masses.pairs(sides.count)) + R * (length_drift + 2 * A * drift)) / r;
  sides.distance = r > 0 ? wider(sides.distance, moved) : bounds::unknown;
  sides.beyond = E > 0 && s > 0 ? wider(sides.beyond, R * ((length_drift + 2 * A * drift) / E +
                                                           9 * A * A * drift * (1 + length_drift) / (E * E)))
                                : bounds::unknown;
  sides.context = wider(sides.context, A * drift);
  sides.minus_context = wider(sides.minus_context, 2 * drift);
  sides.unselected = wider(sides.unselected, R * length_drift);
  // m = 1; a pair's distance moves by 2 t.
  const double bracket = others * A + R;
  sides.printed = wider(sides.printed, R * drift + bracket * length_drift);
  sides.corrected = wider(sides.corrected, R * drift + bracket * length_drift);
}

SelectionSides at(std::size_t point, std::span<const float> weights, const RowMasses& masses,
                  const bounds::DistanceCurves& distance, const bounds::SeparabilityCurves& separability) {
  const std::size_t N = distance.N[point], L = weights.size();
  const Certified others = bounds::exact(static_cast<double>(L - N));
  SelectionSides sides{.length = L,
                       .count = N,
                       .one_hot = masses.support() == 1,
                       .distance = distance.distance[point],
                       .beyond = absolute(distance.distance[point] - others * distance.context[point]),
                       .minus_context = bounds::unknown,  // below
                       .context = distance.context[point],
                       .unselected = distance.unselected[point],
                       .rest = masses.rest(N),
                       .printed = distance.printed[point],
                       .corrected = distance.corrected[point],
                       .spread = masses.spread(),
                       .radius = separability.radius,
                       .closest = separability.closest,
                       .farthest = separability.farthest,
                       .r = separability.r[point],
                       .separable = separability.separable[point],
                       .printed_lower = {separability.printed_lower[0][point], separability.printed_lower[1][point]},
                       .printed_upper = separability.printed_upper[0][point]};
  sides.minus_context = {sides.context.value, error_above(sides.context.error + most(sides.unselected))};
  // Beyond the support f_i = ||s|| for every token of weight 0, selected or not: exact ties, which the curves leave
  // open.
  const std::size_t ties = N - std::min(N, masses.support());
  sides.separable.least = std::min(sides.separable.least + ties, sides.separable.most);
  return sides;
}

// A token is certainly shorter than the longest where the selected ones all are, or the unselected ones in the mean.
bool lengths_differ(const SelectionSides& sides, Certified largest_selected) {
  return certainly_below(largest_selected, sides.radius) ||
         certainly_below(sides.unselected, sides.rest * sides.radius);
}

}  // namespace

std::vector<SelectionSides> selection_sides(std::span<const float> weights, TokenScale scale, bool zero_token,
                                            const bounds::DistanceCurves& distance,
                                            const bounds::SeparabilityCurves& separability) {
  ATTNCERT_ASSERT(distance.N == separability.N && distance.N.front() >= 1);
  ATTNCERT_ASSERT(scale == TokenScale::raw || separability.token_error >= unit_token_error);
  const RowMasses masses(weights);
  std::vector<SelectionSides> all;
  bool differ = false;
  for (std::size_t point = 0; point < distance.N.size(); ++point) {
    all.push_back(at(point, weights, masses, distance, separability));
    differ = differ || lengths_differ(all.back(), distance.largest_selected[point]);
  }
  for (SelectionSides& sides : all) {
    sides.unit = scale == TokenScale::unit && !zero_token;
    sides.equal_norms = sides.unit ? Truth::yes : differ || zero_token ? Truth::no : Truth::unknown;
    if (scale == TokenScale::unit && sides.count < sides.length) cover_unit_vectors(masses, sides);
  }
  return all;
}

}  // namespace attncert
