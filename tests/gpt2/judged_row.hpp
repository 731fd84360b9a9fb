// Weights that some normalizer gave for a row of logits, held against its enclosure and its kernel's budget.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "attncert/kernel.h"

namespace attncert {

struct JudgedRow {
  std::size_t weights = 0, outside = 0, undecided = 0;
};
JudgedRow judged_row(std::string_view normalizer, double temperature, const attncert_parameters& parameters,
                     std::span<const float> logits, std::span<const float> weights);

}  // namespace attncert
