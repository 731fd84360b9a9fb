// The spectral norm of softmax's Jacobian (diag p - p p^T) / T: lambda_1(diag p - p p^T), enclosed.
// docs/specification.md#largest-eigenvalue: ell(p1, p2) <= lambda_1 <= p1 (1 - p1 + p2), and for p1 > p2 lambda_1 is
// the root in (p2, p1) of the increasing function g(x) = p1/(p1 - x) - sum_{j>=2} p_j/(x - p_j), so the sign of g at a
// point certifies a side.
#pragma once

#include <cstddef>
#include <span>

#include "reference/interval.hpp"

namespace attncert::reference {

// What the sharp softmax bounds are made of: the two largest weights and sums without cancellation.
struct TopWeights {
  std::size_t first = 0;  // index of a largest weight
  Interval p1, p2;        // p2 = 0 when L = 1
  Interval rest;          // sum of all but p1: 1 - p1 without cancellation
  Interval tail;          // sum of all but p1 and p2: 1 - p1 - p2 without cancellation
};

// `first` and `second` are indices of a largest and a next largest weight (from the exact logits); second = first when
// L = 1.
TopWeights top_weights(std::span<const Interval> weights, std::size_t first, std::size_t second, Precision precision);

// lambda_1(diag p - p p^T); L = 1 gives the point 0.
Interval largest_eigenvalue(std::span<const Interval> weights, const TopWeights& top, std::size_t second,
                            Precision precision);

// Lower bound ell(p1, p2) of docs/specification.md#largest-eigenvalue.
Interval two_weight_floor(const TopWeights& top, Precision precision);

}  // namespace attncert::reference
