// Tests that try many of a kind (a program a kernel, a mutant, a row) go through one in ATTNCERT_ONE_IN where that is
// set: for suites that attncert_test calls SAMPLED and the ctests device/*. Slow ones go through all.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace attncert {

inline std::size_t one_in() {
  const char* set = std::getenv("ATTNCERT_ONE_IN");
  const int n = set == nullptr ? 1 : std::atoi(set);
  return n <= 1 ? 1 : static_cast<std::size_t>(n);
}

// The place moves by one from group to group: an even stride would take the left one of every pair.
inline bool is_taken(std::size_t number) { return (number + number / one_in()) % one_in() == 0; }

template <class T>
std::vector<T> taken_of(const std::vector<T>& all) {
  std::vector<T> taken;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (is_taken(n)) taken.push_back(all[n]);
  return taken;
}

}  // namespace attncert
