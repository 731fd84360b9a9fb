// n! F(z / T) / s^n and its derivative for F = F_n, the Taylor polynomial of exp of even order n; F_n' = F_(n-1). Right
// of zero nothing cancels; left of it F loses 2^41 at most, but F_(n-1) has a root, and a gradient must keep its digits
// beside it: pairs of long doubles first, exact integers where these do not suffice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/normalizers/long_pair.hpp"
#include "src/normalizers/separable/taylor_order.hpp"

namespace attncert {

class TaylorSlope {
 public:
  struct Value {
    long double weight, slope;  // n! F_n / s^n within 2^-63, n! F_(n-1) / s^n within 2^-62; s = 2^k common to a row
  };

  TaylorSlope(std::uint32_t order, double temperature) noexcept;
  void prepare(double largest, double smallest) noexcept;  // of the row's present logits
  Value operator()(double z) const noexcept;

 private:
  void fill_table() noexcept;

  std::size_t order_;
  double temperature_;
  int scaling_ = 0;                                 // k
  long double shrink_ = 1;                          // 2^-k
  LongPair coefficients_[kLargestTaylorOrder + 1];  // n! / j! s^(j - n)
};

// n! F_(n-1)(z / T) from integers, within 2^-62 relative where z / T is in [-64, -1/64] and elsewhere not needed.
long double exact_taylor_slope(std::size_t order, double z, double temperature) noexcept;

}  // namespace attncert
