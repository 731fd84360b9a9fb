// Throughput: how many fresh instances of a distance claim one core judges in a second, and how that changes with L and
// d (evaluation is linear in L d at a fixed N). CPU time of this thread; a timing, no part of any result.
#pragma once

#include <cstddef>
#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert {

struct Throughput {
  std::size_t length = 0, dimension = 0;
  double per_second = 0;  // instances of one core
};

// A random instance of a distance claim: f32-like weights and tokens, N = 4 selected.
Instance throughput_instance(std::size_t length, std::size_t dimension, std::uint64_t number);

// Each of (16, 8), (32, 8), (64, 8), (16, 16), (16, 32) for about `seconds` of CPU time.
std::vector<Throughput> measure_throughput(const Statement& statement, double seconds);

}  // namespace attncert
