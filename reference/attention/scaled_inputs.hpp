// The rounding class of a kernel that is given keys and values as numbers times a scale: stored k and v of eight bits.
// The row holds the exact products, k = scale stored. docs/attention-bounds.md has what each term is for.
#pragma once

#include "reference/attention/rounding_class.hpp"

namespace attncert::reference {

// Of the scales of a call, which are above 0: the class is one for all heads.
struct ScaleRange {
  double least = 1, most = 1;
};

// Scales of 1 throughout change nothing: there is nothing to round.
RoundingClass with_scaled_keys(RoundingClass rounding, const ScaleRange& scales);
RoundingClass with_scaled_values(RoundingClass rounding, const ScaleRange& scales);

}  // namespace attncert::reference
