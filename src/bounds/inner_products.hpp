// What a Gram matrix and a tile of one share: tokens scaled by a power of two, and the error of their inner products.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "src/bounds/ball.hpp"
#include "src/bounds/row.hpp"

namespace attncert::bounds {

// Relative to ||x|| ||y||: a sum of d products in f64 in any order, gamma_d; the 8 cover the partial sums of a blocked
// product.
inline double inner_product_error(std::size_t dimension) { return static_cast<double>(dimension + 8) * 0x1p-52; }

// ... and the rounding to T.
template <class T>
double product_error(std::size_t dimension) {
  return (std::is_same_v<T, float> ? 0x1p-24 : 0) + inner_product_error(dimension);
}
// Underflow: of the rounding to T, of the d products. Absolute.
template <class T>
inline constexpr double product_floor = std::is_same_v<T, float> ? 0x1p-149 : 0x1p-1040;

// Absolute, of a norm: what the underflow of its squares takes from it, sqrt(d 2^-1074), in scaled units.
inline double norm_floor(std::size_t dimension) { return std::sqrt(static_cast<double>(dimension)) * 0x1p-530; }

// The power of two that brings the largest component to [1/2, 1), the largest norm to [1/2, sqrt(d)): nothing overflows
// then.
template <class T>
int largest_exponent(Tokens<T> tokens) {
  double largest = 0;
  for (std::size_t i = 0; i < tokens.count; ++i)
    for (std::size_t k = 0; k < tokens.dimension; ++k)
      if (std::isfinite(tokens[i][k])) largest = std::max(largest, std::fabs(static_cast<double>(tokens[i][k])));
  return largest > 0 ? std::ilogb(largest) + 1 : 0;
}

template <class T>
std::vector<double> scaled_tokens(Tokens<T> tokens, int exponent) {
  const PowerOfTwo scale(-exponent);
  std::vector<double> all(tokens.count * tokens.dimension);
  for (std::size_t i = 0; i < tokens.count; ++i)
    for (std::size_t k = 0; k < tokens.dimension; ++k)
      all[i * tokens.dimension + k] = static_cast<double>(tokens[i][k]) * scale.first * scale.second;
  return all;
}

}  // namespace attncert::bounds
