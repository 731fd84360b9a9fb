// Sparsemax (Martins, Astudillo, ICML 2016): the projection of z / T on the simplex, p_i = max(z_i / T - tau, 0).
// For rational logits the projection is rational, so the reference is exact, not an enclosure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

struct SparsemaxThreshold {
  Rational value;           // tau, in units of z / T
  std::size_t support = 0;  // how many weights are positive
};

struct Sparsemax {
  std::vector<Rational> weights;  // exact; 0 off the support and at masked positions
  Rational threshold;             // as above
  std::size_t support = 0;
};

// logits: L >= 1 finite exact values; temperature > 0; mask as for softmax.
Sparsemax sparsemax(std::span<const Rational> logits, const Rational& temperature,
                    std::span<const std::uint8_t> mask = {});
Sparsemax sparsemax(std::span<const double> logits, double temperature, std::span<const std::uint8_t> mask = {});

SparsemaxThreshold sparsemax_threshold(std::span<const double> logits, double temperature,
                                       std::span<const std::uint8_t> mask = {});

extern const Normalizer sparsemax_normalizer;

}  // namespace attncert::reference
