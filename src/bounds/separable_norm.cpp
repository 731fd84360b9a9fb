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

enum class Side { below, above, unclear };  // is the largest eigenvalue certainly <= x, >= x?

struct Near {  // a number and a bound of its error
  double value, error;
};
Near sum_of(Near a, Near b) {
  return {a.value + b.value, (a.error + b.error + u * std::abs(a.value + b.value)) * (1 + 4 * u)};
}

struct Located {
  Side side = Side::unclear;
  double determinant = 0;  // only steers the search
};

// The signs of a symmetric 2 x 2 matrix; above: how many g^2 exceed x, 0 or 1.
Located locate(Near a, Near b, Near c, int above) {
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

class Row {
 public:
  Row(std::span<const double> weights, std::span<const double> slopes);
  SeparableNorm norms() const;

 private:
  void sums();
  double without(std::size_t skipped, double power_two) const;
  Located ask(double x) const;  // x > second_
  void search(double& low, double& high) const;
  void widen(double x, double& low, double& high) const;

  std::size_t length_, top_ = 0, heaviest_ = 0;  // top: the largest slope
  int weight_exponent_ = 0, slope_exponent_ = 0;
  std::vector<double> weights_, squared_;              // padded; the top's own are kept apart, and zero here
  double top_weight_ = 0, steepest_ = 0, second_ = 0;  // largest and next g^2
  double total_ = 0, total_squares_ = 0;               // sum w, sum w^2
  double column_ = 0, frobenius_ = 0;                  // largest squared column, and their sum, times (sum w)^2
  double error_ = 0;                                   // of a sum of nonnegative terms
  double slack_ = 0;                                   // of the bracket that the search starts from
  bool faint_ = false;                                 // some square or weight underflowed
};

Row::Row(std::span<const double> weights, std::span<const double> slopes) : length_(weights.size()) {
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
}

// Column j of J is g_j (e_j - a), of squared norm g_j^2 [(1 - a_j)^2 + sum over i != j of a_i^2]: 1 - a_j from the
// others where a_j may exceed 1/2.
void Row::sums() {
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
Located Row::ask(double x) const {
  if (x == steepest_) return {};
  const InertiaSums sums = inertia_sums(weights_, squared_, x, top_weight_);
  const double top_slope = steepest_ / (x - steepest_), top_lift = x / (x - steepest_);
  const double e = error_ + 8 * u;
  constexpr double underflow = 0x1p-1030;  // 2^-1074 a term and rounding
  const auto near = [&](double value) { return Near{value, e * std::abs(value) + underflow}; };
  const int above = steepest_ > x ? 1 : 0;
  const Near a = sum_of(near(sums.slopes), near(top_slope));
  const double c = top_weight_;
  const Located plain = locate(a, sum_of(near(sums.weights), near(c * top_lift)),
                               sum_of(near(sums.squares), near(c * c * top_lift)), above);
  if (plain.side != Side::unclear) return plain;
  const Near b = sum_of(near(total_), {sums.shifted, e * sums.shifted_sizes + underflow});
  const Near fixed = sum_of(near(total_squares_), near(-2 * c * total_));
  return locate(a, b, sum_of(fixed, near(sums.shifted_squares)), above);
}

// From x, at or very near the eigenvalue: the nearest points on both sides that can be told from it.
void Row::widen(double x, double& low, double& high) const {
  for (double step = error_; step < 1 && x * (1 - step) > low; step *= 4)
    if (ask(x * (1 - step)).side == Side::above) {
      low = x * (1 - step);
      break;
    }
  for (double step = error_; step < 1 && x * (1 + step) < high; step *= 4)
    if (ask(x * (1 + step)).side == Side::below) {
      high = x * (1 + step);
      break;
    }
}

// Regula falsi on the determinant where both ends have one (the Illinois rule), every third step a halving: poles and
// changes of basis slow it down but cannot stop it. Where nothing can be told, both sides are fetched.
void Row::search(double& low, double& high) const {
  constexpr int most_steps = 200, most_widenings = 3;
  constexpr double narrow = 0x1p-36;
  double at_low = 0, at_high = 0;
  int last = 0, widenings = 0;
  for (int step = 0; step < most_steps && high - low > 4 * u * high; ++step) {
    double x = high > 2 * low ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    if (step % 3 != 0 && at_low * at_high < 0) x = low + (high - low) * (at_low / (at_low - at_high));
    if (!(x > low && x < high)) x = low + (high - low) / 2;
    if (!(x > low && x < high)) return;
    const Located located = ask(x);
    if (located.side == Side::unclear) {
      widen(x, low, high);
      if (++widenings >= most_widenings || high - low <= narrow * low) return;
      at_low = at_high = last = 0;
      continue;
    }
    const int side = located.side == Side::above ? 1 : -1;
    (side > 0 ? low : high) = x;
    (side > 0 ? at_low : at_high) = located.determinant;
    if (side == last) (side > 0 ? at_high : at_low) /= 2;
    last = side;
  }
}

SeparableNorm Row::norms() const {
  SeparableNorm out;
  out.known = true;
  if (faint_) out.floor = std::ldexp(static_cast<double>(length_), slope_exponent_ + faint_floor);
  if (steepest_ == 0 || length_ < 2 || column_ < least_column) return out;  // 0, but for the floor
  const double scale = total_ * total_;
  double low = std::max(second_, column_ / scale * (1 - slack_)), high = frobenius_ / scale * (1 + slack_);
  // I - a 1^T is a projector, of norm sqrt(L) ||a||.
  high = std::min(high, steepest_ * (static_cast<double>(length_) * total_squares_ / scale) * (1 + slack_));
  high = std::max(high, low);
  search(low, high);
  const double middle = low + (high - low) / 2;
  // g^2 was rounded (u / 2 of a norm), so were the root and the middle.
  const double width = (high - low) / (2 * low);
  out.spectral = {std::sqrt(middle), slope_exponent_, width * (1 + 4 * u) + 8 * u};
  // sum w: error_, squared; each column's sum of squares grows errors at most 6 times.
  out.frobenius = {std::sqrt(frobenius_) / total_, slope_exponent_, 6 * error_ + 24 * u};
  out.growth = std::sqrt(static_cast<double>(length_) * total_squares_) / total_ * (1 + slack_);
  return out;
}

}  // namespace

SeparableNorm separable_norm(std::span<const double> weights, std::span<const double> slopes) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto weight = [](double value) { return std::isfinite(value) && value >= 0; };
  const bool some = std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; });
  if (weights.size() != slopes.size() || weights.size() > longest || !some) return {};
  if (!std::all_of(weights.begin(), weights.end(), weight) || !std::all_of(slopes.begin(), slopes.end(), finite))
    return {};
  return Row(weights, slopes).norms();
}

// The exact weights are E a / c for E = diag(1 + theta), |theta| <= eta, and their Jacobian is E Q J E^-1 with
// Q = I - a (E 1 / c)^T, which moves vectors of sum 0 by at most ||a|| sqrt(L) 2 eta / (1 - eta): docs/bounds.md.
double separable_input_error(const SeparableNorm& norm, double weight, double slope) {
  if (!(weight < 0.25 && slope < 0.25)) return HUGE_VAL;
  const double eta = weight / (1 - weight), moved = 2 * eta / (1 - eta);
  const double grown = 1 + norm.growth * (1 + moved) * moved;
  return ((1 + eta) / (1 - eta) * grown / (1 - slope) - 1) * (1 + 0x1p-20) + 8 * u;
}

}  // namespace attncert::bounds
