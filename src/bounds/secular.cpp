// The root of 1/x = 1/w_1 + 1/k(x). k does not grow, so Y(x) = 1 / (1/w_1 + 1/k(x)) does not either and the root lies
// between x and Y(x) for every x > w_2: one evaluation is a certificate. Where to evaluate is only a guess (k is taken
// as constant + pole at w_2, with the value and the slope of the last evaluation), and no guess can make the answer
// wrong. docs/bounds.md.
#include "src/bounds/secular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/bounds/secular_sums.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;
constexpr int most_passes =
    64;  // ordinary rows take 2 to 5; halving alone brings any bracket to neighbours in this many

// x = w_2 + t from the model k(x) = constant + pole / (x - w_2): the positive root of
// (1 + constant/w_1) t^2 + (w_2 - constant gap + pole/w_1) t - pole gap = 0, gap = 1 - w_2/w_1.
double model_root(double second, double inverse_first, double gap, double constant, double pole) {
  const double a = 1 + constant * inverse_first, b = second - constant * gap + pole * inverse_first, c = pole * gap;
  const double root = std::sqrt(b * b + 4 * a * c);
  return second + (b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a));
}

// Without an evaluation yet: sum r^2 / (x - r) as one pole at the mean sum r^3 / sum r^2.
double first_guess(const Spectrum& s, double inverse_first) {
  if (s.squares == 0) return s.v / (1 + s.v * inverse_first);
  const double pole = s.cubes / s.squares;
  return model_root(pole, inverse_first, 1 - pole * inverse_first, s.sum + s.v, s.squares);
}

// Exponents of x = m 2^e, m in [1, 2).
int exponent_of(double x) { return std::ilogb(x); }

}  // namespace

template <class T>
bool spectrum_of(std::span<const T> weights, Spectrum& out, double v) {
  static thread_local std::vector<double> scaled;
  const TopTwo top = top_two(weights);
  if (!top.valid || top.first == 0) return false;
  const int first = exponent_of(top.first);
  const double next = std::max(static_cast<double>(top.second), v);
  out.exponent = next > 0 ? std::min(exponent_of(next), first) : first;
  out.lead = first - out.exponent;
  out.v = std::ldexp(v, -out.exponent);
  out.first = std::ldexp(top.first, -first);
  const std::size_t length = weights.size();
  scaled.resize((length + rest_padding - 1) / rest_padding * rest_padding);
  const int low = -out.exponent / 2;
  scale_into(weights, std::ldexp(1.0, low), std::ldexp(1.0, -out.exponent - low), scaled.data());
  std::fill(scaled.begin() + static_cast<std::ptrdiff_t>(length), scaled.end(), 0.0);
  const auto at = std::find(weights.begin(), weights.end(), static_cast<T>(top.first)) - weights.begin();
  scaled[static_cast<std::size_t>(at)] = 0;
  out.second = std::ldexp(top.second, -out.exponent);
  out.rest = scaled;
  const PowerSums sums = power_sums(out.rest);
  out.sum = sums.sum;
  out.squares = sums.squares;
  out.cubes = sums.cubes;
  out.sum_error = sum_error(scaled.size());
  return true;
}
template bool spectrum_of<float>(std::span<const float>, Spectrum&, double);
template bool spectrum_of<double>(std::span<const double>, Spectrum&, double);

SecularSearch::SecularSearch(const Spectrum& spectrum, double sum_error) : s_(spectrum) {
  done_ = true;
  best_ = {0, 0, 0};
  if (s_.lead == 0 && s_.second == s_.first) best_.value = s_.first;  // a tie at the top: mu = w_1 = w_2
  else if (s_.second != 0 || s_.v != 0) done_ = false;
  if (done_) return;
  const double scale = std::ldexp(1.0, -s_.lead);
  inverse_first_ = scale / s_.first;
  gap_ = (s_.first - s_.second * scale) / s_.first;
  // k = x sum + v: sum_error, and 3 roundings; 1/w_1 and what Y is computed by: 5 (docs/bounds.md).
  const double rounding = sum_error + 8 * u;
  noise_ = rounding * (1 + 4 * rounding);
  above_ = std::nextafter(s_.second, HUGE_VAL);
  low_ = s_.second;
  high_ = std::ldexp(s_.first, s_.lead);
  x_ = first_guess(s_, inverse_first_);
  y_ = std::min(high_, std::numeric_limits<double>::max());
  best_.relative = HUGE_VAL;
  next();
}

// Where to evaluate: the guess, or, where that is outside, by turns the last Y (at first w_1), and the middle.
void SecularSearch::next() {
  const bool outside = !(x_ > low_ && x_ < high_);
  if (outside) x_ = halve_ ? low_ + (std::min(high_, std::numeric_limits<double>::max()) - low_) / 2 : y_;
  halve_ = outside && !halve_;
  x_ = std::max(x_, above_);
}

void SecularSearch::take(PoleSums poles) {
  const double k = x_ * poles.first + s_.v;
  y_ = k / (1 + k * inverse_first_);
  const double relative = (std::abs(y_ - x_) / x_ + noise_ * (y_ / x_)) * (1 + 0x1p-40);
  best_.passes = ++pass_;
  if (relative < best_.relative) best_ = {x_, relative, pass_};
  low_ = std::max(low_, std::min(x_, y_));
  high_ = std::min(high_, std::max(x_, y_));
  done_ = relative <= 5 * noise_ || !(std::nextafter(low_, HUGE_VAL) < high_) || pass_ == most_passes;
  if (done_) return;
  const double distance = x_ - s_.second, pole = poles.second * distance * distance;
  x_ = model_root(s_.second, inverse_first_, gap_, k - poles.second * distance, pole);
  next();
}

SecularRoot largest_root(const Spectrum& spectrum) {
  SecularSearch search(spectrum, spectrum.sum_error);
  while (!search.done()) search.take(pole_sums(spectrum.rest, search.at()));
  return search.best();
}

Scaled eigenvalue_of(const SecularRoot& root) { return {root.value, 0, root.relative}; }
Scaled largest_eigenvalue(const Spectrum& spectrum) { return eigenvalue_of(largest_root(spectrum)); }

// (v + w_1 + sum of the rest) 2^-lead: sums of nonnegative terms, and what underflows is below 2^-1000 of first >= 1.
Scaled total(const Spectrum& s) { return {s.first + std::ldexp(s.sum + s.v, -s.lead), s.lead, s.sum_error + 4 * u}; }

// ||M||_F^2 sigma^2 = w_1^2 [(R + v)^2 + 2 Q] + (sigma^2 + Q) Q - 2 sigma C, with R, Q, C the rest's sums of powers and
// sigma = v + w_1 + R. The last term is at most 0.58 of the others (docs/bounds.md), so their relative error grows by
// less than 4.
Scaled frobenius_norm(const Spectrum& s) {
  if (s.second == 0 && s.v == 0) return {0, 0, 0};
  const double scale = std::ldexp(1.0, -s.lead), sigma = total(s).mantissa, others = s.sum + s.v;
  const double positive =
      s.first * s.first * (others * others + 2 * s.squares) + (sigma * sigma + scale * scale * s.squares) * s.squares;
  const double negative = 2 * sigma * scale * s.cubes;
  return {std::sqrt(positive - negative) / sigma, 0, 7 * s.sum_error + 40 * u};
}

Scaled ratio(const Scaled& numerator, const Scaled& denominator) {
  return {numerator.mantissa / denominator.mantissa, numerator.exponent - denominator.exponent,
          (numerator.relative + denominator.relative + 2 * u) * (1 + 0x1p-20)};
}

double input_error(double relative_error, int degree) {
  if (!(relative_error < 1)) return HUGE_VAL;
  return std::expm1(-degree * std::log1p(-relative_error)) * (1 + 0x1p-40);
}

Certified over_temperature(const Scaled& scaled, double temperature, double inputs, double floor) {
  constexpr double subnormal = std::numeric_limits<double>::min();
  int of_temperature = 0;
  const double divisor = std::frexp(temperature, &of_temperature);
  const double value = std::ldexp(scaled.mantissa / divisor, scaled.exponent - of_temperature);
  if (!(value <= std::numeric_limits<double>::max())) return unknown;
  const double relative = scaled.relative + 2 * u + inputs * (1 + scaled.relative + 2 * u);
  double error = value * relative * (1 + 0x1p-40);
  // Below 2^-900 the result or the product above may be rounded as subnormal.
  if (scaled.mantissa != 0 && value < 0x1p-900) error += subnormal;
  if (floor > 0) error += floor / temperature * (1 + 0x1p-40) + subnormal;
  if (!(error <= std::numeric_limits<double>::max())) return unknown;
  return {value, error};
}

}  // namespace attncert::bounds
