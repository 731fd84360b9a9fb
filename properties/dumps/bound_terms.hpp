// What makes a bound as large as it is.
#pragma once

#include <string_view>
#include <vector>

#include "properties/dumps/judged_rows.hpp"

namespace attncert {

// By how much the bound becomes smaller when this part of the class is exact and those before it are: the terms add up
// to the bound. Sums are all that single operations do: additions, rescaling, pivots, divisions; the last term is what
// underflow may cost, and exponentials out of range.
struct BoundTerm {
  std::string_view name;
  double size;
};

// Of the bound of o at the channel, or of lse, each to this part of it; the order is fixed.
inline constexpr double terms_to = 0x1p-30;
std::vector<BoundTerm> bound_terms(const DumpedRow& row, const reference::RoundingClass& rounding,
                                   std::optional<std::size_t> channel);

}  // namespace attncert
