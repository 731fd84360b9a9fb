#include "src/normalizers/sparse/entmax_small.hpp"

namespace attncert {

template <class T>
SmallRow<T>::SmallRow(const EntmaxLaw& law, T lowest, const SmallGap& gap) noexcept
    : law_(law), powers_(law), lowest_(lowest), gap_(gap) {}

template <class T>
long double SmallRow<T>::power(T x, const SignedRatio& by) const noexcept {
  if (!(x >= lowest_)) return 0;
  if (x == lowest_ && gap_.weight.high > 0) {  // v^by = p_r^(by / b)
    return exp2_rounded(log2_of<256>({gap_.weight.high, gap_.weight.low}),
                        {by.numerator, law_.denominator, by.negative});
  }
  const LongPair e = exact_sum(static_cast<long double>(x), -static_cast<long double>(lowest_));
  return powers_.rounded({e.high, e.low, gap_.n.high, gap_.n.low}, by);
}

template class SmallRow<float>;
template class SmallRow<double>;

}  // namespace attncert
