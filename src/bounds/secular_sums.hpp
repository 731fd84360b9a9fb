// The vector loops of secular.hpp: each chooses its instruction set when called.
#pragma once

#include <cstddef>
#include <span>

namespace attncert::bounds {

inline constexpr std::size_t chains = 4;                 // accumulators of every loop
inline constexpr std::size_t rest_padding = 8 * chains;  // doubles: a whole step of the widest target

struct TopTwo {
  double first = 0, second = 0;
  bool valid = false;  // all finite and >= 0
};
TopTwo top_two(std::span<const float> weights);
TopTwo top_two(std::span<const double> weights);

// out[i] = weights[i] * low * high, a power of two in two factors, for it may be out of a double's range.
void scale_into(std::span<const float> weights, double low, double high, double* out);
void scale_into(std::span<const double> weights, double low, double high, double* out);

struct PowerSums {
  double sum = 0, squares = 0, cubes = 0;
};
PowerSums power_sums(std::span<const double> rest);  // a multiple of rest_padding of them

struct PoleSums {
  double first = 0;   // sum r / (x - r)
  double second = 0;  // sum (r / (x - r))^2
};
PoleSums pole_sums(std::span<const double> rest, double x);  // x > every r

// Relative error of such a sum of `length` nonnegative terms: additions one after another, and 4 for what is done to a
// term and for gamma_n instead of n u (fewer than 2^27 additions in a row).
double sum_error(std::size_t length);

}  // namespace attncert::bounds
