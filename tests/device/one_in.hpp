// Tests that build a program a kernel go through one kernel in ATTNCERT_ONE_IN where that is set, as it is for the
// ctests device/*; those named -all go through all.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace attncert {

inline bool is_taken(std::size_t number) {
  const char* one_in = std::getenv("ATTNCERT_ONE_IN");
  return one_in == nullptr || number % static_cast<std::size_t>(std::atoi(one_in)) == 0;
}

}  // namespace attncert
