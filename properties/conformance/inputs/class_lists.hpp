// The lists that input_classes.cpp joins. Private to properties/conformance/inputs.
#pragma once

#include <vector>

#include "properties/conformance/inputs/input_classes.hpp"

namespace attncert {

std::vector<InputClass> temperature_classes();
std::vector<InputClass> logit_classes();
std::vector<InputClass> place_classes();
std::vector<InputClass> mask_classes();
std::vector<InputClass> parameter_classes();

inline bool ordinary(const RowFacts& facts) { return facts.kind == RowKind::ordinary; }

}  // namespace attncert
