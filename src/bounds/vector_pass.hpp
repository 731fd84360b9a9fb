// Vector arithmetic over the components of a token, times a power of two, in f64. Sums run in a few dozen lanes:
// gamma_d covers them in any order.
#pragma once

#include <cstddef>

#include "src/bounds/ball.hpp"

namespace attncert::bounds {

inline constexpr std::size_t tokens_at_once = 8;
template <class T>
struct WeightedTokens {
  std::size_t count = 0;
  const T* x[tokens_at_once] = {};
  double w[tokens_at_once] = {};
};
// s += sum of w x, token after token.
template <class T>
void add_tokens(double* s, const WeightedTokens<T>& tokens, PowerOfTwo scale, std::size_t dimension);
double squared_length(const double* s, std::size_t dimension);  // ||s||^2
template <class T>
double squared_apart(const double* s, const T* x, double w, PowerOfTwo scale, std::size_t dimension);  // ||w x - s||^2
template <class T>
double inner_product(const double* s, const T* x, PowerOfTwo scale, std::size_t dimension);  // x . s

}  // namespace attncert::bounds
