// Counter-based random numbers: element i of a stream is a pure function of (seed, i), so that rows expand in any order
// and alike on every machine. Mixer: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Normal deviates: the polar method
// (Marsaglia, Bray, SIAM Review 6, 1964) with a logarithm of our own, since libm's and std::normal_distribution's
// results differ between libraries.
#pragma once

#include <cstdint>

#include "src/core/mixer.hpp"

namespace attncert {

constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  return mixed(mixed(seed) ^ mixed(~index));
}

constexpr std::uint64_t random_below(std::uint64_t seed, std::uint64_t index, std::uint64_t n) {
  return random_word(seed, index) % n;
}

double normal_of(std::uint64_t word);  // N(0, 1) from a word that is uniform
inline double random_normal(std::uint64_t seed, std::uint64_t index) { return normal_of(random_word(seed, index)); }

}  // namespace attncert
