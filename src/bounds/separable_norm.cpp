// ||J||_2^2 is the largest eigenvalue of J^T J = D - g (g a)^T - (g a) g^T + |a|^2 g g^T, D = diag g^2: D plus rank
// two. By Haynsworth's formula (1968) the number of eigenvalues above x is #{g^2 > x} + (positive eigenvalues of a 2 x
// 2 matrix W(x)) - 1, so a sign that is certain despite rounding puts x on one side for certain, with ties of g^2 like
// anything else. docs/bounds.md.
#include "src/bounds/separable_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "src/bounds/inertia_sums.hpp"
#include "src/bounds/secular_sums.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;
constexpr std::size_t longest = std::size_t{1} << 30;

// Relative to the largest. Where no weight and no slope is fainter, no square and no product of squares underflows
// (2^-800); where one is, both norms are off by less than 2^-430 L beside their relative errors.
constexpr double faint = 0x1p-200, least_column = 0x1p-900;
constexpr int faint_floor = -430;

struct Near {  // a number and a bound of its error
  double value, error;
};
Near sum_of(Near a, Near b) {
  return {a.value + b.value, (a.error + b.error + u * std::abs(a.value + b.value)) * (1 + 4 * u)};
}

// The signs of a symmetric 2 x 2 matrix; above: how many g^2 exceed x, 0 or 1.
Located located(Near a, Near b, Near c, int above) {
  const double product = a.value * c.value, square = b.value * b.value, determinant = product - square;
  const double doubt = (std::abs(a.value) * c.error + std::abs(c.value) * a.error + a.error * c.error +
                        2 * std::abs(b.value) * b.error + b.error * b.error + 4 * u * (std::abs(product) + square)) *
                           (1 + 16 * u) +
                       std::numeric_limits<double>::min();
  const bool positive = determinant > doubt, negative = determinant < -doubt;
  const bool some = a.value > a.error || c.value > c.error;       // a positive eigenvalue for certain
  const bool falling = a.value < -a.error || c.value < -c.error;  // a negative one
  if (above == 1) {                                               // as many eigenvalues above x as W has positive ones
    if (some || negative) return {Side::above, determinant};
    if (positive && falling) return {Side::below, determinant};
  } else {  // one fewer, and W has one
    if (positive && some) return {Side::above, determinant};
    if (negative) return {Side::below, determinant};
  }
  return {Side::unclear, determinant};
}

// Sums in eight chains, as exact as the vector loops (secular_sums.hpp) with one lane more.
template <class Term>
double sum_over(std::size_t length, Term term) {
  std::array<double, 8> chain{};
  for (std::size_t i = 0; i < length; ++i) chain[i % 8] += term(i);
  return ((chain[0] + chain[1]) + (chain[2] + chain[3])) + ((chain[4] + chain[5]) + (chain[6] + chain[7]));
}

}  // namespace

SeparableRow::SeparableRow(std::span<const double> weights, std::span<const double> slopes) : length_(weights.size()) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto weight = [](double value) { return std::isfinite(value) && value >= 0; };
  const bool some = std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; });
  known_ = length_ == slopes.size() && length_ <= longest && some &&
           std::all_of(weights.begin(), weights.end(), weight) && std::all_of(slopes.begin(), slopes.end(), finite);
  if (!known_) return;
  double heaviest = 0, steepest = 0;
  for (std::size_t i = 0; i < length_; ++i) {
    if (weights[i] > heaviest) heaviest = weights[heaviest_ = i];
    if (std::abs(slopes[i]) > steepest) steepest = std::abs(slopes[top_ = i]);
  }
  if (steepest == 0) return;
  weight_exponent_ = std::ilogb(heaviest);
  slope_exponent_ = std::ilogb(steepest);
  const std::size_t padded = (length_ + rest_padding - 1) / rest_padding * rest_padding;
  weights_.assign(padded, 0);
  squared_.assign(padded, 0);
  const auto scaled = [](std::span<const double> from, int exponent, std::vector<double>& to) {
    scale_into(from, std::ldexp(1.0, exponent / 2), std::ldexp(1.0, exponent - exponent / 2), to.data());
  };
  scaled(weights, -weight_exponent_, weights_);
  scaled(slopes, -slope_exponent_, squared_);
  for (std::size_t i = 0; i < length_; ++i) {
    const double slope = squared_[i];
    faint_ = faint_ || (slopes[i] != 0 && std::abs(slope) < faint) || (weights[i] != 0 && weights_[i] < faint);
    squared_[i] = slope * slope;
  }
  // Eight chains of one lane, or as many as the vector loops have: the longer of the two.
  error_ = std::max(sum_error(padded), static_cast<double>(length_ / 8 + 16) * u);
  slack_ = 0x1p-30 + 16 * error_;
  sums();
  if (length_ < 2 || column_ < least_column) column_ = 0;
}

// Column j of J is g_j (e_j - a), of squared norm g_j^2 [(1 - a_j)^2 + sum over i != j of a_i^2]: 1 - a_j from the
// others where a_j may exceed 1/2.
void SeparableRow::sums() {
  const double heavy = weights_[heaviest_];
  weights_[heaviest_] = 0;
  const double rest = sum_over(length_, [&](std::size_t i) { return weights_[i]; });
  const double rest_squares = sum_over(length_, [&](std::size_t i) { return weights_[i] * weights_[i]; });
  weights_[heaviest_] = heavy;
  total_ = rest + heavy;
  total_squares_ = rest_squares + heavy * heavy;
  const auto column = [&](std::size_t i) {
    if (i == heaviest_) return squared_[i] * (rest * rest + rest_squares);
    const double others = total_ - weights_[i];
    return squared_[i] * (others * others + std::max(0.0, total_squares_ - weights_[i] * weights_[i]));
  };
  for (std::size_t i = 0; i < length_; ++i) column_ = std::max(column_, column(i));
  frobenius_ = sum_over(length_, column);
  top_weight_ = weights_[top_];
  steepest_ = squared_[top_];
  weights_[top_] = squared_[top_] = 0;
  second_ = *std::max_element(squared_.begin(), squared_.end());
}

// W(x) in two bases that are congruent, so that one of them keeps its digits: (g, g w) where x is far below the top's
// g^2, and (g, g (w - w_top)) near it, where the top's own huge term then stands in one entry only.
Located SeparableRow::locate(double x, const InertiaSums& sums, double sum_error) const {
  if (x == steepest_) return {};
  const double top_slope = steepest_ / (x - steepest_), top_lift = x / (x - steepest_);
  const double e = sum_error + 8 * u;
  constexpr double underflow = 0x1p-1030;  // 2^-1074 a term and rounding
  const auto near = [&](double value) { return Near{value, e * std::abs(value) + underflow}; };
  const int above = steepest_ > x ? 1 : 0;
  const Near a = sum_of(near(sums.slopes), near(top_slope));
  const double c = top_weight_;
  const Located plain = located(a, sum_of(near(sums.weights), near(c * top_lift)),
                                sum_of(near(sums.squares), near(c * c * top_lift)), above);
  if (plain.side != Side::unclear) return plain;
  const Near b = sum_of(near(total_), {sums.shifted, e * sums.shifted_sizes + underflow});
  const Near fixed = sum_of(near(total_squares_), near(-2 * c * total_));
  return located(a, b, sum_of(fixed, near(sums.shifted_squares)), above);
}

Scaled SeparableRow::frobenius() const {
  if (zero()) return {};
  // sum w: error_, squared; each column's sum of squares grows errors at most 6 times.
  return {std::sqrt(frobenius_) / total_, slope_exponent_, 6 * error_ + 24 * u};
}
double SeparableRow::floor() const {
  return faint_ ? std::ldexp(static_cast<double>(length_), slope_exponent_ + faint_floor) : 0;
}
double SeparableRow::growth() const {
  return zero() ? 1 : std::sqrt(static_cast<double>(length_) * total_squares_) / total_ * (1 + slack_);
}

SeparableSearch::SeparableSearch(const SeparableRow& row, double sum_error) : row_(row), error_(sum_error) {
  done_ = row.zero();
  if (done_) return;
  const double scale = row.total_ * row.total_;
  low_ = std::max(row.second_, row.column_ / scale * (1 - row.slack_));
  high_ = row.frobenius_ / scale * (1 + row.slack_);
  // I - a 1^T is a projector, of norm sqrt(L) ||a||.
  const double projector = static_cast<double>(row.length_) * row.total_squares_ / scale;
  high_ = std::max(low_, std::min(high_, row.steepest_ * projector * (1 + row.slack_)));
  propose();
}

// Regula falsi on the determinant where both ends have one (the Illinois rule), every third step a halving: poles and
// changes of basis slow it down but cannot stop it.
void SeparableSearch::propose() {
  constexpr int most_steps = 200;
  phase_ = Phase::search;
  done_ = step_ == most_steps || !(high_ - low_ > 4 * u * high_);
  if (done_) return;
  x_ = high_ > 2 * low_ ? std::sqrt(low_) * std::sqrt(high_) : low_ + (high_ - low_) / 2;
  if (step_ % 3 != 0 && at_low_ * at_high_ < 0) x_ = low_ + (high_ - low_) * (at_low_ / (at_low_ - at_high_));
  if (!(x_ > low_ && x_ < high_)) x_ = low_ + (high_ - low_) / 2;
  done_ = !(x_ > low_ && x_ < high_);
}

// Where nothing can be told, at or very near the eigenvalue, the nearest points on both sides that can be told from it
// are fetched.
void SeparableSearch::widen() {
  constexpr int most_widenings = 3;
  constexpr double narrow = 0x1p-36;
  if (phase_ == Phase::below && !(width_ < 1 && centre_ * (1 - width_) > low_)) phase_ = Phase::above, width_ = error_;
  x_ = centre_ * (phase_ == Phase::below ? 1 - width_ : 1 + width_);
  if (phase_ == Phase::below || (width_ < 1 && x_ < high_)) return;
  ++step_;
  at_low_ = at_high_ = last_ = 0;
  propose();
  if (++widenings_ >= most_widenings || high_ - low_ <= narrow * low_) done_ = true;
}

void SeparableSearch::narrow(Located located) {
  const int side = located.side == Side::above ? 1 : -1;
  (side > 0 ? low_ : high_) = x_;
  (side > 0 ? at_low_ : at_high_) = located.determinant;
  if (side == last_) (side > 0 ? at_high_ : at_low_) /= 2;
  last_ = side;
  ++step_;
  propose();
}

void SeparableSearch::take(const InertiaSums& sums) {
  const Located located = row_.locate(x_, sums, error_);
  if (phase_ == Phase::search && located.side != Side::unclear) return narrow(located);
  if (phase_ == Phase::search) {
    centre_ = x_, width_ = error_, phase_ = Phase::below;
  } else if (located.side == (phase_ == Phase::below ? Side::above : Side::below)) {
    (phase_ == Phase::below ? low_ : high_) = x_;
    width_ = 1;  // no farther on this side
  } else {
    width_ *= 4;
  }
  widen();
}

Scaled SeparableSearch::spectral() const {
  if (row_.zero()) return {};
  const double middle = low_ + (high_ - low_) / 2;
  // g^2 was rounded (u / 2 of a norm), so were the root and the middle.
  const double width = (high_ - low_) / (2 * low_);
  return {std::sqrt(middle), row_.slope_exponent_, width * (1 + 4 * u) + 8 * u};
}

Scaled largest_singular_value(const SeparableRow& row) {
  SeparableSearch search(row, row.sums_error());
  while (!search.done()) search.take(inertia_sums(row.weights(), row.squared_slopes(), search.at(), row.shift()));
  return search.spectral();
}

// The exact weights are E a / c for E = diag(1 + theta), |theta| <= eta, and their Jacobian is E Q J E^-1 with
// Q = I - a (E 1 / c)^T, which moves vectors of sum 0 by at most ||a|| sqrt(L) 2 eta / (1 - eta): docs/bounds.md.
double separable_input_error(const SeparableRow& row, double weight, double slope) {
  if (!(weight < 0.25 && slope < 0.25)) return HUGE_VAL;
  const double eta = weight / (1 - weight), moved = 2 * eta / (1 - eta);
  const double grown = 1 + row.growth() * (1 + moved) * moved;
  return ((1 + eta) / (1 - eta) * grown / (1 - slope) - 1) * (1 + 0x1p-20) + 8 * u;
}

}  // namespace attncert::bounds
