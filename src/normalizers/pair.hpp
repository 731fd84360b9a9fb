// A value as an unevaluated sum, |low| <= ulp(high) / 2. One of vectors is initialised where it is declared: a
// constructor made here would not know the target's instructions (64-bit Arm's vectors have one).
#pragma once

namespace attncert {

template <class Number>  // a scalar, or a vector of Highway: a pair in each lane
struct PairOf {
  Number high, low;
};

}  // namespace attncert
