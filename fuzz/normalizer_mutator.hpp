// Mutations that know what a tape of the target `normalizer` says: its floats change as floats (steps of an ulp of any
// type, exponents, special values, ties with and neighbours of other logits, swaps), its choices as choices.
// Engine-neutral and a function of its arguments alone.
#pragma once

#include <cstdint>
#include <span>

#include "fuzz/lengths.hpp"
#include "src/core/tape.hpp"

namespace attncert {

// One mutation of `value`, a logit among `others`.
double mutated(double value, std::span<const double> others, Choices& random);

// keeps_subject: no other normalizer, for a search of one.
Tape mutated(std::span<const std::uint8_t> tape, std::uint64_t seed, bool keeps_subject = false,
             Lengths lengths = Lengths::as_asked);

}  // namespace attncert
