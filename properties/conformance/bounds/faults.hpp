// Deliberately wrong bound kernels, and right plain ones beside them: the first must be noticed, the second must pass.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/conformance/bounds/subject.hpp"

namespace attncert {

struct BoundFault {
  std::string_view name, subject, text, imitates;
  BoundKernel kernel;
  bool wrong = true;
};

std::span<const BoundFault> bound_faults();         // wrong
std::span<const BoundFault> right_bound_kernels();  // right, plain

// Every wrong kernel hunted until it is noticed, then every right one over all its rows, each by one thread.
struct BoundKill {
  const BoundFault* kernel;
  std::uint64_t rows = 0;  // tried
  bool caught = false;
  std::string witness;
};
std::vector<BoundKill> bound_kills(std::uint64_t seed);
bool as_expected(const BoundKill& kill);  // wrong and caught, or right and not
std::string markdown(std::span<const BoundKill> kills);

}  // namespace attncert
