// Two ways, each with its own proved error; the better one is taken (docs/bounds.md, "Difference quotient"). With
// p = softmax(l / T), h = eps u / T less any constant kappa (softmax does not see it) and m = sum p_j expm1(h_j):
//   small steps: p'_i - p_i = p_i (expm1(h_i) - m) / (1 + m), which loses no digits as eps -> 0;
//   large steps: softmax((l + eps u) / T) - softmax(l / T), the difference at the peak taken from all the others.
#include "src/bounds/finite_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/bounds/blocked_sum.hpp"
#include "src/bounds/softmax_row.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;
// Products of first-order errors, of which the larger is below 2^-20; and the rounding of the errors themselves.
constexpr double second_order = 1 + 0x1p-18;

// What one call works on; kept by the thread so that rows of a model do not allocate.
struct Room {
  std::vector<double> logits, direction, weights;  // the direction scaled to a largest entry in [1, 2)
  std::vector<double> change, change_error;        // p' - p and what each entry errs by
  std::vector<double> growth, growth_error;        // expm1(h)
  std::vector<double> moved, moved_weights;
};

// Roundings of norm(): half of those of the sum of squares, the square root, the scaled squares.
double norm_roundings(std::size_t n) { return static_cast<double>(blocked_additions(n)) / 2 + 2; }

// A power of two in two factors, for it may be beyond the range of a double.
struct Power {
  double first, second;
};
Power reciprocal_power(double value) {  // takes value into [1, 2)
  const int exponent = -std::ilogb(value), half = exponent / 2;
  return {std::ldexp(1.0, half), std::ldexp(1.0, exponent - half)};
}

// sqrt(sum x^2), scaled by a power of two: neither overflow nor lost squares.
double norm(const std::vector<double>& x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  const Power scale = reciprocal_power(largest);
  const double squares = blocked_sum(x.size(), [&](std::size_t i) {
    const double scaled = x[i] * scale.first * scale.second;
    return scaled * scaled;
  });
  return std::sqrt(squares) / scale.first / scale.second;
}

// || change || / eps from what the room holds.
Certified quotient_of(const Room& room, double eps) {
  const double length = norm(room.change);
  const double error = norm(room.change_error) + length * (norm_roundings(room.change.size()) + 1) * u;
  return {length / eps, error / eps * second_order + std::numeric_limits<double>::min()};
}

// A number near the mean of the direction under the weights: an entry of it (exact where all are equal or one weight
// has all the mass) or the computed mean, whichever leaves less to grow. Any number is right.
double centre_of(const Room& room) {
  const std::vector<double>&p = room.weights, &x = room.direction;
  const auto peak = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
  const auto spread = [&](double centre) {
    return blocked_sum(x.size(), [&](std::size_t i) { return p[i] * std::abs(x[i] - centre); });
  };
  const double mean = blocked_sum(x.size(), [&](std::size_t i) { return p[i] * x[i]; });
  return spread(x[peak]) <= spread(mean) ? x[peak] : mean;
}

// Fills growth = expm1(step (x_i - centre)) and its errors; false where it grows beyond e^300.
bool grow(Room& room, double step, double step_roundings) {
  constexpr double highest = 300, lowest = 800;  // below -800 |h| exp(h) is nothing, 2^-1140
  const std::size_t n = room.direction.size();
  const double centre = centre_of(room);
  const double relative = (step_roundings + 2) * u;  // step; x_i - centre; the product
  const double underflow = 0x1p-1070 * (1 + step);   // of the scaled entry, the step, the product
  room.growth.resize(n);
  room.growth_error.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double h = step * (room.direction[i] - centre);
    if (!(h <= highest)) return false;
    const double grown = std::expm1(h);  // glibc: 1 ulp documented, 2 taken
    const double factor = 1 + grown + 8 * u;
    room.growth[i] = grown;
    room.growth_error[i] = (relative * std::min(std::abs(h), lowest) + underflow) * factor + 4 * u * std::abs(grown);
  }
  return true;
}

Certified small_steps(Room& room, double weight_error, double step, double step_roundings, double eps) {
  const std::size_t n = room.direction.size();
  if (!std::isfinite(step) || !grow(room, step, step_roundings)) return unknown;
  const std::vector<double>&p = room.weights, &grown = room.growth, &grown_error = room.growth_error;
  const double mean = blocked_sum(n, [&](std::size_t i) { return p[i] * grown[i]; });
  const double size = blocked_sum(n, [&](std::size_t i) { return p[i] * std::abs(grown[i]); });
  const double carried = blocked_sum(n, [&](std::size_t i) { return p[i] * grown_error[i]; });
  double largest = 0;
  for (const double value : grown) largest = std::max(largest, std::abs(value));

  const double additions = static_cast<double>(blocked_additions(n));
  const double mean_error = (carried + (weight_error + (additions + 1) * u) * size +
                             static_cast<double>(n) * subnormal_weight_error * (1 + largest)) *
                            second_order;
  const double total = 1 + mean, total_error = (mean_error + u * std::abs(total)) / total;
  if (!(total > 0 && total_error <= 0x1p-20)) return unknown;
  // The weight, the difference, the product and the quotient; the total.
  const double relative = weight_error + 3 * u + total_error;
  const double underflow = 2 * subnormal_weight_error * (1 + (largest + std::abs(mean)) / total);
  for (std::size_t i = 0; i < n; ++i) {
    room.change[i] = p[i] * (grown[i] - mean) / total;
    room.change_error[i] =
        p[i] * (grown_error[i] + mean_error) / total + std::abs(room.change[i]) * relative + underflow;
  }
  return quotient_of(room, eps);
}

// Where one weight has more than half of both rows, its change is minus the sum of the others': those are small, and so
// are their errors.
void mend_peak(Room& room) {
  const std::vector<double>&p = room.weights, &moved = room.moved_weights;
  std::size_t peak = 0;
  for (std::size_t i = 1; i < p.size(); ++i)
    if (p[i] + moved[i] > p[peak] + moved[peak]) peak = i;
  if (p[peak] + moved[peak] <= 1) return;
  room.change[peak] = room.change_error[peak] = 0;
  const auto sum_of = [&](auto term) { return blocked_sum(p.size(), term); };
  const double others = sum_of([&](std::size_t i) { return room.change[i]; });
  const double sizes = sum_of([&](std::size_t i) { return std::abs(room.change[i]); });
  const double errors = sum_of([&](std::size_t i) { return room.change_error[i]; });
  room.change[peak] = -others;
  room.change_error[peak] = errors + static_cast<double>(blocked_additions(p.size())) * u * sizes;
}

Certified large_steps(Room& room, double weight_error, double stride, double stride_roundings, double temperature,
                      double eps) {
  const std::size_t n = room.direction.size();
  room.moved.resize(n);
  double displaced = 0;  // the largest error of a moved logit
  for (std::size_t i = 0; i < n; ++i) {
    const double way = stride * room.direction[i];
    room.moved[i] = room.logits[i] + way;
    if (!std::isfinite(room.moved[i])) return unknown;
    displaced = std::max(displaced, u * std::abs(room.moved[i]) + (stride_roundings + 1) * u * std::abs(way));
  }
  displaced += 0x1p-1070 * (1 + stride);
  // Logits off by at most t T change a weight by a factor within exp(+-2 t).
  const double factor = std::expm1(2 * displaced / temperature * second_order);
  if (!(factor <= 0x1p-20)) return unknown;
  const double moved_error = softmax_row(room.moved, temperature, room.moved_weights) + factor;
  for (std::size_t i = 0; i < n; ++i) {
    const double p = room.weights[i], moved = room.moved_weights[i];
    room.change[i] = moved - p;
    room.change_error[i] =
        moved_error * moved + weight_error * p + u * std::abs(moved - p) + 4 * subnormal_weight_error;
  }
  mend_peak(room);
  return quotient_of(room, eps);
}

// Takes the direction times a power of two, so that its largest entry lies in [1, 2); false where it has none.
bool take_direction(std::span<const double> direction, std::vector<double>& out) {
  double largest = 0;
  for (const double value : direction) {
    if (!std::isfinite(value)) return false;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) return false;
  const Power scale = reciprocal_power(largest);
  out.resize(direction.size());
  for (std::size_t i = 0; i < direction.size(); ++i) out[i] = direction[i] * scale.first * scale.second;
  return true;
}

// Two rows of weights differ by sqrt 2 at most, and softmax is 1 / (2T)-Lipschitz (docs/claims.md).
Certified anything(double eps, double temperature) {
  const double half = std::min(std::sqrt(0.5) / eps, 0.25 / temperature);
  return std::isfinite(half) ? Certified{half, half * second_order + std::numeric_limits<double>::min()} : unknown;
}

bool positive(double value) { return value > 0 && std::isfinite(value); }

}  // namespace

template <class T>
Certified difference_quotient(std::span<const T> logits, std::span<const double> direction, double eps,
                              double temperature) {
  static thread_local Room room;
  if (logits.empty() || logits.size() != direction.size() || !positive(eps) || !positive(temperature)) return unknown;
  if (!std::all_of(logits.begin(), logits.end(), [](T logit) { return std::isfinite(logit); })) return unknown;
  if (!take_direction(direction, room.direction)) return unknown;
  if (std::all_of(direction.begin(), direction.end(), [&](double x) { return x == direction[0]; })) return {0, 0};

  room.logits.assign(logits.begin(), logits.end());
  room.change.resize(logits.size());
  room.change_error.resize(logits.size());
  const double weight_error = softmax_row(room.logits, temperature, room.weights);
  const double length = norm(room.direction), length_roundings = norm_roundings(logits.size());
  constexpr double good = 0x1p-40;
  Certified best = small_steps(room, weight_error, eps / temperature / length, length_roundings + 2, eps);
  if (!(best.error <= good * best.value)) {
    const Certified other = large_steps(room, weight_error, eps / length, length_roundings + 1, temperature, eps);
    if (!(best.error <= other.error)) best = other;
  }
  const Certified bounded = anything(eps, temperature);
  return best.error < bounded.error && std::isfinite(best.value) ? best : bounded;
}

template Certified difference_quotient<float>(std::span<const float>, std::span<const double>, double, double);
template Certified difference_quotient<double>(std::span<const double>, std::span<const double>, double, double);

}  // namespace attncert::bounds
