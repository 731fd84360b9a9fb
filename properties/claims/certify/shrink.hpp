// Shrinking: from a tape whose instance violates a statement to one that a person can read. The size of an instance is
// (L, d, total bits), in that order; among equal sizes the simpler tape wins.
#pragma once

#include <cstddef>
#include <tuple>

#include "properties/claims/claim.hpp"
#include "src/core/tape.hpp"

namespace attncert {

using InstanceSize = std::tuple<std::size_t, std::size_t, std::size_t>;
InstanceSize size_of(const Instance& instance);

struct Shrunk {
  Tape tape;
  Instance instance;
  std::size_t evaluations = 0;
};

// `tape` must violate the statement. Deterministic; at most `budget` instances are judged.
Shrunk shrink(const Statement& statement, std::size_t part, const Tape& tape, std::size_t budget);

}  // namespace attncert
