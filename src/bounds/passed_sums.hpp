// Head statistics and norms of a Jacobian out of sums over the row that were added elsewhere, in f64: on a device
// (src/bounds/device).
#pragma once

#include <cstddef>
#include <span>

#include "src/bounds/head_statistics.hpp"
#include "src/bounds/jacobian.hpp"
#include "src/bounds/secular.hpp"

namespace attncert::bounds {

// Sums over the q_i = w_i / w_1 other than a largest one; no term takes part in more than `additions` additions.
struct HeadMoments {
  double rest = 0, squares = 0, logs = 0;  // sum q, sum q^2, sum q ln(1/q)
  double additions = 0;
};
// As head_statistics: the errors of ratio and logarithm are those of docs/bounds.md.
HeadStatistics passed_head_statistics(std::span<const double> weights, std::size_t k, double relative_error,
                                      const HeadMoments& moments);

bool jacobian_asked_well(double temperature, double relative_error);
SoftmaxJacobian unknown_jacobian();
SoftmaxJacobian jacobian_of(const Spectrum& spectrum, const SecularRoot& root, double temperature,
                            double relative_error);

}  // namespace attncert::bounds
