// Settling a statement about expectations over random tokens: exact binomial confidence limits (Clopper, Pearson,
// Biometrika 26, 1934) of the mean under each law, from as many independent draws as the plan says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "properties/claims/claim.hpp"
#include "src/core/tally.hpp"

namespace attncert {

// A limit is wrong with at most this probability: one law's, on the side that the verdict rests on.
inline constexpr double error_of_a_limit = 1e-9;

struct Limits {
  double low, high;
};
// Each limit alone is wrong with probability at most `error`; trials >= 1, successes <= trials.
Limits confidence_limits(std::uint64_t trials, std::uint64_t successes, double error);

// One instance per law: held when the limit on the far side clears the bound, violated when the near one breaks it. A
// draw that is open counts against whatever it would help. Deterministic by seed; stops early when `stop` becomes true.
struct Sampling {
  std::uint64_t seed = 1;
  std::size_t draws = 0;  // of each law
};
Tally check_laws(const Statement& statement, const Sampling& sampling, const std::atomic<bool>& stop);

}  // namespace attncert
