// Which corners a case of the target `normalizer` came to, as flags of the guide; a kernel is a group of its buckets.
#pragma once

#include <span>

#include "fuzz/guide.hpp"
#include "fuzz/normalizer_case.hpp"

namespace attncert {

std::size_t group_of(const NormalizerCase& one);
// A long row is worth keeping, one a normalizer, whatever it came to.
void flag_length(const NormalizerCase& one, Guide& guide);
void flag_regimes(const NormalizerCase& one, std::span<const double> output, Guide& guide);

}  // namespace attncert
