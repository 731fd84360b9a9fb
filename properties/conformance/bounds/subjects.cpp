#include "properties/conformance/bounds/subjects.hpp"

#include <algorithm>

namespace attncert {

// Curves: a distance worse than the row's tolerance is done over from the vectors, whose f64 sums lose at most 10^4
// roundings of the magnitude here. What else comes from inner products is a root of a difference: of 2^-53 d in f64,
// 2^-24 in f32, and a root of those is 10^-7 and 10^-3 of the magnitude, with what the d = 64 terms and the constants
// leave.
UsefulnessLimit bound_subject::curve_limit(std::string_view output, const BoundRow& row) {
  if (output == "distance") return {2 * row.tolerance, 1e-12, 0};
  if (row.dtype == ATTNCERT_F32) return {1e-4, 1e-3, 0};
  // eta and xi are roots of a difference of squares, those of delta and Delta among them, which the Gram matrix states
  // to some 10^-10; where eta is 0 a root of many of those is left.
  const bool radius = output.starts_with("eta") || output.starts_with("xi");
  return {1e-10, radius ? 1e-3 : 1e-6, 0};
}

namespace {

namespace of = bound_subject;

// O(L) formulas without cancellation: 1e-12 (docs/bounds.md), and what inexact weights cost, a small multiple of their
// error. "lower" has a root of a difference in it that is 1 / L^2 of its terms at equal weights.
UsefulnessLimit weight_limit(std::string_view output, const BoundRow& row) {
  const auto length = static_cast<double>(row.weights.size());
  const double limit = 1e-12 + 40 * row.relative_error * (output == "lower" ? length * length : 1);
  return {limit, limit, 0};
}

// Weights of f32 logits come from kernels that promise a few ulp of f32.
UsefulnessLimit operator_limit(std::string_view, const BoundRow& row) {
  const double limit = row.dtype == ATTNCERT_F32 && !row.normalizer.empty() ? 1e-5 : 1e-10;
  return {limit, limit, 0};
}

// exp(l / T) loses the digits that l / T has before the point (at most 10^5 here); the difference those of eps, beside
// 1 / T.
UsefulnessLimit quotient_limit(std::string_view, const BoundRow& row) {
  return {1e-9, 1e-13 + 1e-14 / std::min(1.0, row.eps), 0};
}

const BoundSubject distance{"distance",       "Theorem 1's quantities for every N",
                            of::distance_row, of::distance_truth,
                            of::curve_limit,  of::distance};
const BoundSubject separability{"separability",   "Theorem 2's quantities for every N",
                                of::distance_row, of::separability_truth,
                                of::curve_limit,  of::separability};
const BoundSubject softmax_jacobian{"softmax-jacobian", "norms of softmax's Jacobian",
                                    of::jacobian_row,   of::jacobian_truth,
                                    weight_limit,       of::softmax_jacobian};
const BoundSubject operator_norm{"operator-norm",  "norms of any normalizer's Jacobian",
                                 of::operator_row, of::operator_truth,
                                 operator_limit,   of::operator_norm};
const BoundSubject head_statistics{"head-statistics", "figures of one row of weights",
                                   of::head_row,      of::head_truth,
                                   weight_limit,      of::head_statistics};
const BoundSubject difference_quotient{"difference-quotient", "finite differences of softmax",
                                       of::quotient_row,      of::quotient_truth,
                                       quotient_limit,        of::difference_quotient};

const BoundSubject* const list[] = {&distance,      &separability,    &softmax_jacobian,
                                    &operator_norm, &head_statistics, &difference_quotient};

}  // namespace

std::span<const BoundSubject* const> bound_subjects() { return list; }

const BoundSubject* find_bound_subject(std::string_view name) {
  for (const BoundSubject* subject : list)
    if (subject->name == name) return subject;
  return nullptr;
}

}  // namespace attncert
