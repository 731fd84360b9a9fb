// A value as an unevaluated sum, |low| <= ulp(high) / 2.
#pragma once

namespace attncert {

template <class Number>  // a scalar, or a vector of Highway: a pair in each lane
struct PairOf {
  Number high, low;
};

}  // namespace attncert
