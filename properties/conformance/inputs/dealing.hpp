// Which of `count` kinds case `number` gets: each once in every `count` consecutive cases.
#pragma once

#include <cstdint>

#include "src/core/counter.hpp"

namespace attncert {

// Each block of `count` numbers begins elsewhere: two choices with the same count do not keep step.
constexpr std::uint64_t dealt(std::uint64_t number, std::uint64_t count, std::uint64_t seed, std::uint64_t choice) {
  return (number + random_below(mixed(seed) ^ choice, number / count, count)) % count;
}

}  // namespace attncert
