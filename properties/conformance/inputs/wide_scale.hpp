// How large the numbers of a wide row are: its temperature, the unit of the differences of its logits, the level of the
// largest. Private to properties/conformance/inputs.
#pragma once

#include "properties/conformance/inputs/wide_row.hpp"

namespace attncert {

struct WideScale {
  double temperature, unit, level;
};
WideScale scale_of(const WideRecipe& recipe, attncert_dtype dtype);

double finite(attncert_dtype dtype, double value);                // rounded to the format, and within it
double neighbour(attncert_dtype dtype, double value, int steps);  // so many numbers of the format up or down
double any_number(attncert_dtype dtype, std::uint64_t word);      // any sign, exponent and fraction

}  // namespace attncert
