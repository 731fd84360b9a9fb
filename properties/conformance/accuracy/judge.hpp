// Rows of kernels' output against the truth: the error of each entry in ulp, enclosed, and compared with the budget.
// One row is judged for several kernels and instruction sets at once, because the enclosure is what costs. An entry
// whose enclosed error straddles the budget is asked again at twice the precision, up to a limit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "properties/conformance/accuracy/judgement.hpp"
#include "reference/interval.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

// Precision that the first question is asked at: an ulp of f32 is 2^-24 of a value, of f64 2^-53; logits a few hundred
// away from the largest lose another 10 bits in the exponent.
Precision first_precision(const Format& format);
inline constexpr Precision last_precision{1024};

// What one kernel made of the row, and what it is allowed.
struct Judged {
  std::span<const double> computed;
  const Budget* budget;
  Judgement judgement{};
};

// Judges the entries at `positions` of an ordinary row, for every one of `judged`, all of the same output format.
void judge_row(const Normalizer& normalizer, const LogitRow& row, RowTruth& truth, const Format& format,
               std::span<const std::size_t> positions, std::span<Judged> judged);
// The whole row, one kernel.
Judgement judge_row(const Normalizer& normalizer, const LogitRow& row, RowTruth& truth, const Format& format,
                    std::span<const double> computed, const Budget& budget);

// Positions worth judging of a long row: both ends (lanes and tails), the largest and smallest logits, an even spread,
// and the entries where an outcome is farthest from plain double arithmetic. All of them when they are about as few.
std::vector<std::size_t> chosen_positions(const LogitRow& row, RowTruth& truth, std::span<const Judged> judged,
                                          std::size_t about);

}  // namespace attncert
