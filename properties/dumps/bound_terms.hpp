// What makes a bound as large as it is.
#pragma once

#include <string_view>
#include <vector>

#include "properties/dumps/judged_rows.hpp"

namespace attncert {

// By how much the bound would be smaller if this part of the class were exact. What is left of the bound beside these
// comes of sums, rescaling and products of errors.
struct BoundTerm {
  std::string_view name;
  double size;
};

// Of the bound of o at the channel, or of lse; the order is fixed.
std::vector<BoundTerm> bound_terms(const DumpedRow& row, const reference::RoundingClass& rounding,
                                   std::optional<std::size_t> channel);

}  // namespace attncert
