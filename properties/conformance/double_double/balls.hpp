// Rows of balls (ball-inl.h): numbers of a row, each as high + low with a bound of its error, |exact - (high + low)| <=
// error, and what truths of normalizers are made of. Nothing here needs a proof of its own error: every operation
// counts what it rounds off (docs/double-double.md, 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/judge.hpp"

namespace attncert::double_double {

// Arrays of vectors have room for whole ones: 16 doubles is twice the widest.
inline constexpr std::size_t ball_padding = 16;
inline std::size_t padded_to_vectors(std::size_t length) {
  return (length + ball_padding - 1) / ball_padding * ball_padding;
}

struct Number {
  double high = 0, low = 0, error = 0;
};
Number number(const Factor& factor);

struct Balls {
  std::size_t length = 0;
  std::vector<double> high, low, error;  // padded; error = infinity: nothing is known

  void resize(std::size_t to) {
    length = to;
    for (std::vector<double>* each : {&high, &low, &error}) each->resize(padded_to_vectors(to));
  }
};

// Logits (magnitudes to 2^900) and factor (1/2 .. 1, 1 / T) of a row; `logits` is padded, -inf where nothing takes part
// and beyond the row. Entries that take no part have terms of 0.
struct BallRow {
  std::size_t length;
  const double* logits;
  Number factor;
};

// Weights or terms at 2^512 times themselves, so that f64's subnormal ones have all their digits.
inline constexpr double ball_unit = 0x1p512;

// The numbers of a truth at its scale of 512.
void take(const Truth& truth, Balls& to);
// sigma(x) = 1 / (1 + exp(-x)), x = z factor + bias, sigma(-x), or their product, at 2^512. Below 0 sigma is divided by
// exp(top), top <= 0 the largest x of a row without another: for sums of numbers below every exponent.
enum class SigmoidTerm : std::uint8_t { sigma, complement, slope };
void sigmoid_terms(const BallRow& row, double bias, double top_logit, SigmoidTerm which, Balls& to);
void positive_parts(const BallRow& row, Balls& to);  // max(z, 0)
// 2^512 unit^-order times the sum of x^k / k!, k <= order, x = z factor; unit is a power of two and at least |x|.
void taylor_terms(const BallRow& row, std::uint32_t order, double unit, Balls& to);
// max(threshold - (largest - z) factor, 0).
void heights(const BallRow& row, double largest, const Number& threshold, Balls& to);
void raise(Balls& balls, const Number& exponent);  // in place, of numbers in [0, 1], at 2^512; 0 stays 0
void square(Balls& balls);                         // the same, exponent 2
void indicate(Balls& balls);                       // 1 of what is positive, at 2^512, in place; 0 stays 0
void times_height_above(const BallRow& row, double low, Balls& balls);  // times z - low

Number sum(const Balls& balls);
void scale(Balls& balls, const Number& by, const Number& over);  // times by / over
void multiply(Balls& balls, const Balls& by);                    // both at 2^512, and so is the product

// The gradient of a_i = s_i / sum s: slopes_i (g_i - sum shares_j g_j) factor, shares and slopes at 2^512; written with
// its magnitude |slopes_i| (|g_i| + sum shares_j |g_j|) |factor| at the same scale. |g| <= 1.
// negligible: 2^-50 of the format's smallest normal number, at 2^512. A magnitude may be off by that: its unit is the
// smallest then, or it is off by less than 2^-46 of itself.
struct BallGradient {
  const Balls &shares, &slopes;
  const double* upstream;  // padded with 0
  Number factor;
  double negligible;
};
void differentiate(const BallGradient& gradient, Balls& to, std::vector<double>& magnitude);
// (g_i - p_i sum g_j) factor of weights p at 2^512.
void differentiate_logarithm(const BallGradient& gradient, Balls& to, std::vector<double>& magnitude);
// The gradient of p_i f_i, p softmax's weights (`shares`, at 2^512), f_i = (z_i - low) / unit: with e_i = (top - z_i) /
// unit, c_i = g_i - sum_j p_j g_j and peak = (top - low) / unit,
//   p_i (peak c_i - e_i g_i + sum_j e_j p_j g_j) rate + d_i power / unit,  d_i = p_i g_i,
// but where an end moves with the n logits that are it (reference/normalizers/sa_softmax_vjp.cpp) d_i there is p_i (g_i
// - mean of g there) - (1 / n) sum over the others of b_j p_j g_j, b_j = 1, or at the lower end of a range (high - z_j)
// / unit and at the upper one f_j.
struct AdjustedEnd {
  double logit = 0;
  std::size_t count = 0;  // of logits that it moves with; 0: it stands still
  double origin = 0;      // the upstream of one of them
};
struct AdjustedGradient {
  const BallRow& row;
  const Balls& shares;
  const double* upstream;  // |g| <= 1, padded with 0
  double top, origin;      // the largest logit, and the upstream of one such
  AdjustedEnd low, high;
  bool over_range;  // unit = high - low
  // Magnitudes are those of p_i (g_i + f_i g_i - sum_j f_j p_j g_j), not of the terms above.
  bool plain_magnitudes;
  Number unit, rate;  // rate: power / T
  double power, negligible;
};
void differentiate_adjusted(const AdjustedGradient& gradient, Balls& to, std::vector<double>& magnitude);
// slopes_i g_i factor.
void multiply_upstream(const BallGradient& gradient, Balls& to);

// The truth that balls at 2^512 are: NaN where nothing takes part and, if asked, where they are exactly 0.
Truth truth_of(Balls& balls, const BallRow& row, bool zeros_are_absent, const std::vector<double>* magnitude);

}  // namespace attncert::double_double
