// What a kernel of any element type and normalizer is called with: logits of a recipe in that type, parameters, and
// upstream gradients, drawn from a tape. Everything is a double that the type holds exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/rows/logits.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/core/tape.hpp"

namespace attncert {

std::vector<double> expand(const LogitRecipe& recipe, attncert_dtype dtype);
// normal_logits of that type.
std::vector<double> normal_logits(attncert_dtype dtype, std::uint64_t seed, std::size_t length, double s,
                                  std::size_t pool = 0);

// The defaults first; then what the normalizer reads takes other values.
RowParameters draw_parameters(Choices& choices, const Normalizer& normalizer);
// A value of the normalizer's parameter that a kernel has to refuse. False when it reads none.
bool draw_invalid_parameter(Choices& choices, const Normalizer& normalizer, RowParameters& parameters);
// Normal, ones (the gradient of a constant: everything cancels), one-hot, wide exponents, zeros.
std::vector<double> draw_upstream(Choices& choices, attncert_dtype dtype, std::size_t length);

}  // namespace attncert
