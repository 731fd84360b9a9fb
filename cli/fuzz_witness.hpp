// An input of the target `claim` that violates its claim (docs/tape.md), as a counterexample: shrunk, and written as a
// witness.
#pragma once

#include <optional>
#include <string>

#include "src/core/witness.hpp"

namespace attncert::cli {

struct ClaimFinding {
  std::string input;  // of the target, for the shrunk instance
  Witness witness;
  std::string size;  // "L=3 d=1 bits=40"
};

// `id`: the claim that the input picks. None when it violates nothing.
std::optional<ClaimFinding> claim_finding(const std::string& id, const std::string& input, const std::string& commit);

}  // namespace attncert::cli
