// Shrinking of an instance that no tape made (the maximiser's): fewer tokens, fewer dimensions, simpler numbers, as
// long as the statement stays violated. The size is that of shrink.hpp: (L, d, total bits).
#pragma once

#include <cstddef>

#include "properties/claims/claim.hpp"

namespace attncert {

// `instance` must violate the statement. Deterministic; at most `budget` instances are judged.
Instance shrink_instance(const Statement& statement, std::size_t part, const Instance& instance, std::size_t budget);

}  // namespace attncert
