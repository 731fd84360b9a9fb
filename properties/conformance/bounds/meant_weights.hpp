// Weights that stand for others, which they are off from by a relative error at most: what norms and figures at given
// weights share.
#pragma once

#include "properties/conformance/bounds/subject.hpp"

namespace attncert::bound_subject {

// Says of every quarter row how far its weights are off, and which were meant.
void draw_meant(BoundRow& row, Choices& choices);
std::vector<Rational> meant(const BoundRow& row);  // those the truth is of, exactly

// The usefulness limit of outputs that are formulas in such weights.
UsefulnessLimit weight_limit(std::string_view output, const BoundRow& row);

}  // namespace attncert::bound_subject
