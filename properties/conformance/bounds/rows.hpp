// Rows for the bound kernels: weights and tokens of the shapes at which the bounds of arXiv 2508.17821 are tight, tied,
// cancelling or undefined (docs/specification.md#extremes). Every number is a word of the tape; what a tape that has
// ended reads is 0 or the simplest shape.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/conformance/bounds/subject.hpp"

namespace attncert::bound_subject {

double draw_uniform(Choices& choices, double low, double high);
double draw_normal(Choices& choices);  // N(0, 1)
// The same for numbers that must be neither 0 nor equal to each other, whatever the tape says: number i of them.
double draw_distinct_normal(Choices& choices, std::size_t i);
bool draw_one_in(Choices& choices, std::uint64_t n);  // true once in n

double as(attncert_dtype dtype, double value);  // rounded to the type: f32 or f64

std::size_t draw_length(Choices& choices, RowSize size);
std::vector<double> draw_weights(Choices& choices, std::size_t length, attncert_dtype dtype);  // >= 0, not all 0
std::vector<double> draw_signed_weights(Choices& choices, std::size_t length,
                                        attncert_dtype dtype);  // of any sign and sum
std::vector<double> draw_logits(Choices& choices, std::size_t length, attncert_dtype dtype);
double draw_temperature(Choices& choices);

// weights, tokens, points; ordinary or not.
void draw_weighted_tokens(BoundRow& row, Choices& choices, RowSize size);

// Three at most. Weights stay what they were meant as, nonnegative or signed; a normalizer's logits stay, since a tie
// may have no Jacobian.
void draw_special_values(BoundRow& row, Choices& choices);

// Bytes that no row of this size reads to the end.
std::size_t tape_length(RowSize size);

}  // namespace attncert::bound_subject
