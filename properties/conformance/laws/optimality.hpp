// Judges sparsemax, 1.5-entmax and alpha-entmax by their optimality conditions alone. With depths d_i = (alpha - 1)
// (max z - z_i) / T and beta = 1 / (alpha - 1) the weights are max(t - d_i, 0)^beta for the one t at which they sum to
// 1. If a computed weight is within its budget, t lies in an interval. The row is right exactly when these intervals
// have a common point and the sum reaches 1 inside their intersection. The check never solves for t.
#pragma once

#include <span>
#include <string>

#include "reference/normalizers/normalizer.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

struct OptimalityVerdict {
  // optimal: every weight is certainly within its budget of the exact one, those computed as 0 are exactly 0 (or below
  // the format's smallest number), and those computed positive are positive. violated: certainly not so. undecided:
  // 1024 bits do not tell.
  enum class Kind : std::uint8_t { optimal, violated, undecided } kind = Kind::undecided;
  std::size_t entry = 0;  // where it is violated
  std::string reason;
};

// Whether the conditions apply: sparsemax, entmax-1.5, entmax.
bool has_optimality_conditions(const Normalizer& normalizer);

// `row` is ordinary; `computed` has its length and holds values of `format`. The cost is two powers for every positive
// weight and two sums over the logits near the largest.
OptimalityVerdict check_optimality(const Normalizer& normalizer, const LogitRow& row, std::span<const double> computed,
                                   const Format& format, const Budget& budget);

}  // namespace attncert
