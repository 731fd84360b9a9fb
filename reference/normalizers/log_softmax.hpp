// Enclosures of log-softmax, z_i / T - log sum_j exp(z_j / T) over the unmasked positions; masked ones have no entry's
// value (-inf) and are enclosed by the whole line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

std::vector<Interval> log_softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                                  std::span<const std::uint8_t> mask = {});
std::vector<Interval> log_softmax(std::span<const double> logits, double temperature, Precision precision,
                                  std::span<const std::uint8_t> mask = {});

extern const Normalizer log_softmax_normalizer;

}  // namespace attncert::reference
