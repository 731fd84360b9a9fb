// Tests that try many of a kind (a program a kernel, a mutant, a row) go through one in ATTNCERT_ONE_IN where that is
// set: for suites that attncert_test calls SAMPLED and the ctests device/*. Slow ones go through all.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace attncert {

inline bool is_taken(std::size_t number) {
  const char* one_in = std::getenv("ATTNCERT_ONE_IN");
  return one_in == nullptr || number % static_cast<std::size_t>(std::atoi(one_in)) == 0;
}

}  // namespace attncert
