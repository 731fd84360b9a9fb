// RapidCheck as one of the tape's drivers: it draws and shrinks short byte vectors, and everything structured is read
// from them. A short tape is enough (it reads zeros at its end) and keeps RapidCheck's shrinking, which is quadratic in
// the length of a vector, cheap.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "src/core/tape.hpp"

namespace attncert {

inline rc::Gen<Tape> rapidcheck_tapes() {
  return rc::gen::map(rc::gen::arbitrary<std::vector<std::uint8_t>>(), [](std::vector<std::uint8_t> choices) {
    choices.insert(choices.begin(), tape_version);
    return choices;
  });
}

}  // namespace attncert
