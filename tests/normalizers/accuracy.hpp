// Judges the built-in kernels on normal logits against the oracle and prints the worst error of each case.
#pragma once

#include <cstddef>

namespace attncert {

struct Case {
  double sigma, temperature;
  std::size_t length, rows;
};

// All three kernels of both types, with GoogleTest expectations: within budget, no normal weight flushed, exact
// support.
void expect_within_budget(const Case& c, unsigned long long seed);

}  // namespace attncert
