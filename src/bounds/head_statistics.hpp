// What one row of weights looks like: the figures by which heads are called sharp, broad or sinks.
#pragma once

#include <cstddef>
#include <span>

#include "src/bounds/certified.hpp"

namespace attncert::bounds {

struct HeadStatistics {     // of p = w / sum w
  Certified entropy;        // - sum p ln p, in nats; 0 ln 0 = 0
  Certified n_eff;          // exp(entropy): the number of equal weights of the same entropy
  Certified participation;  // 1 / sum p^2
  std::size_t support = 0;  // how many w > 0
  Certified top_mass;       // mass of the k largest
  Certified largest;        // p_1
  Certified sink;           // p of token 0
  Certified margin;         // p_1 - p_2 (p_2 = 0 at L = 1)
};

// weights: >= 0, finite, not all 0 (else every number is `unknown` and support is 0). k >= 1; k >= L gives mass 1.
// relative_error as in softmax_jacobian (jacobian.hpp).
template <class T>
HeadStatistics head_statistics(std::span<const T> weights, std::size_t k, double relative_error = 0);

}  // namespace attncert::bounds
