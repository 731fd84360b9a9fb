// Powers of v = a w, a = 1 / (b T), in fixed point, by the logarithms of w and of the three numbers that a is made of.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "src/normalizers/sparse/fixed_point.hpp"

namespace attncert {

// alpha - 1 = above / denominator; b = denominator / above.
struct EntmaxLaw {
  std::uint64_t above, denominator;
  double temperature;
  long double exponent() const noexcept {
    return static_cast<long double>(denominator) / static_cast<long double>(above);
  }
};

// numerator / denominator, and whether it is meant with a minus.
struct SignedRatio {
  std::uint64_t numerator, denominator;
  bool negative;
};
inline SignedRatio weight_exponent(const EntmaxLaw& law) noexcept {  // b
  return {law.denominator, law.above, false};
}
inline SignedRatio slope_exponent(const EntmaxLaw& law) noexcept {  // b - 1
  const bool rises = law.above > law.denominator;
  return {rises ? law.above - law.denominator : law.denominator - law.above, law.above, rises};
}

// by log, cut off below -2^20, where a power of two is nothing, and above `most`.
template <int kBits>
FixedPoint<kBits> exponent_of(const FixedPoint<kBits>& log, const SignedRatio& by, long double most) noexcept {
  const bool below = log.negative() != by.negative;
  const FixedPoint<kBits> size =
      FixedPoint<kBits>(by.numerator).times(log.negative() ? log.negated() : log).over(by.denominator);
  const long double limit = below ? 0x1p20L : most;
  FixedPoint<kBits> cut;
  cut.add(below ? -limit : limit);
  if (size.rounded() > limit) return cut;
  return below ? size.negated() : size;
}

// 2^y as a long double, relative error 2^-62; 0 and 2^13000 are the ends (entmax_vjp.cpp).
template <int kBits>
long double exp2_rounded(const FixedPoint<kBits>& log, const SignedRatio& by) noexcept {
  const FixedPoint<kBits> y = exponent_of(log, by, 13000);
  return std::ldexp(exp2_of(y.fraction()).rounded(), static_cast<int>(y.floor()));
}

template <int kBits>
class Powers {
 public:
  using Number = FixedPoint<kBits>;

  explicit Powers(const EntmaxLaw& law) noexcept
      : law_(law), rate_(log2_of<kBits>({static_cast<long double>(law.above)})) {
    rate_ += log2_of<kBits>({static_cast<long double>(law.denominator)}).negated();
    rate_ += log2_of<kBits>({static_cast<long double>(law.temperature)}).negated();
  }

  // v^b, w the sum of the terms; more than any sum that is asked about is 2^62.
  Number of(std::initializer_list<long double> terms) const noexcept {
    return exp2_of(exponent_of(log2_of_v(terms), weight_exponent(law_), 62));
  }
  // v^by with all the bits of long double, where `of` has those down to 2^-kBits.
  long double rounded(std::initializer_list<long double> terms, const SignedRatio& by) const noexcept {
    return exp2_rounded(log2_of_v(terms), by);
  }

 private:
  Number log2_of_v(std::initializer_list<long double> terms) const noexcept {
    Number log = log2_of<kBits>(terms);
    log += rate_;
    return log;
  }

  EntmaxLaw law_;
  Number rate_;
};

}  // namespace attncert
