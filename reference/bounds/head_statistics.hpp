// Figures of one row of weights, p = w / sum w: exact rationals but for the entropy, whose largest term is taken from
// the sum of the others so that nothing cancels near a one-hot row.
#pragma once

#include <cstddef>
#include <span>

#include "reference/interval.hpp"

namespace attncert::reference {

struct HeadTruth {
  Interval entropy, n_eff, participation;  // -sum p ln p in nats, exp of it, 1 / sum p^2
  std::size_t support = 0;
  Interval top_mass, largest, sink, margin;  // mass of the k largest, p_1, p of token 0, p_1 - p_2
};

// weights: >= 0, not all 0; k >= 1.
HeadTruth head_truth(std::span<const Rational> weights, std::size_t k, Precision precision);

}  // namespace attncert::reference
