// Temperatures from a tape: 1 first, then {0.1, 0.7, 3}, powers of two, and every decade from 1e-30 to 1e30.
// Invalid ones are a generator of their own: a kernel must refuse them and write nothing.
#pragma once

#include <span>

#include "src/core/tape.hpp"

namespace attncert {

double draw_temperature(Choices& choices);
double draw_invalid_temperature(Choices& choices);  // 0, -0, -1, NaN, +-inf, the smallest negative subnormal
std::span<const double> campaign_temperatures();    // 1, 0.1, 0.7, 3: those that campaign tolerances are stated for

}  // namespace attncert
