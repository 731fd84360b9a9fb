// Enclosures of softmax, p_i = exp(z_i / T) / sum_j exp(z_j / T) over the unmasked positions; 0 at masked ones.
// Logits are exact; the shift by the largest one is exact too (rational), so exp(0) = 1 exactly and ties stay equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// logits: L >= 1 finite exact values; temperature > 0; mask: empty = keep all, else L bytes, at least one 1.
std::vector<Interval> softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                              std::span<const std::uint8_t> mask = {});

// The same for finite floating-point logits (exact as they are).
std::vector<Interval> softmax(std::span<const double> logits, double temperature, Precision precision,
                              std::span<const std::uint8_t> mask = {});

extern const Normalizer softmax_normalizer;

}  // namespace attncert::reference
