// 2^512 exp((z_i - pivot) c) of every entry of a row, and their sum, in double-double with a proved relative error
// (docs/double-double.md): the truth of softmax, and what other normalizers' truths are made of. c is 1/T for softmax(z
// / T); the pivot is the largest present logit (the smallest where c < 0), so that no exponent is above 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/conformance/double_double/double_double.hpp"

namespace attncert::double_double {

inline constexpr std::size_t longest_row = std::size_t{1} << 24;
inline constexpr double largest_logit = 0x1p1000;

// What the logits are multiplied by: |value - exact| <= relative |exact|. value.high is 0 or of magnitude 2^-900 ..
// 2^900.
struct Factor {
  DoubleDouble value{1, 0};
  double relative = 0;
};
Factor inverse(double temperature);                                      // 1 / T; out of range where T is
Factor scalable(double scale, std::size_t present, double temperature);  // s log(n) / T, n >= 1
bool in_range(const Factor& factor);

// Relative errors of one exponential and of the sum of so many (docs/double-double.md, 2 and 3).
double exponential_relative(const Factor& factor);
double exponential_sum_relative(std::size_t length, const Factor& factor);

class Exponentials {
 public:
  // False, and nothing to be read afterwards, where the tier has no proof to offer: NaN, +inf or a magnitude above
  // 2^1000 at a present position, nothing present, a row longer than 2^24, a factor out of range. Masked positions
  // (mask empty = keep all) and -inf take no part. Buffers are kept from row to row.
  template <class T>  // float or double
  bool compute(std::span<const T> logits, std::span<const std::uint8_t> mask, const Factor& factor);

  std::size_t length() const { return length_; }
  // high()[i] + low()[i] = 2^512 exp(...) (1 + e), |e| <= relative(); but where the exponent is below -800, exact and
  // given value only share that they lie in (0, absolute]. NaN at positions that take no part. Both arrays are padded
  // with anything to a multiple of 16.
  const double* high() const { return high_.data(); }
  const double* low() const { return low_.data(); }
  double relative() const { return relative_; }
  static constexpr double absolute = 0x1p-642;  // exp(-800) < 2^-1154

  // The sum of all, without the factor 2^512; and with it the sum of all but one entry at the pivot (0 for a single
  // one), which has an absolute error of 2^24 absolute besides. sum_relative() is the relative error of both.
  DoubleDouble sum() const { return sum_; }
  DoubleDouble scaled_rest() const;
  double sum_relative() const { return sum_relative_; }

  double pivot() const { return pivot_; }
  double deepest() const { return deepest_; }  // the largest -(z_i - pivot) c, to a few roundings
  const Factor& factor() const { return factor_; }
  bool all_present() const { return all_present_; }
  bool is_present(std::size_t i) const { return high_[i] == high_[i]; }
  std::size_t padded_length() const { return high_.size(); }

  // unit ((z_i - pivot) c) + shift for every entry, NaN where none takes part; unit is a power of two, shift <= 0 in
  // that unit, deepest() unit <= 2^1000. Reads the logits that were given to compute().
  void write_logarithms(DoubleDouble shift, double unit, double* high, double* low) const;

 private:
  std::size_t length_ = 0;
  bool all_present_ = true;
  double pivot_ = 0, deepest_ = 0, relative_ = 0, sum_relative_ = 0;
  const float* logits_f32_ = nullptr;  // one of the two: with -inf at masked positions
  const double* logits_f64_ = nullptr;
  Factor factor_;
  DoubleDouble sum_;
  std::vector<double> high_, low_;
  std::vector<float> unmasked_f32_;  // the logits, -inf at masked positions
  std::vector<double> unmasked_f64_;
};

extern template bool Exponentials::compute<float>(std::span<const float>, std::span<const std::uint8_t>, const Factor&);
extern template bool Exponentials::compute<double>(std::span<const double>, std::span<const std::uint8_t>,
                                                   const Factor&);

}  // namespace attncert::double_double
