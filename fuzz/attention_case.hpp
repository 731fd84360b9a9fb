// A call of an attention kernel as a tape spells it out.
#pragma once

#include <string>

#include "properties/dumps/case_maker.hpp"
#include "src/core/tape.hpp"

namespace attncert {

// Of any sizes up to a few heads of 150 keys, with any features; entries are drawn one by one, then perhaps made as a
// group of properties/dumps/cases.cpp has them: maxima that rise, equal keys, removed keys of NaN and the like.
CaseInputs attention_case(Choices& choices);

// Sizes, settings and, where there are few, entries; one line.
std::string text_of(const CaseInputs& in);

}  // namespace attncert
