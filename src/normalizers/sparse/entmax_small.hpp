// Rows of a general entmax some of whose v = a (z - tau) are below what pairs of doubles serve: n is beyond them, or
// other logits lie as near to r. Powers of these are taken one by one in fixed point (20 us each).
#pragma once

#include "src/normalizers/long_pair.hpp"
#include "src/normalizers/sparse/entmax_powers.hpp"

namespace attncert {

// n in the units of the logits; or, where it is nothing beside any rise above r (b < 1), p_r in its place. Both 0: no
// such row.
struct SmallGap {
  LongPair n{0, 0}, weight{0, 0};
  bool given() const noexcept { return n.high > 0 || weight.high > 0; }
};

// Relative error 2^-61 and, b times or |b - 1| times, that of n.
template <class T>
class SmallRow {
 public:
  SmallRow(const EntmaxLaw& law, T lowest, const SmallGap& gap) noexcept;

  // v^b and v^(b-1) of a logit x: 0 below r; the latter at most 2^13000.
  long double weight(T x) const noexcept { return power(x, weight_exponent(law_)); }
  long double slope(T x) const noexcept { return power(x, slope_exponent(law_)); }

 private:
  long double power(T x, const SignedRatio& by) const noexcept;

  EntmaxLaw law_;
  Powers<256> powers_;
  T lowest_;
  SmallGap gap_;
};

extern template class SmallRow<float>;
extern template class SmallRow<double>;

}  // namespace attncert
