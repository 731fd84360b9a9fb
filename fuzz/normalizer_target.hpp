// What the targets `normalizer` and `long` have in common.
#pragma once

#include <string_view>

#include "fuzz/guide.hpp"
#include "fuzz/normalizer_case.hpp"
#include "fuzz/target.hpp"

namespace attncert {

// Which rows an input of that target may ask for. A kernel that is searched for what is wrong with it, a library's or a
// faulty one, gets all of them from `normalizer`.
Lengths lengths_of(std::string_view target);

// Runs a case of that target and judges it.
void run_case(std::string_view target, NormalizerCase one, Guide& guide);

}  // namespace attncert
