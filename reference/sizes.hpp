// What bounds the errors of an inner product of two rows of doubles.
#pragma once

#include <cstddef>

namespace attncert {

template <class Number>  // Interval or DoubleInterval, or double: near them
struct Sizes {
  Number products, second;  // sum |a_k b_k|, sum |b_k|
  std::size_t terms;        // how many k have neither number 0
};

}  // namespace attncert
