// The vector loop of separable_norm.cpp: sums over the tokens but the one of the largest slope, all of whose d lie
// below x.
#pragma once

#include <cstddef>
#include <span>

namespace attncert::bounds {

struct InertiaSums {           // tau = d / (x - d), s = 1 + tau = x / (x - d), e = w - c
  double slopes = 0;           // sum tau
  double weights = 0;          // sum w s
  double squares = 0;          // sum w^2 s
  double shifted = 0;          // sum tau e
  double shifted_sizes = 0;    // sum tau |e|
  double shifted_squares = 0;  // sum tau e^2
};

// Lengths equal, a multiple of rest_padding (secular_sums.hpp), padded with zeros; x > every d.
InertiaSums inertia_sums(std::span<const double> weights, std::span<const double> squared_slopes, double x,
                         double shift);

}  // namespace attncert::bounds
